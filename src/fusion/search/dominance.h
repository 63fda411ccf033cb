#pragma once

#include "fusion/rules/rule.h"
#include "fusion/search/completer.h"

namespace eutectic {

/** Takes the steps that need no price, all at once: a pure Func whose every point is read at one place, by
 * pure Funcs over the same points that are (or are being) inlined into one nest, is inlined there. Nothing is
 * computed twice, a pass over memory is saved, and long chains of pointwise Funcs become the few Funcs that
 * are worth a search. Patterns that rewrites or policies look for stay.
 *
 *  The nest into which each Func is inlined; itself for Funcs that stay, -1 for inputs and what is not at
 * Root. */
Table<FuncId, FuncId> dominating_nests(const Graph &graph, const Pins &pins, const Placements &start);

/** `graph` with what dominating_nests() inlines as a part of its readers: the same Funcs with the same ids,
 * but nothing reads those that are inlined, nothing goes over them again, and no rule moves them. */
Graph collapsed(const Graph &graph, const Table<FuncId, FuncId> &nests);

/** Inlines them. One step for each nest is appended to `taken`, with all that goes into it. */
Placements take_dominating(const Graph &graph, Completer &completer, const Table<FuncId, FuncId> &nests,
                           const Placements &start, std::vector<Step> &taken);

/** Where planners begin, and the pipeline as they see it. */
struct SearchSpace {
    Graph graph;
    Placements start;
};

/** What is pinned is done (pinned_start.h), and what dominates, where `rules` may inline. The steps are
 * appended to `taken`. */
SearchSpace search_space(const Graph &graph, Completer &completer, const std::vector<Rule> &rules,
                         std::vector<Step> &taken);

}  // namespace eutectic
