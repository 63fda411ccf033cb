#include "apps/digits/summary.h"

#include "apps/support/format.h"
#include "base/units.h"

#include <string>

namespace eutectic::digits {

namespace {

using nlohmann::json;

std::string joined(const json &names) {
    std::string text;
    for (const json &name : names) {
        text += (text.empty() ? "" : " + ") + name.get<std::string>();
    }
    return text;
}

/// Groups of one Func are no fusion: they are counted, not listed.
void print_groups(std::ostream &out, const json &groups) {
    size_t single = 0;
    for (const json &group : groups) {
        const json &members = group.at("members");
        if (members.size() < 2) {
            single++;
            continue;
        }
        out << "    " << joined(members) << "\n";
    }
    if (single > 0) {
        out << "    " << (single < groups.size() ? "and " : "") << single
            << (single == 1 ? " operation on its own\n" : " operations on their own\n");
    }
}

void print_traffic(std::ostream &out, const json &traffic) {
    const auto unfused = traffic.at("unfused_bytes").get<Bytes>(),
               fused = traffic.at("fused_bytes").get<Bytes>(), saved = traffic.at("saved_bytes").get<Bytes>();
    const double percent =
        unfused > 0 ? 100.0 * static_cast<double>(saved) / static_cast<double>(unfused) : 0.0;
    out << "    traffic: " << format_bytes(unfused) << " unfused, " << format_bytes(fused) << " fused, "
        << format_bytes(saved) << " saved (" << format("%.0f %%", percent) << ")\n";
}

void print_steps(std::ostream &out, const Comparison &steps) {
    if (!steps.agrees()) {
        out << "fused and unfused kernels disagree by " << format("%.2g", steps.difference)
            << " of the largest value: not timed\n";
        return;
    }
    out << "training step of " << planned_batch
        << " samples (forward, backward, Adam): " << format_seconds(steps.fused_seconds) << " fused, "
        << format_seconds(steps.unfused_seconds) << " unfused, "
        << format("%.2f times as fast", steps.unfused_seconds / steps.fused_seconds)
        << (steps.difference == 0 ? "; same results"
                                  : "; results agree within " + format("%.1g", steps.difference))
        << "\n";
}

}  // namespace

void print_summary(std::ostream &out, const std::vector<NamedReport> &reports, const Results &results) {
    out << "\nfused groups, each one loop nest (from the reports beside the kernels)\n";
    for (const NamedReport &report : reports) {
        const json plan = json::parse(report.json);
        out << "  " << report.kernel << "\n";
        print_groups(out, plan.at("groups"));
        print_traffic(out, plan.at("traffic"));
    }
    out << "\n";
    print_steps(out, results.comparison);
    out << "training took " << format_seconds(results.training_seconds) << "\n";
    out << "test accuracy: " << format("%.4f", results.test_accuracy) << "\n";
}

json summary_json(const std::vector<NamedReport> &reports, const Results &results) {
    json kernels = json::object();
    for (const NamedReport &report : reports) {
        const json plan = json::parse(report.json);
        kernels[report.kernel] = {{"traffic", plan.at("traffic")}, {"groups", plan.at("groups")}};
    }
    json steps = {{"difference", results.comparison.difference}};
    if (results.comparison.agrees()) {
        steps["fused"] = results.comparison.fused_seconds;
        steps["unfused"] = results.comparison.unfused_seconds;
    }
    return {{"test_accuracy", results.test_accuracy},
            {"losses", results.losses},
            {"training_seconds", results.training_seconds},
            {"step_seconds", steps},
            {"kernels", kernels}};
}

}  // namespace eutectic::digits
