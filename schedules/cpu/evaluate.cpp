#include "schedules/cpu/evaluate.h"

#include <utility>

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

namespace {

/** One node at a time; operands that are not known leave the whole unknown. */
class Evaluator : public IRVisitor {
public:
    explicit Evaluator(const KnownValues &values) : values_(values) {
    }

    Known of(const Expr &e) {
        result_ = Known();
        if (e.defined() && e.type().is_scalar()) {
            e.accept(this);
        }
        return std::exchange(result_, Known());
    }

private:
    const KnownValues &values_;
    KnownValues local_;  ///< what lets inside the expression define
    Known result_;
    using IRVisitor::visit;

    template<typename F>
    void two(const Expr &a, const Expr &b, F &&f) {
        const std::optional<int64_t> x = of(a).number, y = of(b).number;
        result_ = Known();
        if (x && y) {
            result_.number = f(*x, *y);
        }
    }

    void visit(const IntImm *op) override {
        result_.number = op->value;
    }
    void visit(const UIntImm *op) override {
        result_.number = static_cast<int64_t>(op->value);
    }
    void visit(const Variable *op) override {
        const auto local = local_.find(op->name);
        const auto known = values_.find(op->name);
        result_ = local != local_.end() ? local->second : known != values_.end() ? known->second : Known();
    }
    void visit(const Load *) override {
        result_ = Known();
    }
    void visit(const VectorReduce *) override {
        result_ = Known();
    }
    void visit(const Cast *op) override {
        result_ = op->type.is_float() ? Known() : of(op->value);
    }
    void visit(const Reinterpret *op) override {
        result_ = of(op->value);
    }
    void visit(const Add *op) override {
        two(op->a, op->b, [](int64_t a, int64_t b) { return a + b; });
    }
    void visit(const Sub *op) override {
        two(op->a, op->b, [](int64_t a, int64_t b) { return a - b; });
    }
    void visit(const Mul *op) override {
        two(op->a, op->b, [](int64_t a, int64_t b) { return a * b; });
    }
    void visit(const Div *op) override {
        two(op->a, op->b, [](int64_t a, int64_t b) { return div_imp(a, b); });
    }
    void visit(const Mod *op) override {
        two(op->a, op->b, [](int64_t a, int64_t b) { return mod_imp(a, b); });
    }
    void visit(const Min *op) override {
        two(op->a, op->b, [](int64_t a, int64_t b) { return std::min(a, b); });
    }
    void visit(const Max *op) override {
        two(op->a, op->b, [](int64_t a, int64_t b) { return std::max(a, b); });
    }
    void visit(const EQ *op) override {
        two(op->a, op->b, [](int64_t a, int64_t b) { return a == b; });
    }
    void visit(const NE *op) override {
        two(op->a, op->b, [](int64_t a, int64_t b) { return a != b; });
    }
    void visit(const LT *op) override {
        two(op->a, op->b, [](int64_t a, int64_t b) { return a < b; });
    }
    void visit(const LE *op) override {
        two(op->a, op->b, [](int64_t a, int64_t b) { return a <= b; });
    }
    void visit(const GT *op) override {
        two(op->a, op->b, [](int64_t a, int64_t b) { return a > b; });
    }
    void visit(const GE *op) override {
        two(op->a, op->b, [](int64_t a, int64_t b) { return a >= b; });
    }
    void visit(const And *op) override {
        two(op->a, op->b, [](int64_t a, int64_t b) { return a != 0 && b != 0; });
    }
    void visit(const Or *op) override {
        two(op->a, op->b, [](int64_t a, int64_t b) { return a != 0 || b != 0; });
    }
    void visit(const Not *op) override {
        const std::optional<int64_t> a = of(op->a).number;
        result_.number = a ? std::optional<int64_t>(*a == 0) : std::nullopt;
    }
    void visit(const Select *op) override {
        const std::optional<int64_t> condition = of(op->condition).number;
        result_ = condition ? of(*condition != 0 ? op->true_value : op->false_value) : Known();
    }
    void visit(const Let *op) override {
        const Known value = of(op->value);
        const KnownValues before = local_;
        local_[op->name] = value;
        result_ = of(op->body);
        local_ = before;
    }

    void visit(const Call *op) override {
        result_ = Known();
        if (op->is_intrinsic(Call::make_struct)) {
            std::vector<Known> members;
            for (const Expr &e : op->args) {
                members.push_back(of(e));
            }
            result_ = {std::nullopt, std::make_shared<const std::vector<Known>>(std::move(members))};
        } else if (op->is_intrinsic(Call::load_typed_struct_member) && op->args.size() == 3) {
            const Known from = of(op->args[0]);
            const std::optional<int64_t> at = of(op->args[2]).number;
            const bool there = from.members && at && static_cast<size_t>(*at) < from.members->size();
            result_ = there ? (*from.members)[*at] : Known();
        } else if (op->is_intrinsic({Call::likely, Call::likely_if_innermost, Call::promise_clamped,
                                     Call::unsafe_promise_clamped}) &&
                   !op->args.empty()) {
            result_ = of(op->args[0]);
        } else if (op->is_intrinsic(Call::shift_left)) {
            two(op->args[0], op->args[1], [](int64_t a, int64_t b) { return b < 0 ? a >> -b : a << b; });
        } else if (op->is_intrinsic(Call::shift_right)) {
            two(op->args[0], op->args[1], [](int64_t a, int64_t b) { return b < 0 ? a << -b : a >> b; });
        } else if (op->is_intrinsic(Call::bitwise_and)) {
            two(op->args[0], op->args[1], [](int64_t a, int64_t b) { return a & b; });
        } else {
            of_buffer(op);
        }
    }

    /** _halide_buffer_get_extent(a.buffer, 0). */
    void of_buffer(const Call *op) {
        const std::string prefix = "_halide_buffer_get_";
        const Variable *const buffer = op->args.empty() ? nullptr : op->args[0].as<Variable>();
        if (op->name.rfind(prefix, 0) != 0 || !buffer || op->args.size() != 2) {
            return;
        }
        const std::optional<int64_t> dimension = of(op->args[1]).number;
        const std::string end = ".buffer", &name = buffer->name;
        if (dimension && name.size() > end.size()) {
            const auto known =
                values_.find(name.substr(0, name.size() - end.size()) + "." + op->name.substr(prefix.size()) +
                             "." + std::to_string(*dimension));
            result_ = known == values_.end() ? Known() : known->second;
        }
    }
};

}  // namespace

Known evaluate(const Expr &e, const KnownValues &values) {
    return Evaluator(values).of(e);
}

}  // namespace eutectic
