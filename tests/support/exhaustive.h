#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fusion/search/completer.h"

namespace eutectic::test {

/** Visits every combination of places for the Funcs of `graph` and of rewrites that the legality of the CPU's
 * rules (rules/rules.h), and of the rewrites' own, allows, whether or not a sequence of steps leads there,
 * with its total. The rewrites are those whose patterns the graph has, and whose rules look at one Func. For
 * graphs of up to seven Funcs beside the inputs; false, with some visited, where there are more than `most`.
 */
bool visit_all(const Graph &graph, Completer &completer, size_t most,
               const std::function<void(const Placements &, Seconds)> &visit);

/** The cheapest of all legal placements. */
struct Cheapest {
    Placements placements;
    Seconds total = 0;
    size_t priced = 0;  ///< how many there are
};

/** The first one with the least total that visit_all() visits; nothing where there are more than `most`. */
std::optional<Cheapest> cheapest_of_all(const Graph &graph, Completer &completer, size_t most = 100000);

/** Where Funcs live in `to` and not in `from`, in graph order: "a root -> block of c, b root -> with c". */
std::string differences(const Graph &graph, const Placements &from, const Placements &to);

}  // namespace eutectic::test
