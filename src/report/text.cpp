#include <sstream>

#include "report/report.h"

namespace eutectic {

std::string to_text(const Report &r) {
    std::ostringstream s;
    const TrafficSummary t = traffic(r.graph, r.planned.plan);
    s << "Plan for " << r.target << " on " << r.machine.name << "\n\n";
    for (size_t i = 0; i < r.planned.plan.groups.size(); i++) {
        const Group &g = r.planned.plan.groups[i];
        s << "group " << i + 1 << ":";
        for (const FuncId f : g.members) {
            s << " " << r.graph.funcs[static_cast<size_t>(f)].name;
        }
        s << "\n    " << g.policy << ", predicted " << to_string(g.cost) << "\n";
        for (const StageNest &n : g.nests) {
            s << "    f" << n.func << (n.update < 0 ? "" : ".update") << ": " << to_string(n.nest) << "\n";
        }
    }
    s << "\n";
    for (const EdgeDecision &e : edge_decisions(r.graph, r.planned)) {
        s << r.graph.funcs[static_cast<size_t>(e.producer)].name << " -> " << r.graph.funcs[static_cast<size_t>(e.consumer)].name << ": "
          << e.decision << (e.grade == Grade::exact ? "" : std::string(" (") + to_string(e.grade) + ")") << "; " << e.reason << "\n";
    }
    for (const NestDecision &d : nest_decisions(r.planned)) {
        s << r.graph.funcs[static_cast<size_t>(d.func)].name << " with " << r.graph.funcs[static_cast<size_t>(d.with)].name << ": " << (d.one_nest ? "one nest; " : "apart; ")
          << d.reason << "\n";
    }
    const double share = t.unfused_bytes > 0 ? 100.0 * static_cast<double>(t.saved_bytes) / static_cast<double>(t.unfused_bytes) : 0;
    s << "\ntraffic: " << format_bytes(t.unfused_bytes) << " unfused, " << format_bytes(t.fused_bytes) << " fused, " << format_bytes(t.saved_bytes)
      << " saved (" << static_cast<int>(share + 0.5) << " %)\n";
    if (!r.residuals.empty()) {
        const nlohmann::ordered_json kept = nlohmann::ordered_json::parse(r.residuals);
        for (const auto &one : kept.value("residuals", nlohmann::ordered_json::array())) {
            s << "residual " << one.value("name", "") << ": " << one.value("kind", "") << ", " << format_bytes(one.value("bytes", Bytes(0))) << "\n";
        }
    }
    s << "predicted: " << to_string(r.planned.plan.cost()) << "\n";
    s << "unfused:   " << to_string(r.planned.unfused.cost()) << "\n";
    s << "planned in " << format_seconds(r.plan_seconds) << ", plan " << plan_hash(r.graph, r.machine, r.planned.plan).whole() << "\n";
    return s.str();
}

}  // namespace eutectic
