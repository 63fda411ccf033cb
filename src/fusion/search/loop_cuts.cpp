#include "fusion/search/loop_cuts.h"

#include <algorithm>

namespace eutectic {

namespace {

/** Does a stage that is not cut need no more than masks for it? */
bool masks_do(const NestedStage &stage, const Machine &machine) {
    const std::vector<Part> &parts = stage.work->parts;
    return vector_dim(stage.nest) >= 0 && !tails_by_lanes(stage, machine) &&
           std::all_of(parts.begin(), parts.end(), [](const Part &p) { return p.guarded.empty(); });
}

Seconds run_seconds(const NestedStage &stage, const Machine &machine) {
    return compute_cycles(stage, machine) / machine.hertz;
}

/** The loops of `stage` that no other Func is computed in. Around others stay as they are: they may have
 * boundaries of those to cut out. */
void leave_inner_uncut(const LoopTree &tree, FuncId func, TreeStage &stage) {
    size_t first = 0;
    for (const TreeFunc &f : tree.funcs()) {
        if (f.computed && f.computed->func == func && f.computed->update == stage.update) {
            first = std::max(first, static_cast<size_t>(f.computed->loop) + 1);
        }
    }
    for (size_t l = first; l < stage.loops.size(); l++) {
        stage.loops.set_partitioned(l, is_unrolled(stage.loops[l].kind));
    }
}

}  // namespace

void leave_uncut(const Machine &machine, FusionPlan &plan) {
    leave_uncut(machine, plan.cost().total(), plan.groups);
}

void leave_uncut(const Machine &machine, Seconds run, std::vector<Group> &groups) {
    if (machine.gpu) {
        return;
    }
    const Seconds worth = machine.compile_share * run;  // of a second of compiling
    for (Group &g : groups) {
        for (const NestedStage &stage : g.tree.priced()) {
            const Seconds longer = machine.masked_share * run_seconds(stage, machine);
            if (!masks_do(stage, machine) || longer >= worth * machine.compile_cut_seconds) {
                continue;
            }
            for (TreeStage &own : g.tree.at(stage.work->func).stages) {
                if (own.update == stage.work->update) {
                    leave_inner_uncut(g.tree, stage.work->func, own);
                }
            }
        }
    }
}

}  // namespace eutectic
