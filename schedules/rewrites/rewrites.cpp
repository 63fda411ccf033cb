#include "schedules/rewrites.h"

#include <algorithm>
#include <map>

#include "base/user_error.h"
#include "graph/read/assigned_region.h"
#include "graph/read/late_divisor.h"
#include "graph/read/quotients.h"
#include "graph/read/row_divisor.h"
#include "graph/read/shared.h"
#include "graph/read/two_sides.h"

namespace eutectic {

using namespace Halide;

namespace {

/** Quotients by `divisor` become products with `reciprocal`. */
class Multiply : public Internal::IRGraphMutator {
public:
    Multiply(const Expr &divisor, const Expr &reciprocal) : divisor_(divisor), reciprocal_(reciprocal) {
    }

private:
    const Expr &divisor_, &reciprocal_;
    using IRGraphMutator::visit;

    Expr visit(const Internal::Div *op) override {
        const bool same = Internal::graph_equal(op->b, divisor_);
        return same ? mutate(op->a) * reciprocal_ : IRGraphMutator::visit(op);
    }
};

}  // namespace

namespace {

/** `property` is "extent" or "min". */
Expr input_size(const Func &input, const std::string &property, int dim) {
    const Internal::Call *load = nullptr;
    if (input.defined() && !input.is_extern() && input.function().has_pure_definition()) {
        load = input.function().definition().values()[0].as<Internal::Call>();
    }
    if (!load || load->call_type != Internal::Call::Image) {
        throw UserError("The " + property + " of " + input.name() +
                        " was asked for as that of an input, but it wraps no buffer: pass the Func that the "
                        "input is called through.");
    }
    if (!load->param.defined()) {
        return property == "min" ? load->image.dim(dim).min() : load->image.dim(dim).extent();
    }
    return Internal::Variable::make(Int(32), load->param.name() + "." + property + "." + std::to_string(dim),
                                    load->param);
}

}  // namespace

Expr input_extent(const Func &input, int dim) {
    return input_size(input, "extent", dim);
}

Expr input_min(const Func &input, int dim) {
    return input_size(input, "min", dim);
}

Func multiply_by_reciprocal(Func y) {
    const std::optional<Expr> divisor = row_divisor(y.function());
    if (!divisor) {
        throw UserError("A reciprocal was asked for in " + y.name() +
                        ", which divides by nothing that its innermost dimension leaves unchanged: "
                        "choose a pure Func that divides by one number per row.");
    }
    std::vector<Var> args;
    for (const Var &arg : y.args()) {
        if (Internal::expr_uses_var(*divisor, arg.name())) {
            args.push_back(arg);
        }
    }
    Func reciprocal(y.name() + "_reciprocal");
    reciprocal(args) = Internal::make_one(divisor->type()) / *divisor;
    Expr &value = y.function().definition().values()[0];
    value = with_lets(Multiply(*divisor, reciprocal(args)).mutate(without_lets(value)));
    return reciprocal;
}

namespace {

class MultiplyForQuotients : public Internal::IRGraphMutator {
    using IRGraphMutator::visit;

    /** floor(a / |b|), 0 where b is 0. */
    static Expr floor_quotient(const Expr &a, const Expr &b) {
        const Expr a_var = Internal::Variable::make(Int(32), "dividend");  // strict_float() walks every path
        const Expr b_var = Internal::Variable::make(Int(32), "divisor");
        const Expr one = Internal::make_one(Float(64)), zero = Internal::make_zero(Float(64));
        const Expr inverse = select(b_var == 0, zero, one / abs(cast<double>(b_var)));
        const Expr quotient = cast<int32_t>(floor(strict_float((cast<double>(a_var) + Expr(0.5)) * inverse)));
        return substitute_shared({{"dividend", a}, {"divisor", b}}, quotient);
    }

    Expr visit(const Internal::Div *op) override {
        const Expr same = IRGraphMutator::visit(op);
        if (!divides_by_run_time_number(op)) {
            return same;
        }
        const Expr a = mutate(op->a), quotient = floor_quotient(a, op->b);
        return unsafe_promise_clamped(select(op->b < 0, -quotient, quotient), same, same);
    }

