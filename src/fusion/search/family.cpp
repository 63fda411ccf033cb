#include "fusion/search/family.h"

#include <algorithm>
#include <functional>
#include <future>
#include <limits>

#include "fusion/search/compile_limit.h"
#include "fusion/search/completer.h"
#include "fusion/search/loop_cuts.h"
#include "fusion/search/pinned_loops.h"

namespace eutectic {

namespace {

/** The first of `family` with no more of any cache, or of what goes with it, than the others have. */
Machine with_least_caches(const std::vector<Member> &family) {
    Machine least = family.front().machine;
    for (const Member &member : family) {
        const Machine &m = member.machine;
        least.l1.bytes = std::min(least.l1.bytes, m.l1.bytes);
        least.l2.bytes = std::min(least.l2.bytes, m.l2.bytes);
        least.l3.bytes = std::min(least.l3.bytes, m.l3.bytes);
        least.conflict_ways = std::min(least.conflict_ways, m.conflict_ways);
        least.near_pages = std::min(least.near_pages, m.near_pages);
        least.mapped_pages = std::min(least.mapped_pages, m.mapped_pages);
    }
    return least;
}

/** The loops that one group may run by, and what it takes with each on each processor. */
struct Alternatives {
    std::vector<Group> groups;                  ///< costs are those on the first processor
    std::vector<std::vector<Seconds>> seconds;  ///< by group and processor
    std::vector<Seconds> compiling;
    size_t chosen = 0;

    /** `group` was made for `own`. What is not in its loops, as allocating, is the system's and takes as long
     * on each. */
    void add(Group group, const Machine &own, const std::vector<Member> &family) {
        const Cost there = price(group.tree, own);
        const Seconds beside = group.cost.total() - there.total();
        std::vector<Seconds> on_each;
        for (const Member &member : family) {
            const Cost here = price(group.tree, member.machine);
            on_each.push_back(here.total() + beside);
            if (&member == &family.front()) {
                group.cost.compute += here.compute - there.compute;
                group.cost.memory += here.memory - there.memory;
                group.cost.idle += here.idle - there.idle;
                group.cost.launch += here.launch - there.launch;
            }
        }
        compiling.push_back(compile_seconds(priced_stages(group), family.front().machine));
        groups.push_back(std::move(group));
        seconds.push_back(std::move(on_each));
    }

    /** On processor `member`, with its best loops for that. */
    Seconds least(size_t member) const {
        Seconds least = std::numeric_limits<Seconds>::infinity();
        for (const std::vector<Seconds> &of : seconds) {
            least = std::min(least, of[member]);
        }
        return least;
    }
};

/** The groups of one plan with loops for one machine. */
struct LookedAt {
    std::vector<Group> best;
    std::vector<std::vector<Group>> others;  ///< of each group, those that take not much longer
};

/** On a thread of its own: what a graph and placements look up once, each has for itself. */
LookedAt look(const Graph graph, Machine machine, const Pins &pins,  // NOLINT: a copy
              const Placements placements, double compile_weight) {  // NOLINT
    machine.compile_weight = compile_weight;
    LookedAt found;
    FusionPlan plan = Completer(graph, machine, pins).plan(placements, found.others);
    count_runs_alone(plan);
    machine.compile_weight = 0;
    leave_uncut(machine, plan);
    for (size_t g = 0; g < plan.groups.size(); g++) {
        std::vector<Group> &others = found.others[g];
        leave_uncut(machine, plan.cost().total(), others);
        const Seconds longest = most_considered * plan.groups[g].cost.total();
        const auto is_longer = [&](const Group &of) { return of.cost.total() - of.cost.compiling > longest; };
        others.erase(std::remove_if(others.begin(), others.end(), is_longer), others.end());
        for (Group &of : others) {
            of.cost.compiling = 0;
        }
    }
    found.best = std::move(plan.groups);
    return found;
}

/** Which loops the groups run by. */
class Choice {
public:
    Choice(std::vector<Alternatives> groups, size_t members, Seconds beside, Seconds most_compiling)
        : groups_(std::move(groups)), best_(members, beside), beside_(beside), most_(most_compiling) {
        for (size_t m = 0; m < members; m++) {
            for (const Alternatives &g : groups_) {
                best_[m] += g.least(m);
            }
        }
    }

