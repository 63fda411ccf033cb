// The policies for GPUs, in the order in which ties are broken. One more is a file, and its
// lines here (gpu.h has those that other policies call).

#include "fusion/policies/gpu/gpu.h"

namespace eutectic {

/** Any Func, alone: a kernel for each of its stages, a thread for each point or for several, reductions in a
 * loop inside the thread. Dims that an update computes its coordinates of are no loops; what has no other is
 * run by one thread. */
Offer gpu_points(const GroupRequest &request);

/** A pure Func alone that reads another with its first dim along one of its own further dims: square tiles,
 * turned in shared memory. */
Offer gpu_turned(const GroupRequest &request);

/** The same for a root whose rows lie along its first dim, where everything in `blocked` has one value for
 * each row: partial results go from lane to lane of a warp, and through shared memory only from warp to warp.
 */
Offer gpu_warps(const GroupRequest &request);

/** A reduction to a single value: chunks of its outermost dim, each summed up by a block of threads, then the
 * sum of these, in the same order at every run. Reassociates. */
Offer gpu_chunks(const GroupRequest &request);

/** A scatter, or a reduction of Tuples, alone: chunks of its terms with a copy of all results each, then
 * their sum, in the same order at every run. */
Offer gpu_copies(const GroupRequest &request);

/** A scatter of integers alone, into as many results as a block's shared memory has room for: each block adds
 * up a chunk of the terms there, and the sums to the results. */
Offer gpu_shared_copies(const GroupRequest &request);

const std::vector<Policy> &gpu_policies() {
    static const std::vector<Policy> policies = {
        {"gpu_points", gpu_points, true},      // a thread for each point
        {"gpu_turned", gpu_turned},            // transposes by tiles in shared memory
        {"gpu_contraction", gpu_contraction},  // products and other sums in registers
        {"gpu_shared_tile", gpu_shared_tile},  // the same of operands in shared memory
        {"gpu_block", gpu_block},              // rows of the root, and what they need, by a block of threads
        {"gpu_warps", gpu_warps},              // the same, sums from lane to lane
        {"gpu_registers", gpu_registers},      // the same, rows in registers
        {"gpu_chunks", gpu_chunks},            // sums to a single value
        {"gpu_split_sum", gpu_split_sum},      // long sums of few points
        {"gpu_copies", gpu_copies},            // scatters
        {"gpu_shared_copies", gpu_shared_copies},  // the same of integers, into a few results
    };
    return policies;
}

}  // namespace eutectic
