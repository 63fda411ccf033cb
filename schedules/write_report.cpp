#include "schedules/write_report.h"

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "base/user_error.h"
#include "cost/stage_json.h"

namespace eutectic {

namespace {

void write_whole(const std::string &what, const std::string &path, const std::string &content) {
    const std::string partial = path + ".partial";
    std::ofstream file(partial);
    file << content;
    file.close();
    if (!file || std::rename(partial.c_str(), path.c_str()) != 0) {
        std::remove(partial.c_str());
        throw UserError("The " + what + " cannot be written to " + path + ": check that its folder exists, is writable and has room.");
    }
}

}  // namespace

void write_report(const Report &report, const std::string &path) {
    const bool text = path.size() > 4 && path.compare(path.size() - 4, 4, ".txt") == 0;
    write_whole("report", path, text ? to_text(report) : to_json(report).dump(2) + "\n");
}

void write_priced(const FusionPlan &plan, const Machine &machine, const std::string &path) {
    std::vector<PricedNest> nests;
    for (const Group &g : plan.groups) {
        nests.push_back({g.work, std::max(0.0, g.cost.launch - price(g.work, machine).launch)});
    }
    if (plan.trimming > 0) {
        nests.push_back({{}, plan.trimming});  // of all buffers together
    }
    write_whole("list of priced stages", path, to_json(nests) + "\n");
}

}  // namespace eutectic
