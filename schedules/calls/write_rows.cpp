// Rows that are written by loops of their own: each side of a choice, and each row of a line.

#include "schedules/rewrites.h"

#include <map>

#include "base/user_error.h"
#include "graph/read/quotients.h"
#include "graph/read/shared.h"
#include "graph/read/two_sides.h"

namespace eutectic {

using namespace Halide;

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
        return substitute_shared(arguments, f_.definition().values()[call->value_index]);
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

Func write_flattened_by_rows(Func y, const std::vector<Func> &inlined, int lanes) {
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
    // Of no columns, the first is asked for, and found missing.
    const Expr width = max(*extent, 1), first = dim.min(), end = first + dim.extent();
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