    Seconds seconds(size_t member) const {
        Seconds sum = beside_;
        for (const Alternatives &g : groups_) {
            sum += g.seconds[g.chosen][member];
        }
        return sum;
    }
    Seconds best(size_t member) const {
        return best_[member];
    }
    double worst_loss() const {
        double worst = 1;
        for (size_t m = 0; m < best_.size(); m++) {
            worst = std::max(worst, best_[m] > 0 ? seconds(m) / best_[m] : 1);
        }
        return worst;
    }

    /** Takes, group by group, what makes the worst loss least, while anything does; nothing of it where it
     * gains too little. */
    void improve() {
        const double first = worst_loss();
        double worst = first;
        for (bool better = true; better;) {
            better = false;
            for (Alternatives &g : groups_) {
                const size_t before = g.chosen;
                size_t best = before;
                for (size_t a = 0; a < g.groups.size(); a++) {
                    g.chosen = a;
                    const double loss = worst_loss();
                    if (loss < worst && compiling() <= most_) {
                        best = a;
                        worst = loss;
                    }
                }
                g.chosen = best;
                better = better || best != before;
            }
        }
        if (worst > first * (1 - least_gain_of_family)) {
            for (Alternatives &g : groups_) {
                g.chosen = 0;
            }
        }
    }

    std::vector<Group> take() {
        std::vector<Group> taken;
        for (Alternatives &g : groups_) {
            taken.push_back(std::move(g.groups[g.chosen]));
        }
        return taken;
    }

private:
    std::vector<Alternatives> groups_;
    std::vector<Seconds> best_;
    Seconds beside_, most_;

    Seconds compiling() const {
        Seconds sum = 0;
        for (const Alternatives &g : groups_) {
            sum += g.compiling[g.chosen];
        }
        return sum;
    }
};

}  // namespace

std::vector<MemberSeconds> hold_on_family(const Graph &graph, const std::vector<Member> &family,
                                          const Pins &pins, std::optional<Seconds> limit, Planned &planned) {
    if (family.size() < 2 || family.front().machine.gpu) {
        return {};
    }
    const Seconds most = compile_seconds_allowed(family.front().machine, limit, planned);
    FusionPlan &plan = planned.plan;
    std::vector<Alternatives> groups(plan.groups.size());
    std::vector<FuncId> roots;
    for (size_t g = 0; g < groups.size(); g++) {
        roots.push_back(plan.groups[g].root);
        groups[g].add(std::move(plan.groups[g]), family.front().machine, family);
    }
    std::vector<Machine> others = {with_least_caches(family)};
    for (const Member &member : family) {
        others.push_back(member.machine);
    }
    std::vector<std::future<LookedAt>> for_others;
    for (const Machine &machine : others) {
        for_others.push_back(std::async(std::launch::async, look, graph, machine, std::cref(pins),
                                        plan.placements, planned.compile_weight));
    }
    for (size_t m = 0; m < others.size(); m++) {
        LookedAt looked_at = for_others[m].get();
        for (size_t g = 0; g < groups.size(); g++) {
            if (has_pinned_loops(pins, roots[g])) {
                continue;
            }
            groups[g].add(std::move(looked_at.best[g]), others[m], family);
            for (Group &of : looked_at.others[g]) {
                groups[g].add(std::move(of), others[m], family);
            }
        }
    }
    Choice choice(std::move(groups), family.size(), plan.trimming, most);
    choice.improve();
    std::vector<MemberSeconds> members;
    for (size_t m = 0; m < family.size(); m++) {
        members.push_back({family[m].name, choice.seconds(m), choice.best(m)});
    }
    plan.groups = choice.take();
    number_made(graph, plan);
    return members;
}

size_t most_robust(const std::vector<std::vector<MemberSeconds>> &plans) {
    const auto worst_loss = [&](const std::vector<MemberSeconds> &of) {
        double worst = 1;
        for (size_t m = 0; m < of.size(); m++) {
            Seconds best = of[m].best;
            for (const std::vector<MemberSeconds> &other : plans) {
                best = std::min(best, other[m].best);
            }
            worst = std::max(worst, best > 0 ? of[m].seconds / best : 1);
        }
        return worst;
    };
    size_t least = 0;
    for (size_t p = 1; p < plans.size(); p++) {
        least = worst_loss(plans[p]) < worst_loss(plans[least]) ? p : least;
    }
    return least;
}

}  // namespace eutectic
