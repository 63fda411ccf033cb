#pragma once

#include <map>
#include <optional>
#include <vector>

#include "fusion/plan/plan.h"

namespace eutectic {

/** The Func that itself stops dividing when `sum` is divided late: its quotient, if `sum` alone reads that,
 * once. -1 when the quotient has other readers, which keep it (the update of `sum` then reads what the
 * quotient reads), or when the update divides itself. */
FuncId undivided_quotient(const Graph &graph, FuncId sum);

/** The reduction that took over the division of `func`, as placed; -1: func divides as defined. */
FuncId divided_late_in(const Graph &graph, const Placements &placements, FuncId func);

/** Does any Func's sum divide late, so that who reads whom is no longer as in the algorithm? */
bool divides_late(const Placements &placements);

/** Who reads whom as placed: what RewrittenGraph says of edges, without a copy of the graph. */
class PlacedReads {
public:
    PlacedReads(const Graph &algorithm, const Placements &placements);
    /** Stages that read `func`, each once, in order. */
    std::vector<StageId> consumers(FuncId func) const;
    /** What `stage` reads of `func`. */
    std::vector<const Edge *> edges(StageId stage, FuncId func) const;

private:
    const Graph &algorithm_;
    std::map<StageId, const RewrittenBody *> changed_;
};

/** The algorithm with the divisions of `placements` after their reductions: quotients and updates no longer
 * divide, and the pure definition of the reduction has the work and the loads of the division of one point,
 * wherever that is done. */
class RewrittenGraph {
public:
    RewrittenGraph(const Graph &algorithm, const Placements &placements);
    const Graph &get() const {
        return rewritten_ ? *rewritten_ : algorithm_;
    }

private:
    const Graph &algorithm_;
    std::optional<Graph> rewritten_;  // most plans have no such division
};

}  // namespace eutectic
