// The yardsticks of the bench (apps/bench/yardsticks.cpp): as much memory traffic, or as many multiply-adds,
// as the machine can do.

#include "schedules/manual/contraction.h"
#include "schedules/manual/schedule.h"

namespace eutectic::manual {

using namespace Halide;

void schedule_stream(const Funcs &funcs, const Tuning &tuning) {
    Func y = funcs["y"];
    const Var i = y.args()[0];
    Var task("task"), inside("inside");
    y.compute_root()
        .split(i, task, inside, tuning.get("task", 1 << 18), TailStrategy::GuardWithIf)
        .parallel(task);
    y.vectorize(inside, vector_floats).unroll(inside, tuning.get("unroll", 1));
}

void schedule_fma_peak(const Funcs &funcs, const Tuning &) {
    Func y = funcs["y"], sum = funcs["sum"];
    const Var j = y.args()[0], t = y.args()[1];
    // All sums of a task, whose number the generator knows; a vector may be two registers.
    y.compute_root().vectorize(j, vector_floats).unroll(j).parallel(t);
    sum.compute_at(y, t).vectorize(sum.args()[0], vector_floats).unroll(sum.args()[0]);
    sum.update()
        .reorder(sum.args()[0], sum.rvars(0)[0])
        .vectorize(sum.args()[0], vector_floats)
        .unroll(sum.args()[0]);
}

}  // namespace eutectic::manual
