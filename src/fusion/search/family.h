#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fusion/rules/rule.h"

namespace eutectic {

/** A processor that a plan may run on. */
struct Member {
    std::string name;
    Machine machine;
};

/** What a plan takes on one of them, and what it would take there with the loops that are best for that one
 * alone. */
struct MemberSeconds {
    std::string name;
    Seconds seconds = 0, best = 0;
    /** At least 1. */
    double loss() const {
        return best > 0 ? seconds / best : 1;
    }
};

/** Of a worst loss: what prices do not tell apart, so that other loops than the first processor's have to
 * gain more. (Chosen: of 13 pipelines on an AMD Zen 3 those whose plans gained 1 % by prediction took 0.87
 * to 1.05 of the time.) */
constexpr double least_gain_of_family = 0.05;

/** As many times as long as the best loops on the processor that they were looked at for may others take that
 * are tried on all. (Chosen: twice the loss that is the goal, 0.15.) */
constexpr double most_considered = 1.3;

/** `planned` is a plan for the first of `family`. Its groups get loops for each of the others, and for a
 * processor that has the least of all their caches, and those that policies looked at beside these: each
 * group runs by those of its loops that make the worst
 * loss of the whole plan least, unless the first one's lose nearly as little. Where Funcs live stays as it
 * is, so that nothing is searched for. Costs are those on the first one. `limit`: seconds of
 * compiling, as within_compile_seconds() takes it. Returns what it takes on each; of a family of one, or on a
 * GPU, nothing is changed. */
std::vector<MemberSeconds> hold_on_family(const Graph &graph, const std::vector<Member> &family,
                                          const Pins &pins, std::optional<Seconds> limit, Planned &planned);

/** Of plans of one pipeline, by what hold_on_family() returned of each, the index of the one whose worst loss
 * against the best loops of any of them for a processor is least; the first of equals. */
size_t most_robust(const std::vector<std::vector<MemberSeconds>> &plans);

}  // namespace eutectic
