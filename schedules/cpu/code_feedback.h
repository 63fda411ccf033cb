#pragma once

#include "schedules/cpu/emitted_code.h"
#include "schedules/feedback.h"

namespace eutectic {

/** What `feedback=1` does for a CPU: the plan is compiled, and its code is read back. A tile whose inner loop
 * spills, or a loop that goes lane by lane where the plan has vectors, becomes a limit on its like, and
 * `replan` is asked for another plan, until none does, or the plan stays the same, or `most_compiles` were
 * made. Then the plan of the fewest cycles by llvm-mca's model is taken, or, where that counts none, the one
 * that spills least; of equals the first. Without eutectic-read-code the plan stays, and a sentence says so.
 */
Feedback learn_of_code(const Subject &subject, const Planned &first, const Replan &replan);

/** What the plan has an inner loop for. */
struct PlannedLoop {
    std::string nest;             ///< the name of its root
    std::vector<FuncId> members;  ///< of its group
    bool tile = false;            ///< it adds up what a tile of registers holds
    bool vectors = false;         ///< it is in vectors
    int registers = 16;           ///< for vectors, that it was planned with
    double lane_cost = 1;         ///< as in KernelLimit, that it was planned with
};

/** The limit that `loop`, compiled, sets on its like, and a sentence with what was found. Nothing to learn:
 * an empty sentence. */
Lesson lesson_of_loop(const EmittedRegion &loop, const PlannedLoop &planned);

/** Inner loops that take less of their nest's cycles teach nothing. Chosen: a tenth, of which even a loop of
 * twice the time makes little. */
constexpr double least_share_of_nest = 0.1;
/** Lanes that go one by one cost so many times as much at the next plan: as the price has one of them at 1.5
 * to 2.5 cycles, and an insertion with what it waits for takes up to twice that. Chosen. */
constexpr double dearer_lanes = 2;
/** Beyond so many times that, lanes are no reason to plan again. */
constexpr double dearest_lanes = 8;
/** At least so much of an inner loop's instructions goes lane by lane where it is said of it. Chosen. */
constexpr double lanes_of_loop = 0.25;
/** A tile is never asked to do with fewer registers. */
constexpr int fewest_registers = 4;

}  // namespace eutectic
