#include "apps/bench/measure.h"

#include "apps/bench/workload.h"

#include <chrono>
#include <cmath>

namespace eutectic::bench {

namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Below this a sample would be made of the clock's own noise; shorter work is repeated within a sample.
constexpr double shortest_sample = 50e-6;

/// At least this many, even if each is long.
constexpr size_t fewest_samples = 5;

std::vector<double> time_runs(Workload &workload, double seconds) {
    // The first runs wake the thread pool and fill the caches; the fastest of them says how often to repeat.
    double fastest = INFINITY;
    for (int i = 0; i < 3; i++) {
        const auto start = Clock::now();
        workload.run();
        fastest = std::min(fastest, since(start));
    }
    const int repeats = std::max(1, static_cast<int>(std::ceil(shortest_sample / fastest)));
    std::vector<double> samples;
    const auto begin = Clock::now();
    while (samples.size() < fewest_samples || since(begin) < seconds) {
        const auto start = Clock::now();
        for (int i = 0; i < repeats; i++) {
            workload.run();
        }
        samples.push_back(since(start) / repeats);
    }
    return samples;
}

}  // namespace

nlohmann::json measure(const Task &task) {
    Workload workload(task.row, task.library);
    workload.run();
    if (task.write) {
        workload.write(task.reference);
        return {{"difference", 0.0}};
    }
    const double difference = workload.difference(task.reference);
    nlohmann::json report = {{"difference", std::isfinite(difference) ? difference : 1e300}};
    if (difference <= tolerance) {
        report["samples"] = time_runs(workload, task.seconds);
    }
    return report;
}

}  // namespace eutectic::bench
