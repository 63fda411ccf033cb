#include "schedules/write_report.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/write_whole.h"
#include "cost/stage_json.h"

namespace eutectic {

void write_report(const Report &report, const std::string &path) {
    const bool text = path.size() > 4 && path.compare(path.size() - 4, 4, ".txt") == 0;
    write_whole("report", path, text ? to_text(report) : to_json(report).dump(2) + "\n");
}

std::string priced_json(const FusionPlan &plan, const Machine &machine) {
    std::vector<PricedNest> nests;
    for (const Group &g : plan.groups) {
        const std::vector<NestedStage> stages = priced_stages(g);
        nests.push_back({stages, std::max(0.0, g.cost.launch - price(stages, machine).launch)});
    }
    if (plan.trimming > 0) {
        nests.push_back({{}, plan.trimming});  // of all buffers together
    }
    return to_json(nests);
}

void write_priced(const FusionPlan &plan, const Machine &machine, const std::string &path) {
    write_whole("list of priced stages", path, priced_json(plan, machine) + "\n");
}

}  // namespace eutectic
