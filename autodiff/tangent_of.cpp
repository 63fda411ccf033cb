#include "autodiff/tangent_of.h"

#include "autodiff/fast_functions.h"
#include "autodiff/logarithms.h"
#include "autodiff/slopes.h"

#include <map>

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

Expr plus(const Expr &a, const Expr &b) {
    return !a.defined() ? b : !b.defined() ? a : a + b;
}
Expr times(const Expr &slope, const Expr &tangent) {
    return !tangent.defined() || is_const_zero(slope) ? Expr()
           : is_const_one(slope)                      ? tangent
                                                      : slope * tangent;
}
Expr or_zero(const Expr &tangent, const Type &type) {
    return tangent.defined() ? tangent : make_zero(type);
}

/// The tangent of each node once: expressions share their parts.
class TangentOf : public IRVisitor {
public:
    TangentOf(const TangentOfLoad &load, const RuleList &rules) : load_(load), rules_(rules) {
    }

    Expr of(const Expr &e) {
        const auto known = known_.find(e.get());
        if (known != known_.end()) {
            return known->second;
        }
        result_ = Expr();
        if (e.type().is_float()) {
            e.accept(this);
        }
        Expr tangent = result_;
        result_ = Expr();
        known_[e.get()] = tangent;
        return tangent;
    }

private:
    using IRVisitor::visit;

    void visit(const Add *op) override {
        const Expr a = of(op->a), b = of(op->b);
        result_ = plus(a, b);
    }
    void visit(const Sub *op) override {
        const Expr a = of(op->a), b = of(op->b);
        result_ = !b.defined() ? a : a.defined() ? a - b : -b;
    }
    void visit(const Mul *op) override {
        const Expr a = of(op->a), b = of(op->b);
        result_ =
            graph_equal(op->a, op->b) ? times(op->a + op->a, a) : plus(times(op->b, a), times(op->a, b));
    }
    void visit(const Div *op) override {
        const Expr a = of(op->a), b = of(op->b);
        const Expr above = b.defined() ? (a.defined() ? a - Expr(op) * b : -(Expr(op) * b)) : a;
        result_ = above.defined() ? above / op->b : Expr();
    }
    void visit(const Mod *op) override {
        const Expr a = of(op->a), b = of(op->b);
        result_ = plus(a, b.defined() ? -floor(op->a / op->b) * b : Expr());
    }
    void visit(const Max *op) override {
        const bool is_relu = is_const_zero(op->a) || is_const_zero(op->b);
        extreme(op->a, op->b, [=](const Expr &x, const Expr &other, bool alone) {
            return alone && is_relu ? x > other : x >= other;
        });
    }
    void visit(const Min *op) override {
        extreme(op->a, op->b, [](const Expr &x, const Expr &other, bool) { return x <= other; });
    }
    // `wins` says where x is the extreme, with ties; the other may be one that the tangent does not pass.
    void extreme(const Expr &x, const Expr &y,
                 const std::function<Expr(const Expr &x, const Expr &other, bool alone)> &wins) {
        const Expr a = of(x), b = of(y), zero = make_zero(x.type());
        if (a.defined()) {
            result_ = select(wins(x, y, !b.defined()), a, or_zero(b, x.type()));
        } else if (b.defined()) {
            result_ = select(wins(y, x, true), b, zero);
        }
    }
    void visit(const Select *op) override {
        const Expr a = of(op->true_value), b = of(op->false_value);
        if (a.defined() || b.defined()) {
            result_ = select(op->condition, or_zero(a, op->type), or_zero(b, op->type));
        }
    }
    void visit(const Cast *op) override {
        const Expr inner = of(op->value);
        result_ = inner.defined() ? cast(op->type, inner) : Expr();
    }
    void visit(const Call *op) override {
        if (op->call_type == Call::Halide) {
            result_ = load_(op);
        } else if (op->call_type == Call::Image || is_rounding(op)) {
            result_ = Expr();
        } else if (op->is_intrinsic({Call::likely, Call::likely_if_innermost})) {
            const Expr inner = of(op->args[0]);
            result_ = inner.defined() ? Call::make(op->type, op->name, {inner}, op->call_type) : Expr();
        } else if (op->is_intrinsic(Call::return_second)) {
            result_ = of(op->args[1]);
        } else if (op->is_intrinsic(Call::if_then_else)) {
            result_ = of_made(select(op->args[0], op->args[1], op->args[2]));
        } else if (op->is_intrinsic(Call::abs)) {
            result_ = times(sign_of(op->args[0]), of(op->args[0]));
        } else if (op->is_intrinsic(Call::lerp)) {
            const Expr &a = op->args[0], &b = op->args[1], &w = op->args[2];
            result_ = of_made(a * (make_one(op->type) - cast(op->type, w)) + b * cast(op->type, w));
        } else {
            along_slopes(op);
        }
    }

    // Of an expression that stands nowhere, but must while its nodes are known.
    Expr of_made(const Expr &e) {
        made_.push_back(e);
        return of(e);
    }

    void along_slopes(const Call *op) {
        const CallSlopes slopes = slopes_of(op, rules_);
        if (!slopes) {
            return;
        }
        const std::vector<Expr> at = slopes_at(op, slopes, op);
        Expr sum;
        for (size_t i = 0; i < at.size(); i++) {
            sum = plus(sum, times(at[i], of(op->args[i])));
        }
        result_ = std::move(sum);
    }

    const TangentOfLoad &load_;
    const RuleList &rules_;
    std::map<const IRNode *, Expr> known_;
    std::vector<Expr> made_;
    Expr result_;
};

}  // namespace

Expr tangent_of(const Expr &e, const TangentOfLoad &load, const RuleList &rules) {
    const Expr with_calls = with_fast_calls(with_stable_logarithms(substitute_in_all_lets(e)));
    const Expr tangent = TangentOf(load, rules).of(with_calls);
    return tangent.defined() ? without_fast_calls(tangent) : Expr();
}

}  // namespace eutectic
