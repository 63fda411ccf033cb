#pragma once

#include "graph/data/graph.h"

namespace eutectic {

/** Do the indices of two accesses of one Func differ by known constants alone, as a stencil's? */
bool differ_by_constants(const Access &a, const Access &b);

/** Everything from the first to the last of two such accesses, each of which may be a span itself. */
Access spanning(Access a, const Access &b);

/** Points that one iteration reads between the ends of `span`: one, but for what its halos add. */
double positions(const Access &span);

/** Of so many taps in `span`, those that a compiler reads once each: no more than there are points between
 * the ends. Of quotients it does not know which of them meet, (x / 2) / 2 and ((x + 1) / 2) / 2, say: all. */
double different_taps(const Access &span, double taps);

/** Several accesses as one that spans them. */
struct Taps {
    Access span;
    double count = 1;  ///< different points that an iteration reads of it
};

/** Both together, where they differ by constants and take up at least half of the span: what lies further
 * apart is not read as one piece. Nor is an exact access (the reader's own point), which says more than a
 * span around it. */
std::optional<Taps> together(const Taps &a, const Taps &b);

/** The same points again, or, in a pipeline whose taps are together, a piece with theirs: what a compiler
 * reads once for both. */
std::optional<Taps> joined(const Taps &a, const Taps &b);

/** `graph` with the loads of a pure definition that are together() as one edge: a stencil of n points is one
 * access with a halo instead of n, and stencils of stencils grow with the span, not with the product of their
 * taps. Ids of Funcs and stages are the same. */
Graph with_taps_together(const Graph &graph);

}  // namespace eutectic
