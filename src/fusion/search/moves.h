#pragma once

#include <vector>

#include "fusion/rules/rule.h"
#include "fusion/search/completer.h"

namespace eutectic {

/** One legal step away from some placements, and where it leads. */
struct Move {
    Step step;
    Placements placements;
    std::vector<FuncId> roots = {};  ///< of the groups that it changes, before or after
    bool priced_before = false;  ///< it was priced before the last step: it may lead elsewhere now, and what
                                 ///< it saves may be another figure
};

class PricedSites;

/** Every legal candidate of every rule around `now` that obeys the completer's pins, priced, in the order in
 * which ties are broken: rules as listed, then sites as matched. What all planners choose from.
 *
 *  `known`, if it is given, has what they were when they were priced before: that is returned of sites that
 * it knows, and what is priced is added.
 *
 *  `weighed` gets one step for each producer that some rule looked at: the refusal, or, if any step was
 * legal, the one that comes nearest to paying. */
std::vector<Move> moves(const Graph &graph, const std::vector<Rule> &rules, Completer &completer,
                        const Placements &now, std::vector<Step> &weighed, PricedSites *known = nullptr);

/** The same at one site where `rule` is legal. `before`: the completer's total of `now`, with which it
 * compares, for speed. */
std::vector<Move> moves_at(const Graph &graph, const Rule &rule, const Site &site, Completer &completer,
                           const Placements &now, Seconds before, std::vector<Step> &weighed);

/** Remembers `step` as the reason why its producer stays, unless the site has a nearer miss already. */
void remember(std::vector<Step> &weighed, const Step &step);

/** Those of `rules` that take back what others did, or those that don't. */
std::vector<Rule> rules_that(const std::vector<Rule> &rules, bool undo);

}  // namespace eutectic
