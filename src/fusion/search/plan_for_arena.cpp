#include "fusion/search/plan_for_arena.h"

#include <algorithm>
#include <utility>

#include "fusion/search/compile_limit.h"
#include "fusion/search/completer.h"
#include "fusion/search/loop_cuts.h"

namespace eutectic {

namespace {

/** Over the family, how many times as long as the other plan it takes at worst; of a family of one by what
 * both cost. */
double worst_loss(const Planned &plan, const std::vector<MemberSeconds> &seconds, const Planned &other,
                  const std::vector<MemberSeconds> &of_other) {
    if (seconds.empty()) {
        return plan.plan.cost().total() / other.plan.cost().total();
    }
    double worst = 0;
    for (size_t m = 0; m < seconds.size(); m++) {
        worst = std::max(worst, seconds[m].seconds / of_other[m].seconds);
    }
    return worst;
}

}  // namespace

void weigh_plan_of_heap(const Graph &graph, const std::vector<Member> &family, const Pins &pins,
                        std::optional<Seconds> limit, const Planned &heaps, Planned &planned,
                        std::vector<MemberSeconds> &seconds) {
    Machine machine = family.front().machine;
    machine.compile_weight = heaps.compile_weight;
    Planned other = heaps;
    other.unfused = planned.unfused;
    other.plan = Completer(graph, machine, pins).plan(heaps.plan.placements);
    count_runs_alone(other.plan);
    leave_uncut(family.front().machine, other.plan);
    const std::vector<MemberSeconds> of_other = hold_on_family(graph, family, pins, limit, other);
    if (worst_loss(other, of_other, planned, seconds) < worst_loss(planned, seconds, other, of_other)) {
        planned = std::move(other);
        seconds = of_other;
    }
}

}  // namespace eutectic
