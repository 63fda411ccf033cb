// The loops as they are defined, on one core.

#include "fusion/policies/policy.h"

namespace eutectic {

Offer serial(const GroupRequest &q) {
    const FuncInfo &func = q.graph.funcs[q.root];
    if (const std::string reason = not_alone(q); !reason.empty()) {
        return Offer::other_kind(reason);
    }
    Group g;
    g.root = q.root;
    g.policy = "serial";
    g.tree.add_at_root(q.root);
    for (const StageId s : func.stages) {
        const Stage &stage = q.graph.stages[s];
        g.tree.add_stage(q.root, stage.update, stage.dims, {}, {},
                         NestedStage{stage_work(q.graph, s, q.inlined)});
    }
    g.cost = price(g.tree, q.machine);
    return g;
}

}  // namespace eutectic
