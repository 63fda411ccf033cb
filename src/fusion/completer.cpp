#include "fusion/completer.h"

#include <algorithm>
#include <limits>

#include "fusion/policies/policy.h"

namespace eutectic {

namespace {

/** Funcs of the algorithm that are inlined; inputs are loads, not Funcs to merge. */
std::vector<bool> inlined_flags(const Graph &graph, const Placements &placements) {
    std::vector<bool> flags;
    for (size_t f = 0; f < placements.size(); f++) {
        flags.push_back(placements[f].kind == Placement::Kind::inlined && !graph.funcs[f].input);
    }
    return flags;
}

/** Adds `func` and the Funcs computed with it, inlined ones before their readers. */
void collect(const Graph &graph, FuncId func, const std::vector<bool> &inlined, std::vector<FuncId> &members) {
    if (std::find(members.begin(), members.end(), func) != members.end()) {
        return;
    }
    for (const StageId s : graph.funcs[static_cast<size_t>(func)].stages) {
        for (const int e : graph.stages[static_cast<size_t>(s)].edges) {
            const FuncId producer = graph.edges[static_cast<size_t>(e)].producer;
            if (inlined[static_cast<size_t>(producer)]) {
                collect(graph, producer, inlined, members);
            }
        }
    }
    members.push_back(func);
}

/** The cheapest of what the policies offer. */
Group best_group(const GroupRequest &request) {
    if (request.graph.funcs[static_cast<size_t>(request.root)].user_scheduled) {
        Group g = *serial(request);
        g.policy = "as scheduled";
        g.nests.clear();
        g.computed.clear();
        return g;
    }
    const std::optional<Group> tiled = register_tile(request);
    std::optional<Group> best = cheaper(streaming(request), tiled);
    if (tiled) {
        best = cheaper(std::move(best), cache_block(request, *tiled));
    }
    best = cheaper(std::move(best), row_reduction(request));
    best = cheaper(std::move(best), serial(request));
    if (!best) {
        best = Group();
        best->root = request.root;
        best->cost.compute = std::numeric_limits<double>::infinity();
    }
    return *best;
}

}  // namespace

const Group &Completer::group(FuncId root, const Placements &placements, const std::vector<bool> &inlined) {
    std::vector<FuncId> tiled, members;
    for (size_t f = 0; f < placements.size(); f++) {
        if (placements[f].kind == Placement::Kind::at && placements[f].consumer == root) {
            tiled.push_back(static_cast<FuncId>(f));
            collect(graph_, static_cast<FuncId>(f), inlined, members);
        }
    }
    collect(graph_, root, inlined, members);
    std::string key;
    for (const std::vector<FuncId> *part : {&tiled, &members}) {
        for (const FuncId f : *part) {
            key += std::to_string(f) + ",";
        }
        key += ";";
    }
    const auto it = groups_.find(key);
    if (it != groups_.end()) {
        return it->second;
    }
    Group g = best_group({graph_, machine_, inlined, root, tiled});
    std::sort(members.begin(), members.end());
    g.members = members;
    // A buffer of its own for what is not handed to the caller.
    g.cost.launch += graph_.funcs[static_cast<size_t>(root)].output ? 0 : machine_.allocation_seconds;
    return groups_.emplace(key, std::move(g)).first->second;
}

Seconds Completer::total(const Placements &placements) {
    const std::vector<bool> inlined = inlined_flags(graph_, placements);
    Seconds sum = 0;
    for (size_t f = 0; f < placements.size(); f++) {
        if (placements[f].kind == Placement::Kind::root) {
            sum += group(static_cast<FuncId>(f), placements, inlined).cost.total();
        }
    }
    return sum;
}

FusionPlan Completer::plan(const Placements &placements) {
    const std::vector<bool> inlined = inlined_flags(graph_, placements);
    FusionPlan plan;
    plan.placements = placements;
    for (size_t f = 0; f < placements.size(); f++) {
        if (placements[f].kind == Placement::Kind::root) {
            plan.groups.push_back(group(static_cast<FuncId>(f), placements, inlined));
        }
    }
    return plan;
}

FusionPlan complete(const Graph &graph, const Machine &machine, const Placements &placements) {
    return Completer(graph, machine).plan(placements);
}

Placements unfused(const Graph &graph) {
    Placements placements;
    for (const FuncInfo &f : graph.funcs) {
        placements.push_back({f.input ? Placement::Kind::inlined : Placement::Kind::root, -1});
    }
    return placements;
}

}  // namespace eutectic
