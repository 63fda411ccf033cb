#include "autodiff/residuals/halide/value_ranges.h"

#include "autodiff/expr_tools.h"
#include "autodiff/rules/match.h"

#include <cmath>

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

std::optional<ValueRange> as_numbers(const Interval &interval) {
    if (!interval.is_bounded()) {
        return std::nullopt;
    }
    const auto low = constant(simplify(interval.min)), high = constant(simplify(interval.max));
    return low && high && *low <= *high ? std::optional(ValueRange{*low, *high}) : std::nullopt;
}

// x, for -x in any way of writing it.
Expr negated(const Expr &e) {
    const std::vector<Term> terms = terms_of(e);
    if (terms.size() == 1 && terms[0].negative) {
        return terms[0].e;
    }
    const Mul *mul = e.as<Mul>();
    return mul && is_constant(mul->b, -1) ? mul->a : mul && is_constant(mul->a, -1) ? mul->b : Expr();
}

// The function and its argument.
std::optional<std::pair<Invertible, Expr>> match(const Expr &body) {
    static const std::vector<std::pair<std::string, Invertible>> functions{{"log", Invertible::log},
                                                                           {"exp", Invertible::exp},
                                                                           {"sqrt", Invertible::sqrt},
                                                                           {"tanh", Invertible::tanh}};
    for (const auto &[name, f] : functions) {
        const Expr x = argument_of(body, name);
        if (x.defined()) {
            return std::pair(f, x);
        }
    }
    const Div *div = body.as<Div>();
    const Expr exponential = div && is_constant(div->a, 1) ? without_constant_term(div->b, 1) : Expr();
    const Expr q = exponential.defined() ? argument_of(exponential, "exp") : Expr(),
               x = q.defined() ? negated(q) : Expr();
    return x.defined() ? std::optional(std::pair(Invertible::sigmoid, x)) : std::nullopt;
}

// Interval arithmetic that also knows functions which rise everywhere: each call of one becomes a variable of
// its range.
class Ranges : public IRGraphMutator {
public:
    explicit Ranges(const FuncValueBounds &known) : known_(known) {
    }
    std::optional<ValueRange> of(const Expr &e) {
        return as_numbers(bounds_of_expr_in_scope(mutate(e), scope_, known_));
    }

private:
    using IRGraphMutator::visit;
    Expr visit(const Call *op) override {
        struct Rising {
            const char *name;
            double (*f)(double);
            double from;  // below this it has no value
        };
        static const Rising functions[] = {{"exp", std::exp, -INFINITY},
                                           {"log", std::log, 0},
                                           {"sqrt", std::sqrt, 0},
                                           {"tanh", std::tanh, -INFINITY}};
        for (const Rising &rising : functions) {
            const Expr x = argument_of(Expr(op), rising.name);
            const auto range = x.defined() ? of(x) : std::nullopt;
            if (range && range->low >= rising.from) {
                const std::string name = unique_name("value");
                scope_.push(name, Interval(make_const(op->type, rising.f(range->low)),
                                           make_const(op->type, rising.f(range->high))));
                return Variable::make(op->type, name);
            }
        }
        return IRGraphMutator::visit(op);
    }

    const FuncValueBounds &known_;
    Scope<Interval> scope_;
};

}  // namespace

std::map<std::pair<std::string, int>, ValueRange>
value_ranges(const std::vector<Function> &order, const std::map<std::string, ValueRange> &of_inputs) {
    std::map<std::pair<std::string, int>, ValueRange> ranges;
    FuncValueBounds known;
    for (const Function &f : order) {
        const Parameter p = input_of(f);
        for (int element = 0; !f.has_update_definition() && f.has_pure_definition() && element < f.outputs();
             element++) {
            const Type type = f.output_types()[element];
            std::optional<ValueRange> range;
            if (p.defined() && of_inputs.count(p.name())) {
                range = of_inputs.at(p.name());
            } else if (!p.defined() && type.is_float()) {
                const Expr body = substitute_in_all_lets(f.values()[element]);
                range = Ranges(known).of(body);
            }
            if (range && type.is_float()) {
                ranges[{f.name(), element}] = *range;
                known[{f.name(), element}] =
                    Interval(make_const(type, range->low), make_const(type, range->high));
            }
        }
    }
    return ranges;
}

std::optional<AppliedFunction> applied_function(const Function &y) {
    if (!is_pure(y) || y.output_types()[0] != Float(32)) {
        return std::nullopt;
    }
    const auto found = match(substitute_in_all_lets(y.values()[0]));
    if (!found || !is_identity_call(found->second, y.args())) {
        return std::nullopt;
    }
    const Function x = callee(found->second.as<Call>());
    return x.outputs() == 1 ? std::optional(AppliedFunction{found->first, x}) : std::nullopt;
}

Expr inverse(Invertible f, const Expr &y) {
    const Expr one = make_one(y.type());
    switch (f) {
    case Invertible::log: return exp(y);
    case Invertible::exp: return log(y);
    case Invertible::sqrt: return y * y;
    case Invertible::tanh: return log((one + y) / (one - y)) / 2;
    case Invertible::sigmoid: break;
    }
    return log(y / (one - y));
}

}  // namespace eutectic
