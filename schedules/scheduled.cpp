#include <numeric>

#include "schedules/autoschedule.h"

namespace eutectic {

Seconds Scheduled::seconds() const {
    return std::accumulate(steps.begin(), steps.end(), Seconds{0},
                           [](Seconds sum, const auto &step) { return sum + step.second; });
}

Report Scheduled::report() const {
    return {graph,  features,  machine,   planned,    target,           source,
            steps,  seconds(), residuals, runners_up, feedback.kernels, feedback.sentences,
            family, packed};
}

std::string Scheduled::drifted_from(const std::string &expected) const {
    return expected.empty() ? "" : drift(plan_hash(graph, machine, planned.plan), expected);
}

}  // namespace eutectic
