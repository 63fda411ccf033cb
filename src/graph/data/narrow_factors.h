#pragma once

#include "graph/data/graph.h"

namespace eutectic {

/** A factor of fewer bits than the sum of products that it is in: what reads one Func and nothing else that
 * varies. */
struct NarrowFactorOf {
    FuncId func = -1;
    Access access;     ///< in the stage's dims
    DimId dim = 0;     ///< of `func`, that the sum's dim alone goes along
    int bits = 8;      ///< 8, or 16
    bool sign = true;  ///< some values may be negative
    ExprSummary body;  ///< what computes it of what is loaded
};

/** An update that sums up products of two of them in 32 bits, both of which go along its dim `sum` by itself:
 * what instructions that sum up several products at once are for. */
struct NarrowFactors : Pattern {
    using Pattern::Pattern;

    NarrowFactorOf a, b;
    DimId sum = -1;
};

}  // namespace eutectic
