#include "apps/bench/plan/rows.h"

#include "base/process.h"
#include "base/regex.h"
#include "base/user_error.h"

#include <fnmatch.h>

#include <algorithm>
#include <sstream>

namespace eutectic::bench {

namespace {

void append(std::vector<PlanRow> &to, const std::vector<PlanRow> &more) {
    to.insert(to.end(), more.begin(), more.end());
}

/// Forward, loss and gradients of a network in one pipeline.
PlanRow training_step(int layers, const std::string &widths) {
    return {"mlp_step_" + std::to_string(layers),
            "forward and backward of so many layers with their loss, batch 128",
            nullptr,
            "mlp_loss_gradient",
            {"widths=" + widths}};
}

/// Whole applications among the image generators.
std::vector<PlanRow> application_rows() {
    return {{"burst_merge", "frames aligned by pyramids, and merged", nullptr, "burst_merge", {}},
            {"camera",
             "raw sensor values to an image: demosaic, colour matrix, curve by table, sharpen",
             nullptr,
             "camera",
             {}},
            {"pyramid_blend",
             "two images blended level by level",
             nullptr,
             "pyramid_blend",
             {"width=512", "height=512"}}};
}

}  // namespace

std::vector<PlanRow> fixed_rows() {
    std::vector<PlanRow> rows = structure_rows();
    append(rows, stencil_rows());
    append(rows, application_rows());
    rows.push_back(training_step(3, "64,256,128,10"));
    std::string widths = "64";
    for (int hidden = 1; hidden < 30; hidden++) {
        widths += ",128";
    }
    rows.push_back(training_step(30, widths + ",10"));
    return rows;
}

std::vector<PlanRow> generator_rows(const std::string &program) {
    // Without arguments Halide's command line says that it needs some, and lists what there is, four spaces
    // before each.
    const std::string listing = run_process({program}, 60).errors;
    const Regex line("^    (\\w+)$");
    std::istringstream lines(listing);
    std::vector<PlanRow> rows;
    for (std::string text; std::getline(lines, text);) {
        Groups name;
        if (line.matches(text, &name)) {
            rows.push_back({"generators/" + name[1], "", nullptr, name[1], {}});
        }
    }
    if (rows.empty()) {
        throw UserError("The program " + program +
                        " lists no generators; give --generators one that scripts/build made.");
    }
    std::sort(rows.begin(), rows.end(), [](const PlanRow &a, const PlanRow &b) { return a.name < b.name; });
    return rows;
}

std::vector<PlanRow> choose_rows(const std::vector<PlanRow> &rows, const std::vector<std::string> &patterns) {
    const auto names = [](const std::string &pattern, const PlanRow &row) {
        return fnmatch(pattern.c_str(), row.name.c_str(), 0) == 0;
    };
    for (const std::string &pattern : patterns) {
        if (std::none_of(rows.begin(), rows.end(), [&](const PlanRow &row) { return names(pattern, row); })) {
            std::string known;
            for (const PlanRow &row : rows) {
                known += (known.empty() ? "" : ", ") + row.name;
            }
            throw UserError("There is no row '" + pattern + "'; known are " + known + ".");
        }
    }
    std::vector<PlanRow> chosen;
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(chosen), [&](const PlanRow &row) {
        return patterns.empty() || std::any_of(patterns.begin(), patterns.end(),
                                               [&](const std::string &p) { return names(p, row); });
    });
    return chosen;
}

}  // namespace eutectic::bench
