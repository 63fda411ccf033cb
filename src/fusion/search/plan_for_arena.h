#pragma once

#include <optional>
#include <vector>

#include "fusion/search/family.h"

namespace eutectic {

/** For a machine with an arena. Where pages have no price, a search that is greedy ends at other plans than
 * where they have one, with more in memory, and now and then at worse ones: kept in tiles for the sake of the
 * pages, a Func saves traffic, too. (Of Harris' corners at 1.07 of the heap's plan by the first processor,
 * twice as long by others; measured, 2.8 times.) `heaps` is what was planned for the same machine without the
 * arena. It takes the place of `planned`, at the arena's prices, if that makes the worst loss of one against
 * the other less, over the family (`seconds` of hold_on_family(), which become its own). What its steps are
 * said to save is what they saved in the heap. */
void weigh_plan_of_heap(const Graph &graph, const std::vector<Member> &family, const Pins &pins,
                        std::optional<Seconds> limit, const Planned &heaps, Planned &planned,
                        std::vector<MemberSeconds> &seconds);

}  // namespace eutectic
