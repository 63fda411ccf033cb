#include "fusion/search/family.h"

#include <algorithm>
#include <limits>

#include "fusion/search/loop_cuts.h"

namespace eutectic {

namespace {

/** What `plan`, which was made for `own`, takes on `other`. What is not in its loops, as allocating, is the
 * system's and takes as long on each. */
Seconds seconds_on(const FusionPlan &plan, const Machine &own, const Machine &other) {
    Seconds sum = plan.cost().total();
    for (const Group &g : plan.groups) {
        sum += price(g.tree, other).total() - price(g.tree, own).total();
    }
    return sum;
}

}  // namespace

FamilyPlan plan_for_family(const std::vector<Member> &family, std::optional<Seconds> limit,
                           const PlanSearch &search, const PlanSearch &refine) {
    std::vector<Planned> plans = {within_compile_seconds(family.front().machine, limit, search)};
    std::vector<size_t> made_for = {0};
    const Seconds most = std::max(compile_seconds_allowed(family.front().machine, limit, plans[0]),
                                  compile_seconds(plans[0].plan, family.front().machine));
    for (size_t i = 1; i < family.size(); i++) {
        Planned next = search_weighing(family[i].machine, plans[0].compile_weight, refine, plans[0]);
        leave_uncut(family[i].machine, next.plan);
        if (compile_seconds(next.plan, family[i].machine) <= most) {
            plans.push_back(std::move(next));
            made_for.push_back(i);
        }
    }
    // [plan][member]
    std::vector<std::vector<Seconds>> seconds(plans.size());
    std::vector<Seconds> best(family.size(), std::numeric_limits<Seconds>::infinity());
    for (size_t p = 0; p < plans.size(); p++) {
        for (size_t i = 0; i < family.size(); i++) {
            seconds[p].push_back(seconds_on(plans[p].plan, family[made_for[p]].machine, family[i].machine));
            best[i] = std::min(best[i], seconds[p][i]);
        }
    }
    const auto worst = [&](size_t p) {
        double most_lost = 1;
        for (size_t i = 0; i < family.size(); i++) {
            most_lost = std::max(most_lost, best[i] > 0 ? seconds[p][i] / best[i] : 1);
        }
        return most_lost;
    };
    size_t chosen = 0;
    for (size_t p = 1; p < plans.size(); p++) {
        const double least = chosen == 0 ? worst(0) * (1 - least_gain_of_another) : worst(chosen);
        chosen = worst(p) < least ? p : chosen;
    }
    FamilyPlan result{std::move(plans[chosen]), made_for[chosen], {}};
    for (size_t i = 0; i < family.size(); i++) {
        result.members.push_back({family[i].name, seconds[chosen][i], best[i]});
    }
    return result;
}

}  // namespace eutectic
