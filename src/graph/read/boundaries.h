#pragma once

#include <set>
#include <string>
#include <vector>

#include "Halide.h"

namespace eutectic {

/** The trace tag of an output that reads, point by point, an input which has the same memory. No point of it
 * may be computed twice. */
constexpr const char *in_place_tag = "eutectic.in_place";

/** What a user decided about a Func before the plan. */
struct UserSchedule {
    bool loops =
        false;  ///< its loops, or those of Funcs around it, carry directives: they are left as they are
    bool placed = false;            ///< it has a compute level
    std::string own_buffer_reason;  ///< why it stays a buffer of its own, as what follows its name ("is
                                    ///< memoized …"); empty: it need not
};

/** The Funcs of a pipeline in whose loops a user placed or fused others. Loop levels must be locked. */
std::set<std::string> loop_owners(const std::vector<Halide::Internal::Function> &functions);

/** Reads the directives on `f`. Estimates and bounds are none: they say sizes. */
UserSchedule read_user_schedule(const Halide::Internal::Function &f,
                                const std::set<std::string> &loop_owners);

/** The Func in whose loops the user computes `f`; empty: none. */
std::string computed_inside(const Halide::Internal::Function &f);

/** Why no plan may move what `f` computes, as what follows "because"; empty when it may. Extern stages, and
 * calls that may have effects: these are made once for every point, in the order of the loops. (Random
 * numbers are pure: Halide makes each a function of a Func's coordinates when the Func is defined.) */
std::string opaque_because(const Halide::Internal::Function &f);

}  // namespace eutectic
