#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "apps/eutectic/profiled.h"
#include "schedules/autoschedule.h"

namespace eutectic {

/** One loop nest of the plan, as it ran and as it was predicted. */
struct GroupProfile {
    std::string root;
    std::vector<std::string> members;
    double seconds = 0, predicted_seconds = 0;
    int64_t allocated_bytes = 0;
    int64_t peak_bytes = 0;       ///< without the copies that it reads
    int64_t predicted_bytes = 0;  ///< that its buffer in memory holds; 0 where the caller passes it

    double off() const {
        return std::abs(seconds - predicted_seconds);
    }
};

/** The group in which a Func of the code was computed: that of the longest name that fits; null for none. A
 * copy, FUNC_in_READER, is computed where its reader is. */
GroupProfile *group_of(std::vector<GroupProfile> &groups, const std::string &name);

/** The groups of the plan, in its order. */
std::vector<GroupProfile> predicted(const Scheduled &s);

/** Adds what was measured; what belongs to no group, the allocator and the profiler itself, is returned, with
 * its time. The largest misprediction is first then. */
std::vector<ProfiledFunc> measure_into(std::vector<GroupProfile> &groups, const ProfiledRun &run);

}  // namespace eutectic