    Expr visit(const Internal::Mod *op) override {
        const Expr same = IRGraphMutator::visit(op);
        if (!divides_by_run_time_number(op)) {
            return same;
        }
        const Expr a = mutate(op->a), quotient = floor_quotient(a, op->b);
        const Expr product = select(op->b < 0, -quotient, quotient) * op->b;
        return unsafe_promise_clamped(select(op->b == 0, 0, a - product), same, same);
    }
};

void multiply_for_quotients(Internal::Definition &definition) {
    MultiplyForQuotients rewrite;
    const auto change = [&](Expr &e) {
        if (!run_time_quotients({e}).empty()) {
            e = with_lets(rewrite.mutate(without_lets(e)));
        }
    };
    std::for_each(definition.values().begin(), definition.values().end(), change);
    std::for_each(definition.args().begin(), definition.args().end(), change);
    change(definition.predicate());
}

}  // namespace

void multiply_for_quotients(Func f) {
    multiply_for_quotients(f.function().definition());
    for (int u = 0; u < f.num_update_definitions(); u++) {
        multiply_for_quotients(f.function().update(u));
    }
}

void rename_loop(Func f, int dim, const std::string &name) {
    const std::string old = f.args().at(static_cast<size_t>(dim)).name();
    Internal::StageSchedule &schedule = f.function().definition().schedule();
    for (Internal::Dim &loop : schedule.dims()) {
        if (loop.var == old) {
            loop.var = name;
            schedule.splits().push_back(
                {old, name, "", 1, false, TailStrategy::RoundUp, Internal::Split::RenameVar});
            schedule.touched() = true;
            return;
        }
    }
    throw UserError("The loop over " + old + " of " + f.name() + " was to be called " + name +
                    ", but is split or renamed already: rename it first.");
}

namespace {

/** What f.in() is of, over f's own arguments. */
Func wrapped(Func f, const Expr &value) {
    Func wrapper = f.in();
    std::map<std::string, Expr> arguments;
    for (size_t d = 0; d < wrapper.args().size(); d++) {
        arguments[f.args()[d].name()] = wrapper.args()[d];
    }
    wrapper.function().definition().values()[0] = Internal::substitute(arguments, with_lets(value));
    return wrapper;
}

/** Of the sum `c`, in the Func `quotient` alone or wherever it is. */
LateDivisor divisor_of(const Func &c, const std::string &quotient) {
    const std::optional<LateDivisor> late = late_divisor(c.function(), quotient);
    if (!late) {
        throw UserError("A division after the sum was asked for in " + c.name() +
                        (quotient.empty() ? "" : ", of what " + quotient + " divides") +
                        ", but it adds no product with a divisor or a factor that its reduction variables "
                        "leave unchanged: choose a Func with one "
                        "update f(i) += e(k, i) / s(i) * v(k).");
    }
    if (!late->from_zero) {
        throw UserError("A division after the sum was asked for in " + c.name() +
                        ", which does not start at 0, so that its start would be divided too: "
                        "start it at 0 and add the rest where it is read.");
    }
    return *late;
}

}  // namespace

Func divide_after_reduction(Func c) {
    const LateDivisor late = divisor_of(c, "");
    c.function().update().values()[0] = with_lets(late.undivided);
    return wrapped(c, late.apply(c(c.args())));
}

Func divide_after_reduction(Func c, Func quotient) {
    const LateDivisor late = divisor_of(c, quotient.name());
    quotient.function().definition().values()[0] = with_lets(late.numerator);
    return wrapped(c, late.apply(c(c.args())));
}

Func choose_assigned(Func f) {
    const std::optional<Expr> chosen = assigned_region(f.function());
    if (!chosen) {
        throw UserError("A choice instead of an assignment was asked for in " + f.name() +
                        ", which is no pure Func with one update that writes a slice of it: "
                        "choose a Func f(j, i) = x(j, i), f(j, r) = v(j, r).");
    }
    return wrapped(f, *chosen);
}

namespace {

/** Marks `var`, where a minimum or maximum keeps it in a range. */
class LikelyInRange : public Internal::IRGraphMutator {
public:
    explicit LikelyInRange(const std::string &var) : var_(var) {
    }

private:
    const std::string &var_;
    using IRGraphMutator::visit;

    template<typename T>
    Expr mark(const T *op) {
        const bool first = Internal::expr_uses_var(op->a, var_),
                   second = Internal::expr_uses_var(op->b, var_);
        if (op->type != Int(32) || first == second) {
            return IRGraphMutator::visit(op);
        }
        return first ? T::make(likely(mutate(op->a)), op->b) : T::make(op->a, likely(mutate(op->b)));
    }
    Expr visit(const Internal::Min *op) override {
        return mark(op);
    }
    Expr visit(const Internal::Max *op) override {
        return mark(op);
    }
};

/** The update `u` of a Func that it writes at different points in every turn, in vectors along `r`. */
void vectorize_along(Func f, int u, const RVar &r, int lanes) {
    if (lanes > 1) {
        const RVar outer(r.name() + "_o"), inner(r.name() + "_i");
        f.update(u)
            .allow_race_conditions()
            .split(r, outer, inner, lanes, TailStrategy::GuardWithIf)
            .vectorize(inner);
    } else {
        f.update(u).unscheduled();
    }
}

class ReplaceEqual : public Internal::IRGraphMutator {
public:
    ReplaceEqual(const Expr &from, const Expr &to) : from_(numbers_(from)), to_(to) {
    }
    using IRGraphMutator::mutate;

