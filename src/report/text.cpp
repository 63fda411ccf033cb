#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iomanip>
#include <sstream>

#include "fusion/search/compile_limit.h"
#include "report/report.h"

namespace eutectic {

namespace {

std::string percent(double part, double whole) {
    char text[32];
    std::snprintf(text, sizeof text, "%.0f %%", whole > 0 ? 100 * part / whole : 0);
    return text;
}

/** "compute 12.3 us (80 %), memory …": each part beside its share. */
std::string parts(const Cost &c) {
    const std::pair<const char *, Seconds> all[] = {
        {"compute", c.compute}, {"memory", c.memory}, {"idle", c.idle}, {"launch", c.launch}};
    std::string text;
    for (const auto &[name, seconds] : all) {
        text += (text.empty() ? "" : ", ") + std::string(name) + " " + format_seconds(seconds) + " (" +
                percent(seconds, c.total()) + ")";
    }
    return text;
}

void print_kernel(std::ostream &s, const KernelPrice &k, const CompiledKernel *compiled) {
    const KernelResources &needs = compiled ? compiled->resources : k.resources;
    const Occupancy &occupancy = compiled ? compiled->occupancy : k.occupancy;
    s << "    kernel: " << k.blocks << " blocks of " << needs.threads << " threads, "
      << (compiled ? "" : "about ") << needs.registers << " registers a thread and "
      << format_bytes(needs.shared_bytes) << " of shared memory a block: " << percent(occupancy.share, 1)
      << " of an SM's warps (" << to_string(occupancy.limit) << "), "
      << format_bytes(static_cast<Bytes>(k.dram_bytes)) << " to and from memory"
      << (compiled ? "; compiled, spills " + format_bytes(compiled->spill_bytes) : "") << "\n";
}

void print_groups(std::ostream &s, const Report &r) {
    const Seconds whole = r.planned.plan.cost().total();
    for (size_t i = 0; i < r.planned.plan.groups.size(); i++) {
        const Group &g = r.planned.plan.groups[i];
        s << "group " << i + 1 << ":";
        for (const FuncId f : g.members) {
            s << " " << r.graph.funcs[f].name;
        }
        s << "\n    " << g.policy << ", predicted " << format_seconds(g.cost.total()) << ", "
          << percent(g.cost.total(), whole) << " of the whole: " << parts(g.cost) << "\n";
        for (const StageNest &n : g.tree.nests()) {
            s << "    f" << n.func << (n.update < 0 ? "" : ".update") << ": " << to_string(n.nest) << "\n";
        }
        for (size_t k = 0; k < g.kernels.size(); k++) {
            print_kernel(s, g.kernels[k], compiled_kernel(r, g.root, k));
        }
        for (const std::string &sentence : g.refused) {
            s << "    not taken: " << sentence << "\n";
        }
    }
}

std::string runner_up(const Report &r, FuncId producer) {
    const auto found = std::find_if(r.runners_up.begin(), r.runners_up.end(),
                                    [&](const RunnerUp &u) { return u.func == producer; });
    if (found == r.runners_up.end()) {
        return "no runner-up is legal";
    }
    const std::string of = found->consumer < 0 ? "" : " of " + r.graph.funcs[found->consumer].name;
    const std::string where = std::string("runner-up: ") + to_string(found->kind) + of;
    if (!std::isfinite(found->total)) {
        return where + ", for which no policy has loops";
    }
    const Seconds more = found->total - found->plan;
    return where + ", " + format_seconds(std::abs(more)) + (more < 0 ? " less" : " more") + " (" +
           format_seconds(found->total) + " in all)";
}

void print_edges(std::ostream &s, const Report &r) {
    for (const EdgeDecision &e : edge_decisions(r.graph, r.planned)) {
        s << r.graph.funcs[e.producer].name << " -> " << r.graph.funcs[e.consumer].name << ": " << e.decision
          << (e.grade == Grade::exact ? "" : std::string(" (") + to_string(e.grade) + ")") << "; " << e.reason
          << "\n    " << format_bytes(e.unfused_bytes) << " unfused, " << format_bytes(e.fused_bytes)
          << " fused, "
          << (e.fused_bytes > e.unfused_bytes ? format_bytes(e.fused_bytes - e.unfused_bytes) + " more"
                                              : format_bytes(e.unfused_bytes - e.fused_bytes) + " saved")
          << "; ";
        if (e.recomputed_operations > 0) {
            s << "recomputes " << format_count(static_cast<int64_t>(e.recomputed_operations))
              << " operations; ";
        }
        s << runner_up(r, e.producer) << "\n";
    }
}

void print_nests(std::ostream &s, const Report &r) {
    for (const NestDecision &d : nest_decisions(r.graph, r.planned)) {
        s << r.graph.funcs[d.func].name << " with " << r.graph.funcs[d.with].name << ": "
          << (d.one_nest ? "one nest; " : "apart; ") << d.reason << "\n";
    }
}

void print_reason(std::ostream &s, const nlohmann::ordered_json &one) {
    const std::string reason = one.value("reason", "");
    s << (reason.empty() ? "" : "; ") << reason << "\n";
    for (const auto &sentence : one.value("refused", nlohmann::ordered_json::array())) {
        s << "    not: " << sentence.get<std::string>() << "\n";
    }
}

void print_residuals(std::ostream &s, const Report &r) {
    if (r.residuals.empty()) {
        return;
    }
    const nlohmann::ordered_json kept = nlohmann::ordered_json::parse(r.residuals);
    for (const auto &one : kept.value("residuals", nlohmann::ordered_json::array())) {
        s << "residual " << one.value("name", "") << ": " << one.value("kind", "") << ", "
          << format_bytes(one.value("bytes", Bytes(0)));
        print_reason(s, one);
    }
    for (const auto &one : kept.value("without_residual", nlohmann::ordered_json::array())) {
        s << "no residual for " << one.value("name", "") << ": " << one.value("kind", "");
        print_reason(s, one);
    }
}

/** "AMD Zen 4 2.6 ms; AMD Zen 3 5.1 ms, 1.04 times what the best loops for it take" */
std::string family_text(const std::vector<MemberSeconds> &family) {
    std::ostringstream s;
    s << std::fixed << std::setprecision(2);
    for (const MemberSeconds &m : family) {
        s << (&m == &family.front() ? "" : "; ") << m.name << " " << format_seconds(m.seconds);
        if (std::lround(100 * m.loss()) > 100) {
            s << ", " << m.loss() << " times what the best loops for it take";
        }
    }
    return s.str();
}

/** Where temporaries come from, if it is not the heap or costs something. */
void print_allocator(std::ostream &s, const Report &r) {
    if (r.machine.arena) {
        s << "temporaries: from an arena, which keeps their pages\n";
    } else if (r.planned.plan.trimming > 0) {
        s << "temporaries: from the heap; " << format_seconds(r.planned.plan.trimming)
          << " of that to map their pages anew, which an arena keeps\n";
    }
}

}  // namespace

std::string to_text(const Report &r) {
    std::ostringstream s;
    const TrafficSummary t = traffic(r.graph, r.planned.plan);
    const Cost planned = r.planned.plan.cost(), unfused = r.planned.unfused.cost();
    s << "Plan for " << r.target << " on " << r.machine.name << "\n\n";
    print_groups(s, r);
    s << "\n";
    print_edges(s, r);
    print_nests(s, r);
    for (const std::vector<std::string> &some : {notes(r.graph, r.planned.plan, r.machine), r.learned}) {
        for (const std::string &note : some) {
            s << "note: " << note << "\n";
        }
    }
    s << "\ntraffic: " << format_bytes(t.unfused_bytes) << " unfused, " << format_bytes(t.fused_bytes)
      << " fused, " << format_bytes(t.saved_bytes) << " saved ("
      << percent(static_cast<double>(t.saved_bytes), static_cast<double>(t.unfused_bytes)) << ")\n";
    print_residuals(s, r);
    s << "predicted: " << format_seconds(planned.total()) << ": " << parts(planned) << "\n";
    print_allocator(s, r);
    for (const PackedArgument &p : r.packed) {
        s << p.input << " is handed over packed, in panels of " << p.panels.columns << " columns: ";
        for (size_t d = 0; d < p.extents.size(); d++) {
            s << (d ? " x " : "") << p.extents[d];
        }
        s << "\n";
    }
    if (!r.family.empty()) {
        s << "the same plan on " << family_text(r.family) << "\n";
    }
    s << "unfused:   " << format_seconds(unfused.total()) << ": " << parts(unfused) << "\n";
    s << "planned in " << format_seconds(r.plan_seconds) << ", compiles in some "
      << format_seconds(compile_seconds(r.planned.plan, r.machine)) << ", plan "
      << plan_hash(r.graph, r.machine, r.planned.plan).whole() << "\n";
    if (!r.schedule.empty()) {
        s << "\nthe schedule, as the body of a function of Halide::Pipeline pipeline\n\n" << r.schedule;
    }
    return s.str();
}

}  // namespace eutectic
