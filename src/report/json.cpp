#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "fusion/plan/grade.h"
#include "fusion/search/compile_limit.h"
#include "report/report.h"

namespace eutectic {

using nlohmann::ordered_json;

namespace {

ordered_json cost_json(const Cost &cost) {
    return {{"total_seconds", cost.total()},
            {"compute_seconds", cost.compute},
            {"memory_seconds", cost.memory},
            {"idle_seconds", cost.idle},
            {"launch_seconds", cost.launch}};
}

std::string name_in(const Graph &graph, const Group &group, FuncId f) {
    if (graph.funcs.contains(f)) {
        return graph.funcs[f].name;
    }
    for (const Added &a : group.added) {
        if (a.id == f) {
            return name_in(graph, group, a.of) + "_" + a.name;
        }
    }
    return "f" + std::to_string(f);
}

ordered_json loops_json(const Graph &graph, const Group &group) {
    ordered_json loops = ordered_json::array();
    for (const TreeFunc &f : group.tree.funcs()) {
        for (const TreeStage &s : f.stages) {
            ordered_json list = ordered_json::array();
            for (const Loop &loop : s.loops) {
                const char *const kinds[] = {"serial",    "parallel",   "unroll",   "vector",
                                             "gpu_block", "gpu_thread", "gpu_lane", "gpu_step"};
                list.push_back(
                    {{"dim", loop.dim < 0 ? ordered_json() : ordered_json(s.dims[loop.dim].name.str())},
                     {"step", loop.size},
                     {"kind", kinds[static_cast<int>(loop.kind)]}});
            }
            loops.push_back({{"func", name_in(graph, group, f.func)}, {"update", s.update}, {"loops", list}});
        }
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

ordered_json group_json(const Report &r, const Group &g) {
    ordered_json members = ordered_json::array(), added = ordered_json::array();
    Bytes saved = 0, stores = 0;
    for (const FuncId f : g.members) {
        const FuncInfo &member = r.graph.funcs[f];
        members.push_back(member.name);
        const bool written = f == g.root || shares_nest(r.planned.plan.placements[f]);
        (written ? stores : saved) += (written ? 1 : 2) * member.bytes();
    }
    for (const Added &a : g.added) {
        added.push_back({{"func", name_in(r.graph, g, a.id)},
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
                         {"loops", loops_json(r.graph, g)},
                         {"added", added},
                         {"cost", cost_json(g.cost)},
                         {"stores_bytes", stores},
                         {"loads_bytes", loads_of(r, g)},
                         {"saved_bytes", saved}};
    json["refused"] = g.refused;
    return json;
}

/** The kernels of a GPU, in the order in which they are launched. */
ordered_json kernels_json(const Report &r) {
    ordered_json kernels = ordered_json::array();
    for (const Group &g : r.planned.plan.groups) {
        for (size_t i = 0; i < g.kernels.size(); i++) {
            const KernelPrice &k = g.kernels[i];
            const CompiledKernel *compiled = compiled_kernel(r, g.root, i);
            const KernelResources &needs = compiled ? compiled->resources : k.resources;
            const Occupancy &occupancy = compiled ? compiled->occupancy : k.occupancy;
            kernels.push_back({{"name", r.graph.funcs[g.root].name},
                               {"blocks", k.blocks},
                               {"threads", needs.threads},
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
    const auto found = std::find_if(r.runners_up.begin(), r.runners_up.end(),
                                    [&](const RunnerUp &u) { return u.func == producer; });
    if (found == r.runners_up.end()) {
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
    for (const EdgeDecision &e : edge_decisions(r.graph, r.planned)) {
        const FuncInfo &producer = r.graph.funcs[e.producer];
        edges.push_back({{"producer", producer.name},
                         {"consumer", r.graph.funcs[e.consumer].name},
                         {"decision", e.decision},
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
                         {"reason", d.reason}});
    }
    return nests;
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
    ordered_json groups = ordered_json::array();
    for (const Group &g : r.planned.plan.groups) {
        groups.push_back(group_json(r, g));
    }
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
        {"traffic",
         {{"unfused_bytes", t.unfused_bytes},
          {"fused_bytes", t.fused_bytes},
          {"saved_bytes", t.saved_bytes},
          {"caller_read_bytes", t.caller_read_bytes}}},
        {"cost", cost_json(r.planned.plan.cost())},
        {"unfused_cost", cost_json(r.planned.unfused.cost())},
        {"allocator",
         {{"kind", r.machine.arena ? "arena" : "heap"}, {"trimming_seconds", r.planned.plan.trimming}}},
        {"operations", operations_json(r)},
        {"groups", groups},
        {"edges", edges_json(r)},
        {"nests", nests_json(r)},
        {"notes", sentences},
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
