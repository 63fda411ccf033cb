#include "apps/bench/measure.h"

#include "apps/bench/workload.h"
#include "apps/support/timing.h"

#include <cmath>

namespace eutectic::bench {

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
        report["samples"] = time_runs([&] { workload.run(); }, task.seconds, task.cpu_time);
    }
    return report;
}

}  // namespace eutectic::bench
