#include "autodiff/derivable.h"

#include "autodiff/expr_tools.h"
#include "autodiff/fast_functions.h"
#include "autodiff/slopes.h"

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

bool holds_leaf(const Expr &e) {
    return !calls_in(e).empty();
}

/// An argument, its value, and the derivative by it.
struct Argument {
    Expr e, value, slope;
};

/// An expression of its arguments with the value v and those derivatives: v + sum of slope * (argument - its
/// value). The differences are 0, and go when leaf and value turn out to be the same.
Expr linearized(const Expr &v, const std::vector<Argument> &arguments) {
    Expr result = v;
    for (const Argument &a : arguments) {
        if (holds_leaf(a.e)) {
            result = Add::make(result, Mul::make(a.slope, Sub::make(a.e, a.value)));
        }
    }
    return result;
}

class FindCalls : public IRGraphVisitor {
public:
    explicit FindCalls(std::function<bool(const Call *)> is_one) : is_one_(std::move(is_one)) {
    }
    bool found = false;

private:
    using IRGraphVisitor::visit;
    void visit(const Call *op) override {
        found = found || is_one_(op);
        IRGraphVisitor::visit(op);
    }
    const std::function<bool(const Call *)> is_one_;
};

class Derivable : public IRGraphMutator {
public:
    Derivable(const Freeze &freeze, const RuleList &rules) : freeze_(freeze), rules_(rules) {
    }

private:
    using IRGraphMutator::visit;

    Expr visit(const Max *op) override {
        return extreme(op, [](const Expr &a, const Expr &b) { return a >= b; });
    }
    Expr visit(const Min *op) override {
        return extreme(op, [](const Expr &a, const Expr &b) { return a <= b; });
    }
    template<typename Op, typename Wins>
    Expr extreme(const Op *op, const Wins &wins) {
        const Expr a = mutate(op->a), b = mutate(op->b);
        if (!op->type.is_float() || !holds_leaf(op->a) || !holds_leaf(op->b)) {
            return Op::make(a, b);
        }
        return select(wins(op->a, op->b), a, b);
    }

    // No gradient passes an integer.
    Expr visit(const Cast *op) override {
        const bool passes = op->type.is_float() && op->value.type().is_float();
        return passes ? IRGraphMutator::visit(op) : hidden(freeze_.leaves(op));
    }
    Expr visit(const Mod *op) override {
        if (!op->type.is_float() || !holds_leaf(op)) {
            return op;
        }
        const Expr x = freeze_.leaves(op->a), y = freeze_.leaves(op->b);
        return linearized(hidden(freeze_.leaves(op)), {{mutate(op->a), hidden(x), make_one(op->type)},
                                                       {mutate(op->b), hidden(y), hidden(-floor(x / y))}});
    }

    Expr visit(const Call *op) override {
        if (!op->type.is_float() || !holds_leaf(op)) {
            return IRGraphMutator::visit(op);
        }
        if (is_rounding(op)) {
            return hidden(freeze_.leaves(op));
        }
        if (op->is_intrinsic(Call::return_second)) {
            return mutate(op->args[1]);
        }
        if (op->is_intrinsic(Call::if_then_else)) {
            return select(op->args[0], mutate(op->args[1]), mutate(op->args[2]));
        }
        if (op->is_intrinsic(Call::abs)) {
            return mutate(op->args[0]) * sign_of(op->args[0]);
        }
        if (op->name == "tanh_f32" || op->name == "tanh_f64") {
            // 1 - 2 / (exp(2x) + 1), clamped where the result is ±1 to the last bit.
            const Type t = op->type;
            const Expr twice =
                clamp(mutate(op->args[0]) * make_const(t, 2), make_const(t, -40), make_const(t, 40));
            return make_one(t) - make_const(t, 2) / (exp(twice) + make_one(t));
        }
        const CallSlopes slopes = own_slopes_of(op, rules_);
        return slopes ? along_slopes(op, slopes) : IRGraphMutator::visit(op);
    }

    Expr along_slopes(const Call *op, const CallSlopes &slopes) {
        const Expr whole = freeze_.leaves(op);
        const Call *call = whole.as<Call>();
        const std::vector<Expr> at = slopes_at(call, slopes, whole);
        std::vector<Argument> arguments;
        for (size_t i = 0; i < op->args.size(); i++) {
            arguments.push_back({mutate(op->args[i]), hidden(call->args[i]), hidden(at[i])});
        }
        return linearized(hidden(whole), arguments);
    }

    // e, whose leaves are values, out of the sight of Halide, which has no derivative of what is in it,
    // though it is not asked for one.
    Expr hidden(const Expr &e) const {
        FindCalls find([&](const Call *call) {
            return call->is_intrinsic(Call::round) ||
                   (call->name.rfind("pow_f", 0) != 0 && own_slopes_of(call, rules_));
        });
        e.accept(&find);
        return find.found ? freeze_.whole(without_fast_calls(e)) : e;
    }

    const Freeze &freeze_;
    const RuleList &rules_;
};

}  // namespace

Expr derivable(const Expr &e, const Freeze &freeze, const RuleList &rules) {
    return without_fast_calls(Derivable(freeze, rules).mutate(with_fast_calls(e)));
}

}  // namespace eutectic
