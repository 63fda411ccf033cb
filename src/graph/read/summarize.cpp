// Work of an expression, by operation.

#include "graph/read/quotients.h"
#include "graph/read/read_expr.h"
#include "graph/read/shared.h"
#include "graph/read/vector_functions.h"

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

namespace {

/** The variables in expressions; each node is met once over all of them. */
class Variables : public IRGraphVisitor {
public:
    explicit Variables(std::set<std::string> &names) : names_(names) {
    }

    void add(const Expr &e) {
        include(e);
    }

protected:
    using IRGraphVisitor::visit;

    void visit(const Variable *op) override {
        names_.insert(op->name);
    }

private:
    std::set<std::string> &names_;
};

/** The variables in an expression itself, not in where it reads. */
class CoordinatesOf : public Variables {
public:
    using Variables::Variables;

private:
    using Variables::visit;

    void visit(const Call *op) override {
        if (op->call_type != Call::Halide && op->call_type != Call::Image) {
            IRGraphVisitor::visit(op);
        }
    }
};

/** Counts operations; stops at loads, whose indices are integer arithmetic that loops strength-reduce. */
class Summarize : public IRVisitor {
public:
    ExprSummary sum;
    std::set<std::string> guarding;

    explicit Summarize(bool functions_in_vectors) : functions_in_vectors_(functions_in_vectors) {
    }

    void count(const Expr &e) {
        include(e);
        while (!open_.empty()) {
            const Expr next = open_.back();
            open_.pop_back();
            next.accept(this);
        }
    }

private:
    bool functions_in_vectors_;
    // By value: a compiler computes what is equal once, and a pipeline that was read from a file shares no
    // nodes.
    ValueNumbers numbers_;
    std::set<int> seen_;
    Contains varies_{is_varying};
    Variables in_guards_{guarding};
    CoordinatesOf in_choices_{guarding};
    std::vector<Expr> open_;  // what is still to be counted: expressions may be deeper than the stack

    void include(const Expr &e) {
        if (e.defined() && seen_.insert(numbers_(e)).second && varies_(e)) {
            open_.push_back(e);
        }
    }
    using IRVisitor::visit;

    /** `n` of `kind`, on values of the wider of two types. */
    void add(double &kind, double n, const Type &a, const Type &b) {
        kind += n;
        sum.operand_bytes += n * std::max(a.bytes(), b.bytes());
    }

