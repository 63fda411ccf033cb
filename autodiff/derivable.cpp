#include "autodiff/derivable.h"

#include "autodiff/expr_tools.h"

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

bool holds_leaf(const Expr &e) {
    return !calls_in(e).empty();
}

// An expression of its arguments with the value v and the derivative that `slopes` say: v + sum of slope *
// (argument - its value). The differences are 0, and go when leaf and value turn out to be the same.
struct Slope {
    Expr argument, value, slope;
};
Expr linearized(const Expr &v, const std::vector<Slope> &slopes) {
    Expr result = v;
    for (const Slope &s : slopes) {
        result = Add::make(result, Mul::make(s.slope, Sub::make(s.argument, s.value)));
    }
    return result;
}

class Derivable : public IRGraphMutator {
public:
    explicit Derivable(const std::function<Expr(const Expr &)> &frozen) : frozen_(frozen) {
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

    Expr visit(const Call *op) override {
        const Expr e = IRGraphMutator::visit(op);
        const Call *call = e.as<Call>();
        if (!call || !call->type.is_float() || !holds_leaf(e)) {
            return e;
        }
        const Type t = call->type;
        if (call->is_intrinsic(Call::abs)) {
            const Expr x = op->args[0],
                       sign = select(x > make_zero(t), make_one(t),
                                     select(x < make_zero(t), make_const(t, -1), make_zero(t)));
            return call->args[0] * sign;
        }
        if (call->name == "tanh_f32" || call->name == "tanh_f64") {
            // 1 - 2 / (exp(2x) + 1), clamped where the result is ±1 to the last bit.
            const Expr twice = clamp(call->args[0] * make_const(t, 2), make_const(t, -40), make_const(t, 40));
            return make_one(t) - make_const(t, 2) / (exp(twice) + make_one(t));
        }
        if (call->name == "pow_f32" || call->name == "pow_f64") {
            return power(op, call);
        }
        return e;
    }

    Expr power(const Call *op, const Call *call) {
        const Type t = op->type;
        const Expr x = frozen_(op->args[0]), y = frozen_(op->args[1]), zero = make_zero(t);
        std::vector<Slope> slopes;
        if (holds_leaf(op->args[0])) {
            slopes.push_back({call->args[0], x, select(y == zero, zero, y * pow(x, y - make_one(t)))});
        }
        if (holds_leaf(op->args[1])) {
            slopes.push_back({call->args[1], y, select(x == zero && y >= zero, zero, pow(x, y) * log(x))});
        }
        return linearized(pow(x, y), slopes);
    }

    const std::function<Expr(const Expr &)> &frozen_;
};

}  // namespace

Expr derivable(const Expr &e, const std::function<Expr(const Expr &)> &frozen) {
    return Derivable(frozen).mutate(e);
}

}  // namespace eutectic
