#include "autodiff/residuals/choice/inverse.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace eutectic {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

double ulps_at(Invertible f, double x) {
    const double size = std::abs(x);
    switch (f) {
    case Invertible::log: return x > 0 ? 2 * std::abs(std::log(x)) + 1 : infinite;
    case Invertible::exp: return size > 0 ? 2 / size + 1 : infinite;
    case Invertible::sqrt: return x >= 0 ? 3 : infinite;
    case Invertible::tanh: return size > 0 ? (3 * std::pow(std::cosh(x), 2) + 1.5) / size + 1 : infinite;
    case Invertible::sigmoid: break;
    }
    const double rest = 1 / (1 + std::exp(x));  // 1 - y
    return size > 0 && rest > 0 ? 2 * ((1 + rest) / rest + 1) / size + 1 : infinite;
}

std::string number(double x) {
    std::ostringstream out;
    out.precision(3);
    out << x;
    return out.str();
}

}  // namespace

double ulps_of_inverse(Invertible f, const ValueRange &range) {
    // Each bound falls towards one place and rises from it, or has its pole at 0: the ends are the worst.
    const bool has_pole = f != Invertible::log && f != Invertible::sqrt;
    if (!std::isfinite(range.low) || !std::isfinite(range.high)) {
        return f == Invertible::sqrt && range.low >= 0 ? 3 : infinite;
    }
    if (has_pole && range.low <= 0 && range.high >= 0) {
        return infinite;
    }
    return std::max(ulps_at(f, range.low), ulps_at(f, range.high));
}

Verdict may_invert(Invertible f, const std::string &x, const std::string &y,
                   const std::optional<ValueRange> &range) {
    const std::string what =
        y + " = " + forward_text(f, x) + ", so that " + x + " could be " + inverse_text(f, y);
    if (!range) {
        return Verdict::forbid(what + ", but no range is known for " + x +
                               ": declare the ranges of the inputs in value_ranges");
    }
    const double ulps = ulps_of_inverse(f, *range);
    if (ulps > most_ulps) {
        const std::string bound =
            std::isfinite(ulps) ? "by up to " + number(ulps) + " units in the last place" : "without bound";
        return Verdict::forbid(what + ", but for " + x + " in [" + number(range->low) + ", " +
                               number(range->high) + "] that is off " + bound + ", and more than " +
                               number(most_ulps) + " are refused");
    }
    return Verdict::allow();
}

std::string ulps_text(double ulps) {
    return number(ulps);
}

std::string forward_text(Invertible f, const std::string &x) {
    switch (f) {
    case Invertible::log: return "log(" + x + ")";
    case Invertible::exp: return "exp(" + x + ")";
    case Invertible::sqrt: return "sqrt(" + x + ")";
    case Invertible::tanh: return "tanh(" + x + ")";
    case Invertible::sigmoid: break;
    }
    return "1 / (1 + exp(-" + x + "))";
}

std::string inverse_text(Invertible f, const std::string &y) {
    switch (f) {
    case Invertible::log: return "exp(" + y + ")";
    case Invertible::exp: return "log(" + y + ")";
    case Invertible::sqrt: return y + "^2";
    case Invertible::tanh: return "log((1 + " + y + ") / (1 - " + y + ")) / 2";
    case Invertible::sigmoid: break;
    }
    return "log(" + y + " / (1 - " + y + "))";
}

}  // namespace eutectic