    template<typename T>
    void binary(const T *op, double cost = 1) {
        add(sum.flops, cost, op->type, op->a.type());
        if (op->a.type().is_float() && op->a.type().bits() == 16) {
            sum.add_typed(TypedOperation::half_float, cost);
        }
        include(op->a);
        include(op->b);
    }
    /** A constant of which processors shift instead. */
    static bool is_shift(const Expr &e) {
        return is_const_power_of_two_integer(e).has_value();
    }
    /** Of 64-bit integers, does it come out of 32 bits? Vectors have such products of them. */
    static bool is_widened(const Expr &e) {
        const Cast *cast = e.as<Cast>();
        return is_const(e) || (cast && cast->value.type().bits() <= 32);
    }
    void visit(const Add *op) override {
        binary(op);
    }
    void visit(const Sub *op) override {
        binary(op);
    }
    void visit(const Mul *op) override {
        binary(op);
        const bool integer = op->type.is_int() || op->type.is_uint();
        const bool halves = op->type.bits() == 64 && is_widened(op->a) && is_widened(op->b);
        if (integer && !halves && !is_shift(op->a) && !is_shift(op->b)) {
            sum.add_typed(of_integers(TypedOperation::multiply_8, op->type.bytes()), 1);
        }
    }
    void visit(const Min *op) override {
        binary(op);
    }
    void visit(const Max *op) override {
        binary(op);
    }
    void visit(const EQ *op) override {
        binary(op);
    }
    void visit(const NE *op) override {
        binary(op);
    }
    void visit(const LT *op) override {
        binary(op);
    }
    void visit(const LE *op) override {
        binary(op);
    }
    void visit(const GT *op) override {
        binary(op);
    }
    void visit(const GE *op) override {
        binary(op);
    }
    void visit(const And *op) override {
        binary(op);
    }
    void visit(const Or *op) override {
        binary(op);
    }
    /** What a division by `divisor` costs because of its type. */
    void add_divided(const Type &type, const Expr &divisor) {
        if (type.is_float()) {
            if (type.bits() == 64 && !is_const(divisor)) {
                sum.add_typed(TypedOperation::double_divide, 1);
            }
        } else if (is_const(divisor) && !is_shift(divisor)) {
            sum.add_typed(of_integers(TypedOperation::divide_by_constant_8, type.bytes()), 1);
        } else if (!is_const(divisor)) {
            sum.add_typed(of_integers(TypedOperation::integer_divide_8, type.bytes()), 1);
        }
    }
    void visit(const Mod *op) override {
        if (divides_by_run_time_number(op)) {
            binary(op, 0);
            return;
        }
        binary(op, is_shift(op->b) ? 1 : 2);
        if (!is_const(op->b)) {
            add(sum.divisions, 1, op->type, op->type);
        }
        add_divided(op->type, op->b);
    }
    void visit(const Div *op) override {
        if (divides_by_run_time_number(op)) {
            include(op->a);
            return;
        }
        add(is_const(op->b) ? sum.flops : sum.divisions, 1, op->type, op->type);
        add_divided(op->type, op->b);
        include(op->a);
        include(op->b);
    }
    static bool is_likely(const Expr &e) {
        const Call *call = e.as<Call>();
        return call && call->is_intrinsic({Call::likely, Call::likely_if_innermost});
    }
    void visit(const Select *op) override {
        for (const Expr &choice : {op->true_value, op->false_value}) {
            if (is_likely(choice)) {
                guard(op, choice);
                return;
            }
        }
        add(sum.flops, 1, op->type, op->type);
        in_choices_.add(op->condition);  // what is not chosen may not even be required
        include(op->condition);
        include(op->true_value);
        include(op->false_value);
    }
    /** What is not `usual` is needed at the ends of loops only: partitioning (Halide's PartitionLoops) takes
     * the question out of all other iterations. */
    void guard(const Select *op, const Expr &usual) {
        Summarize ends(functions_in_vectors_);
        ends.count(op->condition);
        sum.guards += ends.sum.flops + ends.sum.guards + 1;
        in_guards_.add(op->condition);
        guarding.insert(ends.guarding.begin(), ends.guarding.end());
        include(usual);
    }
    void visit(const Cast *op) override {
        const Type &from = op->value.type();
        add(sum.flops, 1, op->type, from);
        const Type &integer = op->type.is_float() ? from : op->type;
        if (op->type.is_float() != from.is_float() && integer.bits() == 64) {
            sum.add_typed(TypedOperation::long_conversion, 1);
        }
        include(op->value);
    }
    void visit(const Let *op) override {
        include(op->value);
        include(op->body);
    }
    void visit(const Call *op) override {
        if (op->call_type == Call::Halide || op->call_type == Call::Image) {
            return;
        }
        const std::string &n = op->name;
        const auto starts = [&](const char *prefix) { return n.rfind(prefix, 0) == 0; };
        const bool narrow = op->type.is_float() && op->type.bits() <= 32;
        const Type &widest = op->args.empty() ? op->type : op->args[0].type();
        const auto calls = [&](double &kind, double times = 1) { add(kind, times, op->type, widest); };
        const double in_vectors = functions_in_vectors_ ? vector_function_work(n) : 0;
        if (in_vectors > 0) {
            calls(sum.transcendentals, in_vectors);
        } else if (starts("exp_") || starts("log_") || starts("fast_inverse_sqrt") || n == "halide_exp" ||
                   n == "halide_log") {
            calls(narrow ? sum.transcendentals : sum.libm_calls);
        } else if (starts("pow_")) {
            calls(narrow ? sum.transcendentals : sum.libm_calls, narrow ? 2 : 1);
        } else if (starts("sqrt_")) {
            calls(sum.divisions);
            sum.add_typed(
                op->type.bits() == 64 ? TypedOperation::double_square_root : TypedOperation::square_root, 1);
        } else if (op->call_type == Call::PureExtern || op->call_type == Call::Extern) {
            const bool cheap = starts("floor") || starts("ceil") || starts("round") || starts("trunc") ||
                               starts("abs") || starts("is_");
            calls(cheap ? sum.flops : sum.libm_calls);
        } else if (op->is_intrinsic(Call::mux)) {  // one choice after the other
            calls(sum.flops, static_cast<double>(op->args.size()) - 2);
        } else if (!op->is_intrinsic(
                       {Call::likely, Call::likely_if_innermost, Call::return_second, Call::undef})) {
            calls(sum.flops);
        }
        for (const Expr &a : op->args) {
            include(a);
        }
    }
};

}  // namespace

ExprSummary summarize(const Expr &e, std::set<std::string> *guarding, bool functions_in_vectors) {
    Summarize s(functions_in_vectors);
    s.count(e);
    if (guarding) {
        guarding->insert(s.guarding.begin(), s.guarding.end());
    }
    return s.sum;
}

}  // namespace eutectic
