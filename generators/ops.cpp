#include "generators/ops.h"

#include "base/user_error.h"

#include <cmath>
#include <sstream>

using namespace Halide;

namespace eutectic {

const std::map<std::string, Activation> &activation_names() {
    static const std::map<std::string, Activation> names{{"relu", Activation::relu},
                                                         {"none", Activation::none},
                                                         {"gelu", Activation::gelu},
                                                         {"tanh", Activation::tanh}};
    return names;
}

Expr relu(const Expr &x) {
    return max(x, cast(x.type(), 0));
}

Expr tanh_through_exp(const Expr &x) {
    const Type t = x.type();
    const Expr one = cast(t, 1), two = cast(t, 2);
    return one - two / (exp(clamp(x * two, cast(t, -40), cast(t, 40))) + one);
}

Expr gelu(const Expr &x) {
    const Type t = x.type();
    const double scale = 2 * std::sqrt(2 / M_PI);  // the 2 of exp(-2u)
    const Expr one = cast(t, 1);
    const Expr c = clamp(x, cast(t, -10), cast(t, 10));
    return x / (one + exp(c * (cast(t, Expr(-scale)) + cast(t, Expr(-scale * 0.044715)) * (c * c))));
}

Expr activate(Activation activation, const Expr &x) {
    switch (activation) {
    case Activation::relu: return relu(x);
    case Activation::gelu: return gelu(x);
    case Activation::tanh: return tanh_through_exp(x);
    case Activation::none: break;
    }
    return x;
}

std::array<Expr, 4> philox4x32(std::array<Expr, 4> c, std::array<Expr, 2> k) {
    const auto high = [](const Expr &a, const Expr &b) {
        return cast<uint32_t>((cast<uint64_t>(a) * cast<uint64_t>(b)) >> 32);
    };
    const Expr m0(0xD2511F53u), m1(0xCD9E8D57u), w0(0x9E3779B9u), w1(0xBB67AE85u);
    for (int round = 0; round < 10; round++) {
        c = {high(c[2], m1) ^ c[1] ^ k[0], c[2] * m1, high(c[0], m0) ^ c[3] ^ k[1], c[0] * m0};
        k = {k[0] + w0, k[1] + w1};
    }
    return c;
}

Expr random_bits(const Expr &seed, const Expr &j, const Expr &i) {
    const Expr zero = cast<uint32_t>(0);
    return philox4x32({cast<uint32_t>(j), cast<uint32_t>(i), zero, zero}, {seed, zero})[0];
}

Expr dropout(const Expr &x, float rate, const Expr &bits) {
    if (!(rate >= 0 && rate < 1)) {
        std::ostringstream message;
        message << "Dropout was asked for with rate=" << rate
                << ", but a rate is at least 0 and less than 1.";
        throw UserError(message.str());
    }
    // The number of the 2^32 values of `bits` that drop the element.
    const uint32_t dropped = static_cast<uint32_t>(std::ldexp(static_cast<double>(rate), 32));
    return select(bits >= Expr(dropped), x * cast(x.type(), Expr(1.0 / (1.0 - static_cast<double>(rate)))),
                  cast(x.type(), 0));
}

std::vector<int> parse_widths(const std::string &generator, const std::string &widths) {
    std::vector<int> result;
    std::istringstream stream(widths);
    bool good = !widths.empty() && widths.back() != ',';
    for (std::string field; good && std::getline(stream, field, ',');) {
        good =
            !field.empty() && field.size() <= 9 && field.find_first_not_of("0123456789") == std::string::npos;
        if (good) {
            result.push_back(std::stoi(field));
            good = result.back() > 0;
        }
    }
    if (!good || result.size() < 2) {
        throw UserError(
            "Generator \"" + generator + "\" was given widths=\"" + widths +
            "\", but widths are at least two positive numbers separated by commas, as in 64,256,128,10.");
    }
    return result;
}

}  // namespace eutectic
