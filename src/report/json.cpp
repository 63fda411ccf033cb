#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "fusion/plan/grade.h"
#include "fusion/search/compile_limit.h"
#include "report/advice.h"
#include "report/arithmetic.h"
#include "report/json_groups.h"
#include "report/report.h"
#include "report/totals.h"

namespace eutectic {

using nlohmann::ordered_json;

namespace {

/** One entry for each Func of the algorithm: what it does before fusion, its updates included. */
ordered_json operations_json(const Report &r) {
    ordered_json operations = ordered_json::array();
    for (const FuncInfo &f : r.graph.funcs) {
        if (f.input) {
            continue;
        }
        StageFeatures sum;
        for (const StageId s : f.stages) {
            const StageFeatures &one = r.features.stages[s];
            sum.flops += one.flops;
            sum.divisions += one.divisions;
            sum.transcendentals += one.transcendentals;
            sum.stored_bytes += one.stored_bytes;
        }
        operations.push_back({{"func", f.name},
                              {"role", to_string(r.graph.stages[f.stages.back()].role)},
                              {"flops", sum.flops},
                              {"divisions", sum.divisions},
                              {"transcendentals", sum.transcendentals},
                              {"stored_bytes", sum.stored_bytes}});
    }
    return operations;
}

ordered_json runner_up_json(const Report &r, FuncId producer) {
    const RunnerUp *const found = runner_up_of(r.runners_up, producer);
    if (!found) {
        return nullptr;
    }
    const bool possible = std::isfinite(found->total);
    return {{"decision", to_string(found->kind)},
            {"of", found->consumer < 0 ? ordered_json() : ordered_json(r.graph.funcs[found->consumer].name)},
            {"total_seconds", possible ? ordered_json(found->total) : ordered_json()},
            {"more_seconds", possible ? ordered_json(found->total - found->plan) : ordered_json()}};
}

ordered_json edges_json(const Report &r) {
    ordered_json edges = ordered_json::array();
    for (const EdgeDecision &e : edge_decisions(r.graph, r.planned, r.runners_up)) {
        const FuncInfo &producer = r.graph.funcs[e.producer];
        edges.push_back({{"producer", producer.name},
                         {"consumer", r.graph.funcs[e.consumer].name},
                         {"decision", e.decision},
                         {"fusion", to_string(e.fusion)},
                         {"reason", e.reason},
                         {"grade", to_string(e.grade)},
                         {"bytes", producer.bytes()},
                         {"unfused_bytes", e.unfused_bytes},
                         {"fused_bytes", e.fused_bytes},
                         {"saved_bytes", e.unfused_bytes - e.fused_bytes},
                         {"recomputed_operations", e.recomputed_operations},
                         {"runner_up", runner_up_json(r, e.producer)}});
    }
    return edges;
}

ordered_json nests_json(const Report &r) {
    ordered_json nests = ordered_json::array();
    for (const NestDecision &d : nest_decisions(r.graph, r.planned)) {
        nests.push_back({{"func", r.graph.funcs[d.func].name},
                         {"with", r.graph.funcs[d.with].name},
                         {"decision", d.one_nest ? "one nest" : "apart"},
                         {"fusion", to_string(d.one_nest ? FusionKind::joint : FusionKind::none)},
                         {"reason", d.reason}});
    }
    return nests;
}

ordered_json arithmetic_json(const Report &r) {
    ordered_json changes = ordered_json::array();
    for (const ArithmeticChange &c : arithmetic_changes(r.graph, r.planned.plan)) {
        changes.push_back({{"decision", c.decision}, {"grade", c.grade}, {"why", c.why}});
    }
    return changes;
}

ordered_json totals_json(const Totals &t) {
    return {{"nests", t.nests},
            {"parallel_loops", t.parallel_loops},
            {"kernels", t.kernels},
            {"temporary_bytes", t.temporary_bytes},
            {"peak_bytes", t.peak_bytes}};
}

ordered_json steps_json(const Report &r) {
    ordered_json steps = ordered_json::array();
    for (const auto &[name, seconds] : r.steps) {
        steps.push_back({{"step", name}, {"seconds", seconds}});
    }
    return steps;
}

/** What the gradient's own choice of residuals says, as it was handed over. */
void add_residuals(const Report &r, ordered_json &json) {
    const ordered_json kept = ordered_json::parse(r.residuals);
    json["residuals"] = kept.value("residuals", ordered_json::array());
    json["total_residual_bytes"] = kept.value("total_bytes", Bytes(0));
    json["without_residual"] = kept.value("without_residual", ordered_json::array());
}

ordered_json packed_json(const std::vector<PackedArgument> &packed) {
    ordered_json json = ordered_json::array();
    for (const PackedArgument &p : packed) {
        ordered_json order = ordered_json::array();
        for (const DimId d : p.panels.order) {
            order.push_back(static_cast<int>(d));
        }
        json.push_back({{"input", p.input},
                        {"extents", p.extents},
                        {"order", order},
                        {"columns", p.panels.columns},
                        {"panels_at_once", p.panels.at_once}});
    }
    return json;
}

/** What the plan takes on each processor of the target's family, and what the best plan for that one does. */
ordered_json family_json(const std::vector<MemberSeconds> &family) {
    ordered_json all = ordered_json::array();
    for (const MemberSeconds &m : family) {
        all.push_back(
            {{"processor", m.name}, {"seconds", m.seconds}, {"best_seconds", m.best}, {"loss", m.loss()}});
    }
    return all;
}

/** Products that a library might compute: what everything takes with its call, and without. */
ordered_json library_json(const std::vector<LibraryChoice> &choices) {
    ordered_json all = ordered_json::array();
    for (const LibraryChoice &c : choices) {
        all.push_back({{"func", c.func},
                       {"library", c.library},
                       {"taken", c.taken},
                       {"call", c.whole ? "whole" : "block"},
                       {"seconds_with", c.with_call},
                       {"seconds_without", c.without_call}});
    }
    return all;
}

}  // namespace

ordered_json to_json(const Report &r) {
    const TrafficSummary t = traffic(r.graph, r.planned.plan);
    const PlanHash hash = plan_hash(r.graph, r.machine, r.planned.plan);
    std::vector<std::string> sentences = notes(r.graph, r.planned.plan, r.machine);
    sentences.insert(sentences.end(), r.learned.begin(), r.learned.end());
    ordered_json json = {
        {"version", 1},
        {"target", r.target},
        {"machine", r.machine.name},
        {"numerics", r.graph.sums_in_any_order ? "nan_safe"
                     : r.graph.strict          ? "strict"
                                               : "fast"},
        {"grade", to_string(grade(r.graph, r.planned.plan))},
        {"arithmetic", arithmetic_json(r)},
        {"traffic",
         {{"unfused_bytes", t.unfused_bytes},
          {"fused_bytes", t.fused_bytes},
          {"saved_bytes", t.saved_bytes},
          {"caller_read_bytes", t.caller_read_bytes},
          {"edges_saved_bytes", edges_saved_bytes(edge_decisions(r.graph, r.planned))}}},
        {"totals",
         {{"fused", totals_json(totals(r.graph, r.planned.plan, r.machine))},
          {"unfused", totals_json(totals(r.graph, r.planned.unfused, r.machine))}}},
        {"cost", cost_json(r.planned.plan.cost())},
        {"unfused_cost", cost_json(r.planned.unfused.cost())},
        {"allocator",
         {{"kind", r.machine.arena ? "arena" : "heap"},
          {"trimming_seconds", r.planned.plan.trimming},
          {"unfused_trimming_seconds", r.planned.unfused.trimming}}},
        {"operations", operations_json(r)},
        {"groups", groups_json(r)},
        {"edges", edges_json(r)},
        {"nests", nests_json(r)},
        {"notes", sentences},
        {"advice", advice(r.graph, r.planned, r.machine)},
        {"steps", steps_json(r)},
        {"plan_seconds", r.plan_seconds},
        {"compile_seconds", compile_seconds(r.planned.plan, r.machine)},
        {"plan_hash", hash.whole()},
        {"plan_hash_parts",
         {{"pipeline", hash.pipeline}, {"machine", hash.machine}, {"decisions", hash.decisions}}},
        {"schedule", r.schedule}};
    if (!r.graph.library_choices.empty()) {
        json["library"] = library_json(r.graph.library_choices);
    }
    if (!r.packed.empty()) {
        json["packed"] = packed_json(r.packed);
    }
    if (!r.family.empty()) {
        json["family"] = family_json(r.family);
    }
    if (r.machine.gpu) {
        json["kernels"] = kernels_json(r);
    }
    if (!r.residuals.empty()) {
        add_residuals(r, json);
    }
    return json;
}

}  // namespace eutectic
