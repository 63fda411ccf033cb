#pragma once

#include <functional>
#include <vector>

namespace eutectic {

/// Seconds of one run, many times over, for about `seconds` and at least five times: after a few runs that
/// wake the thread pool and fill the caches; what takes less than 50 us is repeated within a sample.
/// `cpu_time`: the process's CPU seconds instead of those that pass for everyone, which repeat on a busy
/// machine if the work is on one thread.
std::vector<double> time_runs(const std::function<void()> &run, double seconds, bool cpu_time = false);

/// The same of parts that run one after the other, each timed by itself: the samples of each. A part of some
/// microseconds holds the clock's own time, a fraction of one.
std::vector<std::vector<double>> time_parts(const std::vector<std::function<void()>> &parts, double seconds,
                                            bool cpu_time = false);

}  // namespace eutectic
