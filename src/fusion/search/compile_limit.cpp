#include "fusion/search/compile_limit.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "fusion/search/loop_cuts.h"

namespace eutectic {

namespace {

/** What a second of compiling counts as, in seconds of a run: from what no plan of milliseconds changes for,
 * to what leaves nothing but the smallest code. Chosen, not measured: each is one more search where the limit
 * is not kept yet; with finer steps plans come nearer to the limit. */
constexpr double weights[] = {1e-6, 1e-5, 1e-4, 1e-3, 1e-1};

// Where no limit is given: what a person waits for once, and by how much a program may take longer than its
// unfused form before that is the plan's doing. Chosen, not measured; `compile_seconds=` replaces both.
constexpr Seconds generous = 60;
constexpr double generous_ratio = 3;  // times the unfused form's seconds

// Of a run: what is not worth another search. Chosen: less than what any measurement tells apart.
constexpr double least_gain = 0.01;

/** The plan that `search` finds where a second of compiling counts as `weight` of a run. */
Planned search_weighing(Machine machine, double weight, const PlanSearch &search, const Planned &before) {
    machine.compile_weight = weight;
    Planned planned = search(machine, &before);
    planned.compile_weight = weight;
    count_runs_alone(planned.plan);
    count_runs_alone(planned.unfused);
    return planned;
}

/** The plan that is found where seconds of compiling count as a share of the run, if it is better by that.
 * (Kernels for GPUs were not tried.) */
void spare_compiling(const Machine &machine, const PlanSearch &search, Planned &best) {
    const Seconds run = best.plan.cost().total();
    const Seconds compiling = compile_seconds(best.plan, machine);
    if (machine.gpu || machine.compile_share * compiling < least_gain || !std::isfinite(run)) {
        return;
    }
    const double weight = machine.compile_share * run;
    Planned next = search_weighing(machine, weight, search, best);
    const Seconds longer = next.plan.cost().total() - run;
    if (longer < weight * (compiling - compile_seconds(next.plan, machine))) {
        best = std::move(next);
    }
}

}  // namespace

Seconds compile_seconds(const FusionPlan &plan, const Machine &machine) {
    Seconds sum = 0;
    for (const Group &g : plan.groups) {
        sum += compile_seconds(priced_stages(g), machine);
    }
    return sum;
}

Seconds compile_seconds_allowed(const Machine &machine, std::optional<Seconds> asked,
                                const Planned &planned) {
    return asked ? *asked : std::max(generous, generous_ratio * compile_seconds(planned.unfused, machine));
}

void count_runs_alone(FusionPlan &plan) {
    for (Group &g : plan.groups) {
        g.cost.compiling = 0;
    }
}

Planned within_compile_seconds(const Machine &machine, std::optional<Seconds> asked,
                               const PlanSearch &search) {
    const Planned first = search(machine, nullptr);
    Planned best = first;
    spare_compiling(machine, search, best);
    Seconds least = compile_seconds(best.plan, machine);
    const Seconds limit = compile_seconds_allowed(machine, asked, best);
    for (const double weight : weights) {
        if (least <= limit) {
            break;
        }
        Planned next = search_weighing(machine, weight, search, first);
        const Seconds seconds = compile_seconds(next.plan, machine);
        if (seconds < least) {
            least = seconds;
            best = std::move(next);
        }
    }
    leave_uncut(machine, best.plan);
    return best;
}

}  // namespace eutectic
