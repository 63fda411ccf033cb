#pragma once

// What the rewrites that the planner chooses find in definitions. Tests write it down, too.

#include "fusion/rewrite.h"

namespace eutectic {

/** 1 / s(i), once for a row that it divides. */
const Rewrite &reciprocal_rewrite();
/** A sum of quotients, divided as a whole. */
const Rewrite &late_division_rewrite();
/** A sum in one pass with the maximum that scales its terms. */
const Rewrite &online_sum_rewrite();
/** A choice between two sources along rows, as a loop for each. */
const Rewrite &row_choice_rewrite();
/** A line of rows, written row by row. */
const Rewrite &line_rewrite();

/** A pure definition divides by something that its innermost dim does not change. */
struct RowDivision : Pattern {
    explicit RowDivision(DimFlags dims) : Pattern(reciprocal_rewrite()), changes(std::move(dims)) {
    }
    DimFlags changes;  ///< the dims that change what it divides by
};

/** An update f += e(k) / s * v(k) whose divisor (or factor) s no reduction variable changes: the sum of e * v
 * may be divided instead. */
struct LateDivision : Pattern {
    LateDivision() : Pattern(late_division_rewrite()) {
    }
    FuncId quotient = -1;     ///< the pure Func e / s that the update reads; -1: the update divides itself
    bool from_zero = false;   ///< f starts at 0: dividing its values is the same algebra
    RewrittenBody numerator;  ///< quotient's definition, without the division
    RewrittenBody undivided;  ///< the update without the division, which it does not read quotient for
    RewrittenBody division;   ///< f / s, at one point of f
};

/** An update s += exp(v(k) - m) * w(k), m the maximum of v over the same k: both can be had in one pass
 * (graph/read/online_sum.h). */
struct OnlineUpdate : Pattern {
    OnlineUpdate() : Pattern(online_sum_rewrite()) {
    }
    FuncId maximum = -1;   ///< m, of the same dims
    RewrittenBody update;  ///< of the pair, over the dims of this update: it loads what v and w load, and no
                           ///< maximum
    ExprSummary merge;     ///< of two pairs as one
};

/** A pure definition chooses between two loads by its innermost dim, as a concatenation does
 * (graph/read/two_sides.h). */
struct TwoSidesOfRows : Pattern {
    TwoSidesOfRows() : Pattern(row_choice_rewrite()) {
        in_pieces = 0;
    }
};

/** What a pure definition divides by a number known at run time only is its innermost dim, and the number is
 * this buffer dimension's extent: the points of rows, one row after the other. */
struct LineOfRows : Pattern {
    explicit LineOfRows(const BufferDim &columns) : Pattern(line_rewrite()), width(columns) {
    }
    BufferDim width;
};

/** The Func that itself stops dividing when `sum` is divided late: its quotient, if `sum` alone reads that,
 * once. -1 when the quotient has other readers, which keep it (the update of `sum` then reads what the
 * quotient reads), or when the update divides itself. */
FuncId undivided_quotient(const Graph &graph, FuncId sum);

}  // namespace eutectic
