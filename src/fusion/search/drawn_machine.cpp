#include "fusion/search/drawn_machine.h"

#include <algorithm>

#include "fusion/search/completer.h"

namespace eutectic {

Machine drawn_machine(const Machine &machine, bool far, Dice &dice) {
    Machine m = machine;
    const double spread = far ? 1.2 : 0.4;
    for (double *rate :
         {&m.vector_ops_per_cycle, &m.fma_latency_cycles, &m.loads_per_cycle, &m.broadcasts_per_cycle,
          &m.stores_per_cycle, &m.store_forwarding_cycles, &m.loop_cycles, &m.division_cycles, &m.exp_cycles,
          &m.libm_seconds, &m.gather_cycles_per_lane, &m.l1.bytes_per_second, &m.l2.bytes_per_second,
          &m.l3.bytes_per_second, &m.memory_bytes_per_second, &m.task_seconds, &m.launch_seconds}) {
        *rate *= dice.factor(spread);
    }
    for (CacheLevel *level : {&m.l1, &m.l2, &m.l3}) {
        level->bytes = std::max<Bytes>(
            1024, static_cast<Bytes>(static_cast<double>(level->bytes) * dice.factor(2 * spread)));
    }
    m.vector_registers = std::max(
        2, static_cast<int>(m.vector_registers * dice.one_of({1.0, 1.0, 0.75, 0.5, far ? 0.25 : 0.6})));
    m.vector_bits = std::max(32, static_cast<int>(m.vector_bits * dice.one_of({1.0, 1.0, 1.0, far ? 2.0 : 1.0,
                                                                               0.5, far ? 0.125 : 1.0})));
    // More cores make smaller tasks; where launching costs a great deal, there are none.
    m.cores *= dice.one_of({1, 1, 1, 2, 3, 5, 16, far ? 64 : 7});
    m.launch_seconds *= dice.with_probability(far ? 0.2 : 0.05) ? 1e4 : 1;
    return m;
}

Cost price_on(const Group &group, const Machine &drawn, const Machine &machine) {
    const std::vector<NestedStage> stages = priced_stages(group);
    Cost cost = price(group.tree, machine);
    // Beside what price() says there are allocations, in parallel where the loops are.
    const Seconds allocations = group.cost.launch - price(group.tree, drawn).launch;
    const bool parallel = !stages.empty() && !stages.front().nest.loops.empty() &&
                          stages.front().nest.loops.front().kind == Loop::Kind::parallel;
    cost.launch +=
        std::max(0.0, allocations) * (parallel ? static_cast<double>(drawn.cores) / machine.cores : 1);
    return cost;
}

Seconds priced_anew(const Graph &graph, const FusionPlan &plan, const Machine &machine) {
    const FusionPlan best = Completer(graph, machine).plan(plan.placements);
    if (machine.gpu) {
        return best.cost().total();
    }
    Seconds sum = best.trimming;
    for (const Group &there : best.groups) {
        sum += there.cost.total();
        const auto group = std::find_if(plan.groups.begin(), plan.groups.end(),
                                        [&](const Group &g) { return g.root == there.root; });
        if (group != plan.groups.end() && !group->tree.empty() && !there.tree.empty()) {
            sum += price(group->tree, machine).total() - price(there.tree, machine).total();
        }
    }
    return sum;
}

}  // namespace eutectic
