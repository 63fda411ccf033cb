#pragma once

#include <vector>

#include "fusion/rules/rule.h"
#include "fusion/search/completer.h"

namespace eutectic {

/** Takes the legal step that saves most, from `start` on, while one saves anything; where none does, a step
 * of the rules that wait for this, and where none of those does, the one that saves most by taking back what
 * was done. The steps are appended to `planned.taken`, and `planned.weighed` is of the end. Returns where it
 * ends. After a step only moves that change a group which it has changed are priced anew, until none of the
 * others saves anything; where many steps save something, those that save nearly as much as the best are
 * taken with it, in one round. `path` gets the placements after each step. */
Placements descend(const Graph &graph, const std::vector<Rule> &rules, Completer &completer, Placements start,
                   Planned &planned, std::vector<Placements> *path = nullptr);

/** descend(), and once more with prices, at first, as if the allocator kept the pages of all buffers: where
 * it gives back those of several together, taking one of them out of memory saves nothing before the others
 * follow; and where the largest one keeps it from giving back any, taking that out seems to cost what only
 * the others cost. Returns the cheaper end; its steps, in `planned`, have real prices: some may cost what a
 * later one saves. */
Placements descend_twice(const Graph &graph, const std::vector<Rule> &rules, Completer &completer,
                         const Placements &start, Planned &planned);

}  // namespace eutectic
