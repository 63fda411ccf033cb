#include "fusion/completer.h"

#include <algorithm>

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

}  // namespace

const Group &Completer::group(FuncId root, const Placements &placements, const std::vector<bool> &inlined) {
    const std::vector<FuncId> blocked = placed_in(placements, Placement::Kind::block, root);
    std::vector<FuncId> tiled, members;
    std::string key;
    const auto add = [&](FuncId in) {
        tiled = placed_in(placements, Placement::Kind::at, in);
        for (const FuncId f : tiled) {
            collect(graph_, f, inlined, members);
            key += std::to_string(f) + ",";
        }
        collect(graph_, in, inlined, members);
        key += "at " + std::to_string(in) + ";";
    };
    std::for_each(blocked.begin(), blocked.end(), add);
    add(root);
    for (const FuncId f : members) {
        key += std::to_string(f) + ",";
    }
    const auto it = groups_.find(key);
    if (it != groups_.end()) {
        return it->second;
    }
    Group g = best_group({graph_, machine_, placements, inlined, root, tiled, blocked});
    std::sort(members.begin(), members.end());
    g.members = members;
    // A buffer of its own for what is not handed to the caller.
    g.cost.launch += graph_.funcs[static_cast<size_t>(root)].output ? 0 : allocation_cost(graph_.funcs[static_cast<size_t>(root)].bytes(), machine_);
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
