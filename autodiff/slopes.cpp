#include "autodiff/slopes.h"

#include "base/user_error.h"

#include <map>
#include <set>
#include <string>

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

using Exprs = std::vector<Expr>;

// Functions of one argument x, with the value v.
CallSlopes of_one(const std::function<Expr(const Expr &x, const Expr &v)> &slope) {
    return [=](const Exprs &args, const Expr &value) { return Exprs{slope(args[0], value)}; };
}

// Of pow(x, y) = value, with pow(x, y - 1) and log(x) by the functions given. 0 by x where y = 0, and by y
// where x = 0 and y >= 0, where the formulas are no numbers.
CallSlopes of_power(Expr (*pow)(Expr, Expr), Expr (*log)(const Expr &)) {
    return [=](const Exprs &a, const Expr &value) {
        const Expr &x = a[0], &y = a[1], zero = make_zero(x.type()), one = make_one(x.type());
        return Exprs{select(y == zero, zero, y * pow(x, y - one)),
                     select(x == zero && y >= zero, zero, value * log(x))};
    };
}

Expr plain_pow(Expr x, Expr y) {
    return pow(std::move(x), std::move(y));
}
Expr plain_log(const Expr &x) {
    return log(x);
}

// By name, without the type.
const std::map<std::string, CallSlopes> &by_name() {
    static const std::map<std::string, CallSlopes> all{
        {"exp", of_one([](const Expr &, const Expr &v) { return v; })},
        {"log", of_one([](const Expr &x, const Expr &) { return 1 / x; })},
        {"sin", of_one([](const Expr &x, const Expr &) { return cos(x); })},
        {"cos", of_one([](const Expr &x, const Expr &) { return -sin(x); })},
        {"tan", of_one([](const Expr &, const Expr &v) { return 1 + v * v; })},
        {"asin", of_one([](const Expr &x, const Expr &) { return 1 / sqrt(1 - x * x); })},
        {"acos", of_one([](const Expr &x, const Expr &) { return -1 / sqrt(1 - x * x); })},
        {"atan", of_one([](const Expr &x, const Expr &) { return 1 / (1 + x * x); })},
        {"sinh", of_one([](const Expr &x, const Expr &) { return cosh(x); })},
        {"cosh", of_one([](const Expr &x, const Expr &) { return sinh(x); })},
        {"tanh", of_one([](const Expr &, const Expr &v) { return 1 - v * v; })},
        {"asinh", of_one([](const Expr &x, const Expr &) { return 1 / sqrt(x * x + 1); })},
        {"acosh", of_one([](const Expr &x, const Expr &) { return 1 / sqrt(x * x - 1); })},
        {"atanh", of_one([](const Expr &x, const Expr &) { return 1 / (1 - x * x); })},
        {"sqrt", of_one([](const Expr &, const Expr &v) { return make_const(v.type(), 0.5) / v; })},
        {"fast_inverse", of_one([](const Expr &, const Expr &v) { return -v * v; })},
        {"fast_inverse_sqrt",
         of_one([](const Expr &, const Expr &v) { return make_const(v.type(), -0.5) * v * v * v; })},
        {"atan2",
         [](const Exprs &a, const Expr &) {
             const Expr square = a[0] * a[0] + a[1] * a[1];
             return Exprs{a[1] / square, -a[0] / square};
         }},
        {"pow", of_power(plain_pow, plain_log)},
        {"fast_exp", of_one([](const Expr &, const Expr &v) { return v; })},
        {"fast_log", of_one([](const Expr &x, const Expr &) { return 1 / x; })},
        {"fast_pow", of_power(fast_pow, fast_log)},
    };
    return all;
}

// Those that Halide has not, or not at the edges.
const std::set<std::string> own_names{"pow", "fast_exp", "fast_log", "fast_pow"};

std::string name_without_type(const Call *call) {
    const size_t suffix = call->name.rfind("_f");
    return suffix == std::string::npos ? call->name : call->name.substr(0, suffix);
}

bool is_extern(const Call *call) {
    return call->call_type == Call::PureExtern || call->call_type == Call::Extern ||
           call->call_type == Call::ExternCPlusPlus;
}

CallSlopes of_strict_arithmetic(const Call *call) {
    const Expr one = make_one(call->type), zero = make_zero(call->type);
    const auto choice = [=](const Expr &first) {
        return Exprs{select(first, one, zero), select(first, zero, one)};
    };
    if (call->is_intrinsic(Call::strict_add)) {
        return [=](const Exprs &, const Expr &) { return Exprs{one, one}; };
    }
    if (call->is_intrinsic(Call::strict_sub)) {
        return [=](const Exprs &, const Expr &) { return Exprs{one, -one}; };
    }
    if (call->is_intrinsic(Call::strict_mul)) {
        return [](const Exprs &a, const Expr &) { return Exprs{a[1], a[0]}; };
    }
    if (call->is_intrinsic(Call::strict_div)) {
        return [=](const Exprs &a, const Expr &v) { return Exprs{one / a[1], -v / a[1]}; };
    }
    if (call->is_intrinsic(Call::strict_max)) {
        return [=](const Exprs &a, const Expr &) { return choice(a[0] >= a[1]); };
    }
    if (call->is_intrinsic(Call::strict_min)) {
        return [=](const Exprs &a, const Expr &) { return choice(a[0] <= a[1]); };
    }
    return nullptr;
}

CallSlopes of_rules(const Call *call, const RuleList &rules) {
    for (const DerivativeRule &rule : rules) {
        if (rule.slopes && is_extern(call) && rule.name == call->name) {
            return rule.slopes;
        }
    }
    return nullptr;
}

}  // namespace

CallSlopes slopes_of(const Call *call, const RuleList &rules) {
    if (CallSlopes own = of_rules(call, rules)) {
        return own;
    }
    const auto found = is_extern(call) ? by_name().find(name_without_type(call)) : by_name().end();
    return found == by_name().end() ? of_strict_arithmetic(call) : found->second;
}

CallSlopes own_slopes_of(const Call *call, const RuleList &rules) {
    const bool is_halides = is_extern(call) && by_name().count(name_without_type(call)) &&
                            !own_names.count(name_without_type(call));
    return is_halides && !of_rules(call, rules) ? nullptr : slopes_of(call, rules);
}

std::vector<Expr> slopes_at(const Call *call, const CallSlopes &slopes, const Expr &value) {
    std::vector<Expr> result = slopes(call->args, value);
    if (result.size() != call->args.size()) {
        throw UserError("The rule for calls of " + call->name + " gives " + std::to_string(result.size()) +
                        " slopes, and the call has " + std::to_string(call->args.size()) +
                        " arguments: give one for each, 0 where there is none.");
    }
    for (Expr &slope : result) {
        slope = substitute_in_all_lets(slope);
    }
    return result;
}

bool is_rounding(const Call *call) {
    static const std::set<std::string> names{"floor", "ceil", "round", "trunc", "nearbyint"};
    return call->is_intrinsic(Call::round) ||
           (call->call_type == Call::PureExtern && names.count(name_without_type(call)) != 0);
}

Expr sign_of(const Expr &x) {
    const Type t = x.type();
    return select(x > make_zero(t), make_one(t), select(x < make_zero(t), make_const(t, -1), make_zero(t)));
}

}  // namespace eutectic
