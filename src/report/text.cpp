#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iomanip>
#include <sstream>

#include <nlohmann/json.hpp>

#include "fusion/search/compile_limit.h"
#include "report/advice.h"
#include "report/arithmetic.h"
#include "report/gpu_facts.h"
#include "report/nest_text.h"
#include "report/report.h"
#include "report/totals.h"

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

/** "x coalesced, w strided" */
std::string accesses(const PlanNames &names, const std::vector<KernelAccess> &all) {
    std::string text;
    for (const KernelAccess &a : all) {
        text += (text.empty() ? "" : ", ") + names[a.func] + " " + a.how;
    }
    return text.empty() ? "nothing" : text;
}

/** "32 x 16 threads": its shape, x first. */
std::string shape(const std::vector<int> &block) {
    std::string text;
    for (const int axis : block) {
        text += (text.empty() ? "" : " x ") + std::to_string(axis);
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

/** The loops of each stage, under those that they are computed in. */
void print_loops(std::ostream &s, const PlanNames &names, const Group &g) {
    for (const StageNest &n : g.tree.nests()) {
        const int depth = nesting(g.tree, n.func);
        s << std::string(static_cast<size_t>(4 + 2 * depth), ' ') << nest_text(names, g.tree, n) << "\n";
    }
}

void print_groups(std::ostream &s, const Report &r) {
    const Seconds whole = r.planned.plan.cost().total();
    const PlanNames names(r.graph, r.planned.plan);
    for (size_t i = 0; i < r.planned.plan.groups.size(); i++) {
        const Group &g = r.planned.plan.groups[i];
        s << "group " << i + 1 << ":";
        for (const FuncId f : g.members) {
            s << " " << r.graph.funcs[f].name;
        }
        s << "\n    " << g.policy << ", predicted " << format_seconds(g.cost.total()) << ", "
          << percent(g.cost.total(), whole) << " of the whole: " << parts(g.cost) << "\n";
        print_loops(s, names, g);
        const std::vector<KernelFacts> facts = kernel_facts(g);
        for (size_t k = 0; k < g.kernels.size(); k++) {
            print_kernel(s, g.kernels[k], compiled_kernel(r, g.root, k));
            if (k < facts.size()) {
                s << "        a block is " << shape(facts[k].block) << " threads, with values "
                  << facts[k].vector_width
                  << " at a time; loads of memory: " << accesses(names, facts[k].loads)
                  << "; stores: " << accesses(names, facts[k].stores) << "\n";
            }
        }
        for (const std::string &sentence : g.refused) {
            s << "    not taken: " << sentence << "\n";
        }
    }
}

std::string runner_up(const Report &r, FuncId producer) {
    const RunnerUp *const found = runner_up_of(r.runners_up, producer);
    if (!found) {
        return "no runner-up is legal";
    }
    const std::string where = "runner-up: " + place_text(r.graph, *found);
    if (!std::isfinite(found->total)) {
        return where + ", for which no policy has loops";
    }
    const Seconds more = found->total - found->plan;
    return where + ", " + format_seconds(std::abs(more)) + (more < 0 ? " less" : " more") + " (" +
           format_seconds(found->total) + " in all)";
}

void print_edges(std::ostream &s, const Report &r, const std::vector<EdgeDecision> &edges) {
    for (const EdgeDecision &e : edges) {
        s << r.graph.funcs[e.producer].name << " -> " << r.graph.funcs[e.consumer].name << ": " << e.decision
          << (e.fusion == FusionKind::none ? "" : std::string(", ") + to_string(e.fusion))
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
          << (d.one_nest ? "one nest, joint; " : "apart; ") << d.reason << "\n";
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
    const Seconds plan = r.planned.plan.trimming, unfused = r.planned.unfused.trimming;
    if (r.machine.arena) {
        s << "temporaries: from an arena, which keeps their pages\n";
    } else if (plan > 0 || unfused > 0) {
        s << "temporaries: from the heap; mapping their pages anew, which an arena keeps, is "
          << format_seconds(plan) << " of the predicted time and " << format_seconds(unfused)
          << " of the unfused\n";
    }
}

/** "3 loop nests, 1 parallel loop started, …": beside each other, unfused and fused. */
void print_totals(std::ostream &s, const Report &r) {
    const Totals unfused = totals(r.graph, r.planned.unfused, r.machine),
                 fused = totals(r.graph, r.planned.plan, r.machine);
    s << "loop nests: " << unfused.nests << " unfused, " << fused.nests << " fused; ";
    if (r.machine.gpu) {
        s << "kernel launches: " << unfused.kernels << " unfused, " << fused.kernels << " fused\n";
    } else {
        s << "parallel loops started: " << unfused.parallel_loops << " unfused, " << fused.parallel_loops
          << " fused\n";
    }
    s << "temporary bytes: " << format_bytes(unfused.temporary_bytes) << " unfused, "
      << format_bytes(fused.temporary_bytes) << " fused; at once at most " << format_bytes(unfused.peak_bytes)
      << " unfused, " << format_bytes(fused.peak_bytes) << " fused\n";
}

/** What may change results, a line a decision. */
void print_arithmetic(std::ostream &s, const Report &r) {
    for (const ArithmeticChange &c : arithmetic_changes(r.graph, r.planned.plan)) {
        s << c.grade << ": " << c.decision << "; " << c.why << "\n";
    }
}

void print_traffic(std::ostream &s, const Report &r, const std::vector<EdgeDecision> &edges) {
    const TrafficSummary t = traffic(r.graph, r.planned.plan);
    s << "\ntraffic: " << format_bytes(t.unfused_bytes) << " unfused, " << format_bytes(t.fused_bytes)
      << " fused, " << format_bytes(t.saved_bytes) << " saved ("
      << percent(static_cast<double>(t.saved_bytes), static_cast<double>(t.unfused_bytes)) << ")";
    const Bytes by_edges = edges_saved_bytes(edges);
    if (by_edges != t.saved_bytes) {
        s << "; the edges together " << format_bytes(by_edges)
          << ": they count what each reader reads, this counts each result as read once, and whole";
    }
    s << "\n";
}

}  // namespace

std::string to_text(const Report &r) {
    std::ostringstream s;
    const Cost planned = r.planned.plan.cost(), unfused = r.planned.unfused.cost();
    const std::vector<EdgeDecision> edges = edge_decisions(r.graph, r.planned, r.runners_up);
    s << "Plan for " << r.target << " on " << r.machine.name << "\n\n";
    print_groups(s, r);
    s << "\n";
    print_edges(s, r, edges);
    print_nests(s, r);
    print_arithmetic(s, r);
    for (const std::vector<std::string> &some : {notes(r.graph, r.planned.plan, r.machine), r.learned}) {
        for (const std::string &note : some) {
            s << "note: " << note << "\n";
        }
    }
    for (const std::string &sentence : advice(r.graph, r.planned, r.machine)) {
        s << "advice: " << sentence << "\n";
    }
    print_traffic(s, r, edges);
    print_totals(s, r);
    print_residuals(s, r);
    s << "predicted: " << format_seconds(planned.total()) << ": " << parts(planned) << "\n";
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
    print_allocator(s, r);
    s << "planned in " << format_seconds(r.plan_seconds) << ", compiles in some "
      << format_seconds(compile_seconds(r.planned.plan, r.machine)) << ", plan "
      << plan_hash(r.graph, r.machine, r.planned.plan).whole() << "\n";
    if (!r.schedule.empty()) {
        s << "\nthe schedule, as the body of a function of Halide::Pipeline pipeline\n\n" << r.schedule;
    }
    return s.str();
}

}  // namespace eutectic
