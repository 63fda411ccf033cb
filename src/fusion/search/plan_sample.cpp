#include "fusion/search/plan_sample.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "fusion/search/completer.h"
#include "fusion/search/moves.h"

namespace eutectic {

namespace {

/** Numbers that follow from the seed alone on every platform, unlike those of the standard library's
 * distributions. */
class Dice {
public:
    explicit Dice(uint64_t seed) : bits_(seed) {
    }
    /** In 0 … 1. */
    double uniform() {
        return static_cast<double>(bits_() >> 11) * 0x1p-53;
    }
    size_t below(size_t n) {
        return static_cast<size_t>(uniform() * static_cast<double>(n));
    }
    bool with_probability(double p) {
        return uniform() < p;
    }
    template<typename T>
    T one_of(std::initializer_list<T> values) {
        return *(values.begin() + below(values.size()));
    }
    /** A factor around 1; its logarithm has a standard deviation of about `spread`. */
    double factor(double spread) {
        return std::exp(spread * (uniform() + uniform() + uniform() + uniform() - 2) * std::sqrt(3.0));
    }

private:
    std::mt19937_64 bits_;
};

/** Allocation and page costs stay: they are not asked of a group's loops, and the price on the true machine
 * takes them over. */
Machine draw_machine(const Machine &machine, bool far, Dice &dice) {
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

/** From every Func at Root, the best move or any, until none saves anything. */
Placements walk(const Graph &graph, const std::vector<Rule> &rules, Completer &completer, bool far,
                Dice &dice) {
    const double stray = far ? 0.6 : 0.15, stop = far ? 0.1 : 0.02;
    Placements now = unfused(graph);
    std::vector<Step> weighed;
    while (!dice.with_probability(stop)) {
        std::vector<Move> all = moves(graph, rules, completer, now, weighed);
        all.erase(std::remove_if(all.begin(), all.end(),
                                 [](const Move &move) { return !std::isfinite(move.step.after); }),
                  all.end());
        if (all.empty()) {
            break;
        }
        const auto best = std::min_element(
            all.begin(), all.end(), [](const Move &a, const Move &b) { return a.step.after < b.step.after; });
        if (dice.with_probability(stray)) {
            now = all[dice.below(all.size())].placements;
        } else if (best->step.after < best->step.before) {
            now = best->placements;
        } else {
            break;
        }
    }
    return now;
}

/** The price of `group`, which was made for `drawn`, on `machine`. */
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

}  // namespace

Planned plan_sample(const Graph &graph, const Machine &machine, const std::vector<Rule> &rules,
                    uint64_t seed) {
    Dice dice(seed);
    const bool far = seed % 4 == 3;
    const Machine drawn = draw_machine(machine, far, dice);
    Completer completer(graph, drawn);
    Planned planned;
    planned.unfused = complete(graph, machine, unfused(graph));
    planned.plan = completer.plan(walk(graph, rules_that(rules, false), completer, far, dice));
    for (Group &group : planned.plan.groups) {
        group.cost = price_on(group, drawn, machine);
    }
    return planned;
}

}  // namespace eutectic
