#include "tests/gpu/rows_in_registers.h"

#include <stdexcept>

#include "fusion/policies/gpu/gpu.h"

namespace eutectic::test {

FusionPlan rows_in_registers(const Graph &graph, const Machine &machine, bool keep) {
    const FuncId root = graph.funcs.next_id() - 1;
    const size_t dims = graph.funcs.back().extents.size();
    FusionPlan plan;
    Table<FuncId, bool> inlined;
    std::vector<FuncId> blocked;
    for (FuncId f = 0; f < root; f++) {
        const FuncInfo &info = graph.funcs[f];
        const bool in_block = info.stages.size() > 1 || (keep && !info.input && info.extents.size() == dims);
        plan.placements.push_back(
            {in_block ? Placement::Kind::block : Placement::Kind::inlined, in_block ? root : no_func});
        inlined.push_back(!in_block && !info.input);
        blocked.insert(blocked.end(), in_block ? 1 : 0, f);
    }
    plan.placements.push_back({Placement::Kind::root, -1});
    inlined.push_back(false);
    MadeIds ids(graph.funcs.size());
    Offer offer = gpu_registers({graph, machine, plan.placements, inlined, ids, root, {}, blocked});
    std::optional<Group> &group = offer.group();
    if (!group) {
        throw std::logic_error("gpu_registers " + offer.reason());
    }
    group->members = blocked;
    group->members.push_back(root);
    plan.groups.push_back(*group);
    return plan;
}

}  // namespace eutectic::test
