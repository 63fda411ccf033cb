#pragma once

#include <vector>

#include "graph/data/graph.h"
#include "machine/machine.h"

namespace eutectic {

/** What a compiler taught of one kernel, that it needs more than its estimate says: a limit on all groups
 * whose root is one of its Funcs. */
struct KernelLimit {
    std::vector<FuncId> members;  ///< of the group that was compiled, in graph order
    size_t most_members = 0;      ///< groups that hold more of them than this are not to be
    int registers = -1;  ///< that a thread needs, as estimated where all members are held; each that is in
                         ///< memory is a load more. -1: as many as the device has
    int threads = -1;    ///< of a block; -1: as many as the device allows
    Bytes shared_bytes = -1;  ///< of a block; -1: the same
};

/** `machine` as the group of `root` and `members` (in graph order) may use it: with the limits of its GPU
 * lowered to those that apply. */
Machine within_limits(const Machine &machine, const std::vector<KernelLimit> &limits, FuncId root,
                      const std::vector<FuncId> &members);

}  // namespace eutectic
