#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fusion/rules/rule.h"
#include "fusion/search/completer.h"

namespace eutectic {

/** Visits every combination of places for the Funcs of `graph` and of rewrites that the legality of the CPU's
 * rules (rules/rules.h), and of the rewrites' own, allows, whether or not a sequence of steps leads there,
 * with its total. The rewrites are those whose patterns the graph has, and whose rules look at one Func. For
 * graphs of up to seven Funcs beside the inputs; false, with some visited, where there are more than `most`,
 * or so few of what is looked at are legal that there might be. Only what keeps to the completer's pins. */
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

/** Legal placements that search=exhaustive prices: some ten seconds at 0.1 ms each, most of whose groups are
 * remembered. */
constexpr size_t most_of_all = 100000;

/** search=exhaustive: the plan with the cheapest of all legal placements that keep to the pins, whatever
 * steps may lead there; for experiments, on CPUs. Throws UserError where there are more than most_of_all. */
Planned plan_exhaustive(const Graph &graph, const Machine &machine, const Pins &pins = {});

}  // namespace eutectic
