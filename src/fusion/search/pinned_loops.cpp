#include "fusion/search/pinned_loops.h"

#include <algorithm>

#include "base/user_error.h"
#include "fusion/search/compile_limit.h"
#include "fusion/search/completer.h"
#include "fusion/search/drawn_machine.h"
#include "fusion/search/loop_cuts.h"

namespace eutectic {

namespace {

Group &group_of(const Graph &graph, const Pins &pins, FusionPlan &plan, FuncId root) {
    const auto at =
        std::find_if(plan.groups.begin(), plan.groups.end(), [&](const Group &g) { return g.root == root; });
    if (at == plan.groups.end()) {
        throw UserError(
            "The pins in " + pins.source + " ask for other loops of " + graph.funcs[root].name +
            ", which has no nest of its own in this plan: pin it \"root\", too, or leave its loops "
            "out.");
    }
    return *at;
}

/** The loops of `root`'s nest that are best on `drawn`. */
Group loops_on(const Graph &graph, const Machine &drawn, const Pins &pins, const Placements &placements,
               FuncId root) {
    FusionPlan plan = Completer(graph, drawn, pins).plan(placements);
    count_runs_alone(plan);
    Machine run_alone = drawn;
    run_alone.compile_weight = 0;
    leave_uncut(run_alone, plan);
    return group_of(graph, pins, plan, root);
}

}  // namespace

void take_pinned_loops(const Graph &graph, const Machine &machine, const Pins &pins, Planned &planned) {
    if (pins.loops.empty()) {
        return;
    }
    if (machine.gpu) {
        throw UserError("The pins in " + pins.source + " ask for other loops, but kernels of " +
                        machine.gpu->name + " have those that are best by its price: leave \"loops\" out.");
    }
    for (const auto &[root, seed] : pins.loops) {
        Group &group = group_of(graph, pins, planned.plan, root);
        Dice dice(seed);
        Machine drawn = drawn_machine(machine, false, dice);
        drawn.compile_weight = planned.compile_weight;
        Group other = loops_on(graph, drawn, pins, planned.plan.placements, root);
        other.cost = price_on(other, drawn, machine);
        group = std::move(other);
    }
    number_made(graph, planned.plan);
}

bool has_pinned_loops(const Pins &pins, FuncId root) {
    return std::any_of(pins.loops.begin(), pins.loops.end(),
                       [&](const auto &of) { return of.first == root; });
}

}  // namespace eutectic
