// The policies for CPUs, in the order in which ties are broken. One more is a file, and its
// lines here (policy.h has those that other policies call).

#include "fusion/policies/policy.h"

namespace eutectic {

/** Rows of the root, as streaming() or block() writes them, in parallel strips, and with each strip partial
 * results of the sums in `with`, over the same rows. Reassociates. */
Offer rows_and_sums(const GroupRequest &request);

/** Reductions whose accumulators stay in registers: a pure Func (the consumer, or a write_tile made for the
 * purpose) is tiled, and the reduction runs to its end inside one tile, or, where that is faster than
 * `request.limit`, to the end of a chunk (cache_block.cpp). Operands that the tile would gather are packed.
 */
Offer register_tile(const GroupRequest &request);

/** A sum of which each row of terms lies along the sums: rows after rows, a few at a time. */
Offer row_by_row(const GroupRequest &request);

/** A reduction to a single value: chunks of its outermost dim in parallel, each a row_reduction.
 * Reassociates. */
Offer full_reduction(const GroupRequest &request);

/** A reduction over a window of fixed size, which is unrolled. */
Offer window(const GroupRequest &request);

/** Any updates: vectors and tasks along the dims that they write at their own coordinates. */
Offer updates(const GroupRequest &request);

/** Updates at coordinates that they compute (histograms): a copy for each task, added up at the end.
 * Reassociates. */
Offer private_copies(const GroupRequest &request);

const std::vector<Policy> &cpu_policies() {
    static const std::vector<Policy> policies = {
        {"rows_and_sums", rows_and_sums},    // rows, and sums over them, strip by strip
        {"block", block},                    // Funcs computed in blocks of the root's loops
        {"streaming", streaming},            // a pass over points
        {"register_tile", register_tile},    // products and other sums of many values
        {"row_reduction", row_reduction},    // sums along contiguous memory
        {"row_by_row", row_by_row},          // sums of rows, which lie as the sums do
        {"full_reduction", full_reduction},  // sums to a single value
        {"window", window},                  // sums over a few points around each
        {"updates", updates},                // any updates, along the dims that they leave alone
        {"private_copies", private_copies},  // histograms
        {"serial", serial, true},            // anything
    };
    return policies;
}

}  // namespace eutectic
