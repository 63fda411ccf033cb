#pragma once

#include <vector>

#include "graph/data/graph.h"
#include "machine/machine.h"

namespace eutectic {

/** What a compiler taught of one kernel, or of one nest on a CPU, that it needs more than its estimate says:
 * a limit on all groups whose root is one of its Funcs. */
struct KernelLimit {
    std::vector<FuncId> members;  ///< of the group that was compiled, in graph order
    size_t most_members = 0;      ///< groups that hold more of them than this are not to be
    int registers = -1;  ///< that a thread needs, as estimated where all members are held; each that is in
                         ///< memory is a load more. -1: as many as the device has
    int threads = -1;    ///< of a block; -1: as many as the device allows
    Bytes shared_bytes = -1;    ///< of a block; -1: the same
    int vector_registers = -1;  ///< on a CPU, that its tiles may take; -1: as many as there are
    double lane_cost = 1;  ///< on a CPU: how many times as dear as estimated lanes are that go one by one

    /** Is it about loops alone, and not about what a kernel holds? */
    bool of_loops() const {
        return vector_registers >= 0 || lane_cost > 1;
    }
};

/** `machine` as the group of `root` and `members` (in graph order) may use it: with the limits of its GPU, or
 * its registers, lowered to those that apply. */
Machine within_limits(const Machine &machine, const std::vector<KernelLimit> &limits, FuncId root,
                      const std::vector<FuncId> &members);

}  // namespace eutectic
