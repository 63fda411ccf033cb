// Operations that only say where elements lie. A row that comes from two places is put together in a buffer
// by a loop for each, so that no element asks where it is from and every load is of 16 neighbours.
//
// flatten's quotients and remainders, by a width known at run time only, are one per element in a loop over
// the flat index: so a loop over x's own coordinates writes the result, and another, which the output's
// definition asks for, copies it.

#include "schedules/manual/contraction.h"
#include "schedules/manual/pointwise.h"
#include "schedules/manual/schedule.h"

namespace eutectic::manual {

using namespace Halide;

namespace {

/// y = f(both) is read through rows of a Func that one loop fills from a, another from b.
void schedule_concatenation(Func y, const Funcs &funcs, const Tuning &tuning) {
    Func a = funcs["a_im"], b = funcs["b_im"], row("row");
    const OutputImageParam out = y.output_buffer();
    const Expr end = input_min(a, 0) + input_extent(a, 0), first = out.dim(0).min(),
               last = out.dim(0).max() + 1, middle = clamp(end, first, last);
    const Var j = y.args()[0], i = y.args()[1];
    const RDom left(first, middle - first, "left"), right(middle, last - middle, "right");
    row(j, i) = undef(a.types()[0]);
    row(left, i) = a(left, i);
    row(right, i) = b(right - end + input_min(b, 0), i);
    y.function().substitute_calls(funcs["both"].function(), row.function());
    schedule_matrix(y, tuning, 64);
    row.compute_at(y, i);
    vectorize_by(row.update(0), left.x, 1);
    vectorize_by(row.update(1), right.x, 1);
}

/// y = f(assigned), assigned = the rows of v where there are any, x's elsewhere: the loop over rows is cut
/// where v begins and ends.
void schedule_assignment(Func y, const Funcs &funcs, const Tuning &tuning) {
    Func assigned = funcs["assigned"], v = funcs["v_im"], x = funcs["x_im"], chosen("chosen");
    const Var j = y.args()[0], i = y.args()[1];
    const auto &range = assigned.function().update().schedule().rvars()[0];
    const Expr first = range.min, last = range.min + range.extent - 1;
    chosen(j, i) = select(likely(i >= first && i <= last), v(j, clamp(i, first, last)), x(j, i));
    y.function().substitute_calls(assigned.function(), chosen.function());
    schedule_matrix(y, tuning, 64);
}

void schedule_flattening(Func y, const Funcs &funcs, const Tuning &tuning) {
    Func x = funcs["x_im"], b = funcs["b_im"], written("written");
    const Expr width = input_extent(x, 0), first = input_min(x, 0), line = input_min(x, 1);
    const RDom r(0, width, 0, input_extent(x, 1));
    Var j = y.args()[0];
    Expr &value = y.function().definition().values()[0];
    written(j) = undef(value.type());
    written(r.x + r.y * width) =
        max(x(first + r.x, line + r.y) + b(input_min(b, 0) + r.x), Internal::make_zero(value.type()));
    value = written(j);
    schedule_flat(y, tuning, 1 << 16);
    RVar task("task"), row("row");
    written.compute_root()
        .update()
        .split(r.y, task, row, 64, TailStrategy::GuardWithIf)
        .allow_race_conditions()
        .parallel(task);
    vectorize_by(written.update(), r.x, tuning.get("vectors", 1));
}

}  // namespace

void schedule_views(const Funcs &funcs, const Tuning &tuning) {
    Func y = funcs["y"];
    if (funcs.has("transposed")) {
        schedule_product(y, funcs["w_im"], true, tuning);
    } else if (funcs.has("both")) {
        schedule_concatenation(y, funcs, tuning);
    } else if (funcs.has("assigned")) {
        schedule_assignment(y, funcs, tuning);
    } else if (funcs.has("flat")) {
        schedule_flattening(y, funcs, tuning);
    } else {
        schedule_matrix(y, tuning, 64);
    }
}

}  // namespace eutectic::manual
