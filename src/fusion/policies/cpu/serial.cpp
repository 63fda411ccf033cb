// The loops as they are defined, on one core.

#include "fusion/policies/policy.h"

namespace eutectic {

std::optional<Group> serial(const GroupRequest &q) {
    if (!q.tiled.empty()) {
        return std::nullopt;
    }
    const FuncInfo &func = q.graph.funcs[static_cast<size_t>(q.root)];
    Group g;
    g.root = q.root;
    g.policy = "serial";
    g.computed = {{q.root, -1, -1, 0, {}}};
    for (const StageId s : func.stages) {
        const Stage &stage = q.graph.stages[static_cast<size_t>(s)];
        g.nests.push_back({q.root, stage.update, stage.dims, Nest()});
        g.work.push_back({stage_work(q.graph, s, q.inlined), Nest(), {}, false, false});
    }
    g.cost = price(g.work, q.machine);
    return g;
}

}  // namespace eutectic
