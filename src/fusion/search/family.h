#pragma once

#include <string>
#include <vector>

#include "fusion/search/compile_limit.h"

namespace eutectic {

/** A processor that a plan may run on. */
struct Member {
    std::string name;
    Machine machine;
};

/** What a plan takes on one of them, and what the best plan that was found for that one takes there. */
struct MemberSeconds {
    std::string name;
    Seconds seconds = 0, best = 0;
    /** At least 1. */
    double loss() const {
        return best > 0 ? seconds / best : 1;
    }
};

/** A plan for a whole family. */
struct FamilyPlan {
    Planned planned;
    size_t planned_for = 0;              ///< of the family, the one whose best plan it is
    std::vector<MemberSeconds> members;  ///< in the family's order
};

/** Funcs in the groups that the search for each but the first may look for loops of, so that planning for a
 * family takes little longer than for one. (Chosen: products, rows, gradients of up to three layers and
 * single stencils end with 10 to 400; a camera's 33 Funcs would take 4,000 to 11,000, four times the time of
 * the first search, for plans that are 1 % faster on one of four.) */
constexpr size_t most_members_of_another = 600;

/** Of a worst loss: what prices do not tell apart, so that a plan for another processor than the first has to
 * gain more. (Chosen: of 13 pipelines on an AMD Zen 3 those whose plans gained 1 % by prediction took 0.87
 * to 1.05 of the time.) */
constexpr double least_gain_of_another = 0.05;

/** Of the best plans for each of `family`, the one whose worst loss on any of them is least; that for the
 * first, unless another's is less by `least_gain_of_another`. The first is searched for as a whole within
 * `limit` seconds of compiling (within_compile_seconds()); `refine`, the search for each of the others,
 * begins at what that found, and what would take longer to compile than the limit is left out. Nothing in
 * `family` may have a GPU: kernels are planned for one device. */
FamilyPlan plan_for_family(const std::vector<Member> &family, std::optional<Seconds> limit,
                           const PlanSearch &search, const PlanSearch &refine);

}  // namespace eutectic
