#pragma once

#include <cstdint>
#include <optional>

#include "graph/data/graph.h"

namespace eutectic {

/** The points of one dimension of a Func that a block of an enclosing Func's loops needs, halos included:
 * [min, max] at the first block, `rate` points further on for each point that the block's position advances.
 * Of several loads the hull counts, as in Halide's bounds inference: it allocates and computes boxes. */
struct Region {
    double rate = 0;
    double min = 0, max = 0;
    bool known = true;  ///< false: an index beyond analysis, or one whose offset is not known
    bool fixed = true;  ///< it has as many points whatever the parameters of the pipeline are
};

/** What `index` reads while the loops of its stage are at `loops` (one for each of its dims). Quotients are
 * rounded down: where blocks begin at multiples of the divisor; `anywhere`: at any coordinate, which may be
 * more points. */
Region region_read(const Index &index, const Table<DimId, Region> &loops, bool anywhere = false);

/** The smallest region around both. Endless where they advance at different rates; not known where one is
 * not. */
Region hull(const Region &a, const Region &b);

/** Points in it, at least one and at most `extent`; 1 where it is not known: its footprint says how many. */
int64_t points_of(const Region &region, int64_t extent);

}  // namespace eutectic
