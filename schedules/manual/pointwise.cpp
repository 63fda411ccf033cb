// Element-wise functions, gathers and scatters of rows, and a sum of everything: one pass over memory in
// parallel tasks, all else inlined.

#include "schedules/manual/pointwise.h"

#include "schedules/manual/contraction.h"
#include "schedules/manual/rows.h"
#include "schedules/manual/schedule.h"

namespace eutectic::manual {

using namespace Halide;

void vectorize_by(Stage stage, const VarOrRVar &inside, int vectors) {
    const VarOrRVar lane("lane", inside.is_rvar);
    stage.split(inside, inside, lane, vectors * vector_floats, TailStrategy::GuardWithIf)
        .vectorize(lane, vector_floats)
        .unroll(lane);
}

void schedule_flat(Func y, const Tuning &tuning, int task_elements) {
    Var task("task"), inside("inside");
    y.compute_root()
        .split(y.args()[0], task, inside, tuning.get("task", task_elements), TailStrategy::GuardWithIf)
        .parallel(task);
    vectorize_by(y, inside, tuning.get("vectors", 1));
}

void schedule_matrix(Func y, const Tuning &tuning, int task_rows) {
    Var task("task");
    const Var j = y.args()[0], i = y.args()[1];
    y.compute_root()
        .split(i, task, i, tuning.get("rows", task_rows), TailStrategy::GuardWithIf)
        .parallel(task);
    vectorize_by(y, j, tuning.get("vectors", 1));
}

void schedule_log1pexp(const Funcs &funcs, const Tuning &tuning) {
    schedule_flat(funcs["y"], tuning, 1 << 16);
}

void schedule_pointwise_chain(const Funcs &funcs, const Tuning &tuning) {
    schedule_flat(funcs["y"], tuning, 1 << 16);
}

void schedule_adam(const Funcs &funcs, const Tuning &tuning) {
    schedule_flat(funcs["out"], tuning, 1 << 15);
}

void schedule_dropout(const Funcs &funcs, const Tuning &tuning) {
    schedule_matrix(funcs["y"], tuning, 16);
}

void schedule_embedding(const Funcs &funcs, const Tuning &tuning) {
    schedule_matrix(funcs["y"], tuning, 64);
}

void schedule_scatter_add(const Funcs &funcs, const Tuning &tuning) {
    // Rows of the table may meet, columns never do.
    Func y = funcs["y"];
    schedule_matrix(y, tuning, 256);
    Var panel("panel"), inside("inside");
    Stage add = y.update();
    const Var j = y.args()[0];
    add.split(j, panel, inside, tuning.get("panel", 256), TailStrategy::GuardWithIf)
        .reorder(inside, y.rvars(0)[0], panel)
        .parallel(panel);
    vectorize_by(add, inside, tuning.get("vectors_add", 1));
}

void schedule_sum_exp(const Funcs &funcs, const Tuning &tuning) {
    Func total = funcs["total"];
    RVar block("block"), inside("inside");
    Var task("task");
    total.compute_root().update().split(total.rvars(0)[0], block, inside, tuning.get("task", 1 << 17),
                                        TailStrategy::GuardWithIf);
    Func partial = total.update().rfactor(block, task);
    partial.compute_root().update().parallel(task);
    schedule_row_reduction(partial, LoopLevel::root(), tuning.get("vectors", 4));
}

}  // namespace eutectic::manual
