#include "schedules/gpu/on_device.h"

#include "fusion/rewrite.h"

#include <algorithm>

namespace eutectic {

namespace {

bool has_blocks(const TreeStage &s) {
    return std::any_of(s.loops.begin(), s.loops.end(),
                       [](const Loop &l) { return l.kind == Loop::Kind::gpu_block; });
}

/** Why the group's root is not on the device, although it is the plan's to put it there; empty: it is. */
std::string why_not(const Graph &graph, const Group &g) {
    const FuncInfo &root = graph.funcs[g.root];
    for (const StageId s : root.stages) {
        if (graph.stages[s].external) {
            return root.name + " is an extern stage, which runs on the CPU";
        }
    }
    if (root.user_scheduled) {
        return "";  // as its user wants it
    }
    for (const StageId s : root.stages) {
        const Stage &stage = graph.stages[s];
        if (stage.update < 0 && stage.role == Role::opaque && !stage.why_opaque.empty()) {
            return root.name + " runs on the CPU, because " + stage.why_opaque;
        }
    }
    for (const TreeFunc &f : g.tree.funcs()) {
        if (!f.computed && !std::all_of(f.stages.begin(), f.stages.end(), has_blocks)) {
            return root.name + " has a stage without loops over blocks of threads";
        } else if (f.stages.empty()) {
            return root.name + " has no loops";
        }
    }
    if (!g.tree.empty()) {
        return "";
    }
    std::string why = "no policy has loops for " + root.name;
    for (size_t i = 0; i < g.refused.size(); i++) {
        why += (i == 0 ? ", because " : ", and ") + g.refused[i];
    }
    return why;
}

}  // namespace

Verdict on_device(const Graph &graph, const FusionPlan &plan) {
    for (const Group &g : plan.groups) {
        const std::string why = why_not(graph, g);
        if (!why.empty()) {
            return Verdict::forbid(why);
        }
    }
    Table<FuncId, bool> computed(graph.funcs.size(), false);
    for (const Group &g : plan.groups) {
        for (const TreeFunc &f : g.tree.funcs()) {
            computed[algorithm_func(g, f.func)] = true;
        }
        for (const Added &a : g.added) {
            if (a.kind == Added::Kind::rewrite) {
                for (const FuncId f : a.others) {
                    const FuncId of = algorithm_func(g, a.of);
                    computed[f] = computed[f] || computed_by_rewrite(graph, plan.placements, f, of);
                }
            }
        }
    }
    for (const FuncId f : graph.funcs.ids()) {
        if (plan.placements[f].kind != Placement::Kind::inlined && !computed[f] &&
            !graph.funcs[f].user_scheduled) {
            return Verdict::forbid("no kernel computes " + graph.funcs[f].name);
        }
    }
    return Verdict::allow();
}

}  // namespace eutectic
