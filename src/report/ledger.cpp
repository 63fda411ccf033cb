#include <algorithm>

#include "fusion/grade.h"
#include "fusion/rules/rules.h"
#include "report/report.h"

namespace eutectic {

namespace {

/** Of those that take Funcs out of memory. */
const Step *step_about(const std::vector<Step> &steps, FuncId producer) {
    const Step *found = nullptr;
    for (const Step &s : steps) {
        const bool moves = s.taken && std::find(s.moved.begin(), s.moved.end(), producer) != s.moved.end();
        found = !s.stays && (s.site.producer == producer || moves) ? &s : found;
    }
    return found;
}

std::string gained(const Graph &graph, const Step &step) {
    const FuncInfo &f = graph.funcs[static_cast<size_t>(step.site.producer)];
    const std::string traffic = std::string(step.rule) + " saves " + format_bytes(2 * f.bytes()) + " of traffic and ";
    if (step.after > step.before) {
        return traffic + "costs " + format_seconds(step.after - step.before) + " of the predicted time, which later steps that it makes possible save";
    }
    return traffic + format_seconds(step.before - step.after) + " of the predicted time";
}

}  // namespace

TrafficSummary traffic(const Graph &graph, const FusionPlan &plan) {
    TrafficSummary t;
    for (size_t f = 0; f < graph.funcs.size(); f++) {
        const FuncInfo &info = graph.funcs[f];
        if (info.input) {
            continue;
        }
        t.unfused_bytes += 2 * info.bytes();
        if (info.output) {
            t.fused_bytes += info.bytes();
            t.caller_read_bytes += info.bytes();
        } else if (materialized(plan.placements[f])) {
            t.fused_bytes += 2 * info.bytes();
        } else {
            t.saved_bytes += 2 * info.bytes();
        }
    }
    return t;
}

PlanHash plan_hash(const Graph &graph, const Machine &machine, const FusionPlan &plan) {
    return {stable_hash(to_string(graph, false)), stable_hash(to_string(machine)), stable_hash(to_string(plan))};
}

std::vector<EdgeDecision> edge_decisions(const Graph &graph, const Planned &planned) {
    std::vector<EdgeDecision> result;
    const Placements &placements = planned.plan.placements;
    for (size_t f = 0; f < graph.funcs.size(); f++) {
        if (graph.funcs[f].input) {
            continue;
        }
        for (const FuncId c : graph.consumer_funcs(static_cast<FuncId>(f))) {
            EdgeDecision e{static_cast<FuncId>(f), c, "in memory", "", grade(graph, planned.plan, static_cast<FuncId>(f))};
            const Step *taken = step_about(planned.taken, static_cast<FuncId>(f));
            if (materialized(placements[f])) {
                e.reason = keep_materialized(graph, placements, static_cast<FuncId>(f), step_about(planned.weighed, static_cast<FuncId>(f)));
            } else {
                e.decision = placements[f].kind == Placement::Kind::inlined ? "inlined" : placements[f].kind == Placement::Kind::at ? "at tile"
                                                                                                                                    : "in block";
                e.reason = taken ? gained(graph, *taken) : graph.funcs[f].between;
            }
            result.push_back(e);
        }
    }
    return result;
}

std::vector<NestDecision> nest_decisions(const Planned &planned) {
    const Placements &placements = planned.plan.placements;
    std::vector<NestDecision> result;
    for (size_t f = 0; f < placements.size(); f++) {
        if (placements[f].kind == Placement::Kind::with) {
            const auto taken = std::find_if(planned.taken.rbegin(), planned.taken.rend(), [&](const Step &s) {
                return s.stays && s.site.consumers.front() != s.site.producer && std::find(s.moved.begin(), s.moved.end(), static_cast<FuncId>(f)) != s.moved.end();
            });
            const std::string saves = taken != planned.taken.rend() ? "; it saves " + format_seconds(taken->before - taken->after) + " of the predicted time" : "";
            result.push_back({static_cast<FuncId>(f), placements[f].consumer, true, "one nest writes both, and what both read comes from memory once" + saves});
        }
    }
    for (const Step &s : planned.weighed) {
        const FuncId with = s.stays && !s.site.consumers.empty() ? s.site.consumers.front() : s.site.producer;
        if (with != s.site.producer) {
            result.push_back({s.site.producer, with, false, s.verdict ? "one nest for both would cost " + format_seconds(s.after - s.before) + " more" : s.verdict.reason()});
        }
    }
    return result;
}

}  // namespace eutectic
