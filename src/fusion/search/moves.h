#pragma once

#include <vector>

#include "fusion/rules/rule.h"
#include "fusion/search/completer.h"

namespace eutectic {

/** One legal step away from some placements, and where it leads. */
struct Move {
    Step step;
    Placements placements;
};

/** Every legal candidate of every rule around `now` that obeys the completer's pins, priced, in the order in
 * which ties are broken: rules as listed, then sites as matched. What all planners choose from.
 *
 *  `weighed` gets one step for each producer that some rule looked at: the refusal, or, if any step was
 * legal, the one that comes nearest to paying. */
std::vector<Move> moves(const Graph &graph, const std::vector<Rule> &rules, Completer &completer,
                        const Placements &now, std::vector<Step> &weighed);

/** Those of `rules` that take back what others did, or those that don't. */
std::vector<Rule> rules_that(const std::vector<Rule> &rules, bool undo);

/** Takes the legal step that saves most, from `now` on, while one saves anything; where none does, a step of
 * the rules that wait for this, and where none of those does, the one that saves most by taking back what was
 * done. The steps are appended to `planned.taken`, and `planned.weighed` is of the end. Returns where it
 * ends. In pipelines of more than 128 Funcs, steps that save nearly as much as the best and have nothing to
 * do with it or with each other are taken with it, in one round: those of a chain's layers. `path` gets the
 * placements after each step. */
Placements descend(const Graph &graph, const std::vector<Rule> &rules, Completer &completer, Placements now,
                   Planned &planned, std::vector<Placements> *path = nullptr);

/** descend(), and once more with prices, at first, as if the allocator kept the pages of all buffers: where
 * it gives back those of several together, taking one of them out of memory saves nothing before the others
 * follow. Returns the cheaper end; its steps, in `planned`, have real prices: some may cost what a later one
 * saves. */
Placements descend_twice(const Graph &graph, const std::vector<Rule> &rules, Completer &completer,
                         const Placements &start, Planned &planned);

}  // namespace eutectic