    Expr mutate(const Expr &e) override {
        return numbers_(e) == from_ ? to_ : IRGraphMutator::mutate(e);
    }

private:
    ValueNumbers numbers_;
    const int from_;
    const Expr &to_;
};

}  // namespace

Func put_rows_together(Func f, Func output, int width) {
    const std::optional<TwoSides> sides = two_sides(f.function());
    if (!sides) {
        throw UserError(
            "Rows were to be put together in " + f.name() +
            ", which does not choose between two loads by its innermost dimension: choose a pure Func "
            "y(j, i) = select(j < end, a(j, i), b(j - end, i)).");
    }
    const auto dim = output.output_buffers()[0].dim(0);
    const Expr first = dim.min(), last = first + dim.extent(), end = clamp(sides->end, first, last);
    const RDom left(first, end - first, "left"), right(end, last - end, "right");
    const std::vector<Var> args = f.args();
    Func row(f.name() + "_row");
    std::vector<Expr> at(args.begin(), args.end());
    row(args) = undef(sides->choice.type());
    const auto write = [&](const RVar &r, const Expr &value) {
        at[0] = r;
        row(at) = LikelyInRange(r.name()).mutate(substitute_shared({{args[0].name(), r}}, value));
    };
    write(left.x, sides->left);
    write(right.x, sides->right);
    vectorize_along(row, 0, left.x, width);
    vectorize_along(row, 1, right.x, width);
    Expr &value = f.function().definition().values()[0];
    const Expr read = row(args);
    value = with_lets(ReplaceEqual(sides->choice, read).mutate(without_lets(value)));
    return row;
}

namespace {

/** The pure Func's values where it is called. (Halide's own inlining needs loop levels that are locked, as in
 * lowering.) */
class TakeIn : public Internal::IRGraphMutator {
public:
    explicit TakeIn(const Internal::Function &f) : f_(f) {
    }

private:
    const Internal::Function &f_;
    using IRGraphMutator::visit;

    Expr visit(const Internal::Call *op) override {
        const Expr same = IRGraphMutator::visit(op);
        const Internal::Call *call = same.as<Internal::Call>();
        if (!call || call->call_type != Internal::Call::Halide || call->name != f_.name()) {
            return same;
        }
        std::map<std::string, Expr> arguments;
        for (size_t d = 0; d < call->args.size(); d++) {
            arguments[f_.args()[d]] = call->args[d];
        }
        return substitute_shared(arguments, f_.definition().values()[static_cast<size_t>(call->value_index)]);
    }
};

/** Of a point of a line: j / width is its row, j % width its column. */
class RowAndColumn : public Internal::IRGraphMutator {
public:
    RowAndColumn(const std::string &j, const Expr &row, const Expr &column, const Expr &point)
        : j_(j), row_(row), column_(column), point_(point) {
    }

private:
    const std::string &j_;
    const Expr &row_, &column_, &point_;
    using IRGraphMutator::visit;

    Expr visit(const Internal::Div *op) override {
        return divides_by_run_time_number(op) ? row_ : IRGraphMutator::visit(op);
    }
    Expr visit(const Internal::Mod *op) override {
        return divides_by_run_time_number(op) ? column_ : IRGraphMutator::visit(op);
    }
    Expr visit(const Internal::Variable *op) override {
        return op->name == j_ ? point_ : Expr(op);
    }
};

}  // namespace

Func write_line_by_rows(Func y, const std::vector<Func> &inlined, int lanes) {
    Expr value = y.function().definition().values()[0];
    for (const Func &f : inlined) {
        value = without_lets(TakeIn(f.function()).mutate(value));
    }
    const std::vector<Var> args = y.args();
    std::vector<std::string> names;
    for (const Var &arg : args) {
        names.push_back(arg.name());
    }
    const std::optional<Expr> extent = line_width(names, {value});
    if (!extent) {
        throw UserError("A line was to be written row by row in " + y.name() +
                        ", which does not divide its innermost coordinate, and nothing else, by one number "
                        "known at run time: "
                        "choose a pure output y(j) = x(j % width, j / width).");
    }
    const auto dim = y.output_buffers()[0].dim(0);
    const Expr width = max(*extent, 1), first = dim.min(),
               end = first + dim.extent();  // of no columns, the first is asked for, and found missing
    // Whole rows, and what there is of the rows before and after them.
    const Expr whole = (first + width - 1) / width, past = end / width, begin = min(whole * width, end),
               last_row = (end - 1) / width;
    const RDom rows(0, width, whole, max(past - whole, 0), "rows"), head(first, begin - first, "head"),
        tail(max(past * width, begin), end - max(past * width, begin), "tail");
    Func line(y.name() + "_line");
    std::vector<Expr> at(args.begin(), args.end());
    line(args) = undef(value.type());
    const auto write = [&](const Expr &row, const Expr &column, const Expr &point) {
        at[0] = unsafe_promise_clamped(point, first, end - 1);
        line(at) = RowAndColumn(args[0].name(), row, column, point).mutate(value);
    };
    write(rows.y, rows.x, rows.x + rows.y * width);
    write(first / width, head - first / width * width, head);
    write(last_row, tail - last_row * width, tail);
    vectorize_along(line, 0, rows.x, lanes);
    vectorize_along(line, 1, head.x, lanes);
    vectorize_along(line, 2, tail.x, lanes);
    const RVar task("task"), in_task("in_task");
    line.update(0)
        .allow_race_conditions()
        .split(rows.y, task, in_task, 16, TailStrategy::GuardWithIf)
        .parallel(task);
    y.function().definition().values()[0] = line(args);
    return line;
}

}  // namespace eutectic
