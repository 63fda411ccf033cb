#include "apps/bench/measure.h"

#include "apps/bench/workload.h"
#include "apps/support/timing.h"

#include <algorithm>
#include <cmath>

namespace eutectic::bench {

namespace {

nlohmann::json measure_kernels(Workload &workload, const Task &task) {
    std::vector<std::function<void()>> parts;
    for (size_t i = 0; i < workload.kernels(); i++) {
        parts.emplace_back([&workload, i] { workload.run(i); });
    }
    nlohmann::json kernels = nlohmann::json::array();
    for (const std::vector<double> &samples : time_parts(parts, task.seconds / 2, task.cpu_time)) {
        kernels.push_back({{"seconds", *std::min_element(samples.begin(), samples.end())},
                           {"bytes", workload.bytes(kernels.size())}});
    }
    return kernels;
}

}  // namespace

nlohmann::json measure(const Task &task) {
    Workload workload(task.row, task.library, task.photograph);
    workload.run();
    if (task.write) {
        workload.write(task.reference);
        return {{"difference", 0.0}};
    }
    const double difference = workload.difference(task.reference);
    nlohmann::json report = {{"difference", std::isfinite(difference) ? difference : 1e300}};
    if (difference <= tolerance) {
        report["points"] = workload.points();
        report["held_bytes"] = workload.most_held_bytes();
        report["samples"] = time_runs([&] { workload.run(); }, task.seconds, task.cpu_time);
        if (workload.kernels() > 1) {
            report["kernels"] = measure_kernels(workload, task);
        }
    }
    return report;
}

}  // namespace eutectic::bench
