#pragma once

#include <string>

#include "graph/data/graph.h"

namespace eutectic {

/** What one stage does over its whole domain at the estimates, before any fusion. */
struct StageFeatures {
    double points = 0;  ///< evaluations of its right-hand side
    double flops = 0;   ///< adds, multiplies, comparisons, selects, conversions
    double divisions = 0;
    double transcendentals = 0;  ///< exp, log and scalar library calls
    Bytes stored_bytes = 0;      ///< of the Func, all tuple elements; 0 for updates, which write in place
};

/** What one stage reads of one producer. A tile of t points in each of the stage's dims reads, in producer
 * dimension d, sum over dims of |scale[d]| * (t - 1) + 1 + halo[d] points. */
struct EdgeFeatures {
    Table<DimId, Table<DimId, double>> scale;  ///< [producer dimension][dim of the stage]
    Table<DimId, double> halo;                 ///< [producer dimension]
    Bytes loaded_bytes = 0;                    ///< distinct bytes over the stage's whole domain
};

struct Features {
    Table<StageId, StageFeatures> stages;
    Table<EdgeId, EdgeFeatures> edges;
};

Features measure(const Graph &graph);

/** One line a stage below a line of names: stage, func, update (-1: the pure definition), role, dims
 * ("784x128r": innermost first, r a reduction's), points, flops, divisions, transcendentals, loaded_bytes
 * (distinct, over all that it reads), stored_bytes, element_bytes. Names with a comma or a quote are quoted
 * (RFC 4180). */
std::string to_csv(const Graph &graph, const Features &features);

}  // namespace eutectic
