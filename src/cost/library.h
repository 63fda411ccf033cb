#pragma once

#include "cost/cost.h"

namespace eutectic {

/** Rows, columns and terms of a product, of which there are `batch`; of a convolution those of its matrix,
 * which has each element of the operand as often as `windows` hold it. */
struct ProductShape {
    double m = 1, n = 1, k = 1, batch = 1;
    double windows = 1;
};

/** What a library takes for it on one core, by its rates (machine/libraries.h). */
Seconds product_seconds(const ProductShape &shape, int element_bytes, const LibraryRates &rates,
                        const Machine &machine);

/** The same in pieces of rows and columns for all cores, as src/library cuts it, waking threads included. */
Seconds whole_product_seconds(const ProductShape &shape, int element_bytes, const LibraryRates &rates,
                              const Machine &machine);

/** What all calls of the stage take, which is a library's, in cycles of one core; of a call on the whole, in
 * cycles that all cores take together. */
double library_cycles(const NestedStage &stage, const Machine &machine);

}  // namespace eutectic
