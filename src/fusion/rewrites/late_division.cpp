#include "fusion/rewrites/late_division.h"

#include <algorithm>
#include <map>

namespace eutectic {

namespace {

/** The stages that change, and what they become. */
std::map<StageId, const RewrittenBody *> changes(const Graph &graph, const Placements &placements) {
    std::map<StageId, const RewrittenBody *> changed;
    for (const FuncId f : placements.ids()) {
        if (!placements[f].divide_late) {
            continue;
        }
        const std::vector<StageId> &stages = graph.funcs[f].stages;
        const LateDivision &late = *graph.stages[stages.back()].late_division;
        const FuncId quotient = undivided_quotient(graph, f);
        changed[stages.front()] = &late.division;
        if (quotient >= 0) {
            changed[graph.funcs[quotient].stages.front()] = &late.numerator;
        } else {
            changed[stages.back()] = &late.undivided;
        }
    }
    return changed;
}

}  // namespace

bool divides_late(const Placements &placements) {
    return std::any_of(placements.begin(), placements.end(),
                       [](const Placement &p) { return p.divide_late; });
}

FuncId undivided_quotient(const Graph &graph, FuncId sum) {
    const FuncId quotient = graph.last_stage(sum).late_division->quotient;
    if (quotient < 0 || graph.funcs[quotient].output) {
        return -1;
    }
    int loads = 0;
    for (const Edge &e : graph.edges) {
        loads += e.producer == quotient ? e.loads : 0;
    }
    return loads == 1 ? quotient : no_func;
}

FuncId divided_late_in(const Graph &graph, const Placements &placements, FuncId func) {
    for (const FuncId f : placements.ids()) {
        if (placements[f].divide_late && undivided_quotient(graph, f) == func) {
            return f;
        }
    }
    return -1;
}

PlacedReads::PlacedReads(const Graph &algorithm, const Placements &placements) : algorithm_(algorithm) {
    if (divides_late(placements)) {
        changed_ = changes(algorithm, placements);
    }
}

std::vector<StageId> PlacedReads::consumers(FuncId func) const {
    std::vector<StageId> stages = algorithm_.consumers(func);
    stages.erase(
        std::remove_if(stages.begin(), stages.end(), [&](StageId s) { return changed_.count(s) != 0; }),
        stages.end());
    for (const auto &[stage, body] : changed_) {
        if (!edges(stage, func).empty()) {
            stages.push_back(stage);
        }
    }
    std::sort(stages.begin(), stages.end());
    return stages;
}

std::vector<const Edge *> PlacedReads::edges(StageId stage, FuncId func) const {
    std::vector<const Edge *> result;
    const auto add = [&](const Edge &e) {
        if (e.producer == func) {
            result.push_back(&e);
        }
    };
    if (const auto change = changed_.find(stage); change != changed_.end()) {
        std::for_each(change->second->edges.begin(), change->second->edges.end(), add);
    } else {
        for (const EdgeId e : algorithm_.stages[stage].edges) {
            add(algorithm_.edges[e]);
        }
    }
    return result;
}

RewrittenGraph::RewrittenGraph(const Graph &algorithm, const Placements &placements) : algorithm_(algorithm) {
    if (!divides_late(placements)) {
        return;
    }
    const std::map<StageId, const RewrittenBody *> changed = changes(algorithm, placements);
    Graph &graph = rewritten_.emplace(algorithm);
    graph.edges.clear();
    graph.consumers_of.clear();
    for (const StageId s : graph.stages.ids()) {  // edges stay in the order of their stages: producers first
        Stage &stage = graph.stages[s];
        const auto change = changed.find(s);
        std::vector<Edge> edges;
        for (const EdgeId e : stage.edges) {
            edges.push_back(algorithm.edges[e]);
        }
        if (change != changed.end()) {
            edges = change->second->edges;
            stage.body = change->second->body;
            stage.multiply_accumulate = change->second->multiply_accumulate;
            stage.row_division.reset();
            stage.divides_late = algorithm.funcs[stage.func].stages.size() > 1 && stage.update < 0;
        }
        stage.edges.clear();
        for (Edge &e : edges) {
            e.consumer = s;
            stage.edges.push_back(graph.edges.next_id());
            graph.edges.push_back(std::move(e));
        }
    }
}

}  // namespace eutectic
