// The groups of a plan as JSON, and the kernels of a GPU.

#include "report/json_groups.h"

#include <algorithm>
#include <map>
#include <numeric>

#include <nlohmann/json.hpp>

#include "report/gpu_facts.h"
#include "report/nest_text.h"

namespace eutectic {

using nlohmann::ordered_json;

namespace {

ordered_json loop_json(const StageNest &s, size_t at) {
    const Loop &loop = s.nest.loops[at];
    const char *const kinds[] = {"serial",    "parallel",   "unroll",   "vector",
                                 "gpu_block", "gpu_thread", "gpu_lane", "gpu_step"};
    return {{"dim", loop.dim < 0 ? ordered_json() : ordered_json(variable(s.dims, loop.dim))},
            {"step", loop.size},
            {"turns", trips(s.nest, at, s.dims)},
            {"kind", kinds[static_cast<int>(loop.kind)]}};
}

ordered_json loops_json(const PlanNames &names, const LoopTree &tree) {
    ordered_json loops = ordered_json::array();
    for (const StageNest &s : tree.nests()) {
        ordered_json list = ordered_json::array();
        for (size_t l = first_own_loop(s); l < s.nest.loops.size(); l++) {
            list.push_back(loop_json(s, l));
        }
        const std::optional<LoopRef> &in = tree.at(s.func).computed;
        loops.push_back(
            {{"func", names[s.func]},
             {"update", s.update},
             {"computed_in",
              in ? ordered_json({{"func", names[in->func]}, {"update", in->update}, {"loop", in->loop}})
                 : ordered_json()},
             {"loops", list},
             {"text", nest_text(names, tree, s)}});
    }
    return loops;
}

/** Points of each dim that one tile of the root's nest covers: on a GPU, one block. */
Extents tile_of(const Group &group) {
    const std::vector<StageNest> nests = group.tree.nests();
    if (nests.empty()) {
        return {};
    }
    const StageNest &s = nests.front();
    size_t inner = 0;
    while (inner < s.nest.loops.size() && s.nest.loops[inner].kind == Loop::Kind::gpu_block) {
        inner++;
    }
    if (inner > 0) {
        return tile_inside(s.nest, inner, s.dims);
    }
    inner = s.nest.loops.size();
    while (inner > 0 && is_unrolled(s.nest.loops[inner - 1].kind)) {
        inner--;
    }
    return tile_inside(s.nest, inner, s.dims);
}

/** Of each dim of the stage: in a block of another Func's loops those of one block, in all blocks. */
Extents points_of(const NestedStage &s) {
    Extents all;
    for (const Dim &d : s.work->dims) {
        all.push_back(d.extent);
    }
    for (size_t l = 0; l < static_cast<size_t>(s.nest.shared) && s.nest.loops[l].count > 0; l++) {
        if (s.nest.loops[l].dim >= 0) {
            all[s.nest.loops[l].dim] *= s.nest.loops[l].count;
        }
    }
    return all;
}

/** Bytes of other groups' Funcs and of inputs that the group reads; those that several of its stages read
 * count once. */
Bytes loads_of(const Report &r, const Group &g) {
    std::map<FuncId, Bytes> of;
    for (const NestedStage &s : priced_stages(g)) {
        for (const Load &load : s.work->loads) {
            const bool ours = load.producer == g.root || !r.graph.funcs.contains(load.producer);
            const auto there = [&](const std::vector<FuncId> &funcs) {
                return std::find(funcs.begin(), funcs.end(), load.producer) != funcs.end();
            };
            if (!ours && !load.reread && !there(s.local) && !there(s.in_block)) {
                Bytes &bytes = of[load.producer];
                bytes =
                    std::min(bytes + static_cast<Bytes>(footprint(load, points_of(s))) * load.bytes_per_point,
                             r.graph.funcs[load.producer].bytes());
            }
        }
    }
    return std::accumulate(of.begin(), of.end(), Bytes(0),
                           [](Bytes sum, const auto &one) { return sum + one.second; });
}

ordered_json group_json(const Report &r, const PlanNames &names, const Group &g) {
    ordered_json members = ordered_json::array(), added = ordered_json::array();
    Bytes saved = 0, stores = 0;
    for (const FuncId f : g.members) {
        const FuncInfo &member = r.graph.funcs[f];
        members.push_back(member.name);
        const bool written = f == g.root || shares_nest(r.planned.plan.placements[f]);
        (written ? stores : saved) += (written ? 1 : 2) * member.bytes();
    }
    for (const Added &a : g.added) {
        added.push_back({{"func", names[a.id]},
                         {"kind", a.name},
                         {"grade", to_string(a.grade)},
                         {"bytes", added_bytes(r.graph, g, a)}});
        stores += added_bytes(r.graph, g, a);
    }
    const FuncInfo &root = r.graph.funcs[g.root];
    ordered_json json = {{"root", root.name},
                         {"members", members},
                         {"policy", g.policy},
                         {"tile", tile_of(g).elements()},
                         {"loops", loops_json(names, g.tree)},
                         {"added", added},
                         {"cost", cost_json(g.cost)},
                         {"stores_bytes", stores},
                         {"loads_bytes", loads_of(r, g)},
                         {"saved_bytes", saved}};
    json["refused"] = g.refused;
    return json;
}

ordered_json accesses_json(const PlanNames &names, const std::vector<KernelAccess> &accesses) {
    ordered_json all = ordered_json::array();
    for (const KernelAccess &a : accesses) {
        all.push_back({{"func", names[a.func]}, {"how", a.how}});
    }
    return all;
}

}  // namespace

ordered_json cost_json(const Cost &cost) {
    return {{"total_seconds", cost.total()},
            {"compute_seconds", cost.compute},
            {"memory_seconds", cost.memory},
            {"idle_seconds", cost.idle},
            {"launch_seconds", cost.launch}};
}

ordered_json groups_json(const Report &r) {
    const PlanNames names(r.graph, r.planned.plan);
    ordered_json groups = ordered_json::array();
    for (const Group &g : r.planned.plan.groups) {
        groups.push_back(group_json(r, names, g));
    }
    return groups;
}

ordered_json kernels_json(const Report &r) {
    const PlanNames names(r.graph, r.planned.plan);
    ordered_json kernels = ordered_json::array();
    for (const Group &g : r.planned.plan.groups) {
        const std::vector<KernelFacts> facts = kernel_facts(g);
        for (size_t i = 0; i < g.kernels.size(); i++) {
            const KernelPrice &k = g.kernels[i];
            const CompiledKernel *compiled = compiled_kernel(r, g.root, i);
            const KernelResources &needs = compiled ? compiled->resources : k.resources;
            const Occupancy &occupancy = compiled ? compiled->occupancy : k.occupancy;
            const KernelFacts does = i < facts.size() ? facts[i] : KernelFacts{{}, 0, {}, {}};
            kernels.push_back({{"name", r.graph.funcs[g.root].name},
                               {"blocks", k.blocks},
                               {"threads", needs.threads},
                               {"block", does.block},
                               {"vector_width", does.vector_width},
                               {"loads", accesses_json(names, does.loads)},
                               {"stores", accesses_json(names, does.stores)},
                               {"registers", needs.registers},
                               {"spill_bytes", compiled ? compiled->spill_bytes : 0},
                               {"shared_bytes", needs.shared_bytes},
                               {"occupancy", occupancy.share},
                               {"limited_by", to_string(occupancy.limit)},
                               {"dram_bytes", k.dram_bytes},
                               {"seconds", k.cost.total()},
                               {"estimated", !compiled}});
        }
    }
    return kernels;
}

}  // namespace eutectic
