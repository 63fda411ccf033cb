#include <algorithm>

#include "base/units.h"
#include "report/report.h"

namespace eutectic {

namespace {

/** Reductions that rfactor() has split before they came here. */
void add_split_reductions(const Graph &graph, std::vector<std::string> &sentences) {
    for (const FuncId i : graph.funcs.ids()) {
        const FuncInfo &f = graph.funcs[i];
        if (f.input || f.stages.size() != 2) {
            continue;
        }
        const Stage &update = graph.last_stage(i);
        if (update.role != Role::reduction || update.edges.size() != 1 ||
            update.body.flops + update.body.divisions + update.body.transcendentals > 1) {
            continue;
        }
        const FuncId first = graph.edges[update.edges[0]].producer;
        const FuncInfo &p = graph.funcs[first];
        if (p.input || p.stages.size() < 2 || graph.consumer_funcs(first).size() != 1 ||
            !graph.last_stage(first).reassociable) {
            continue;
        }
        sentences.push_back(
            p.name + " and " + f.name +
            " are one reduction in two steps, as rfactor() leaves it: each is scheduled as it stands");
    }
}

/** Why nothing of `func` runs in parallel, as what follows "since"; the last of its stages that says so. */
std::string why_serial(const Graph &graph, FuncId func) {
    const FuncInfo &info = graph.funcs[func];
    for (size_t s = info.stages.size(); s-- > 0;) {
        if (const Stage &stage = graph.stages[info.stages[s]]; !stage.why_opaque.empty()) {
            return stage.why_opaque;
        }
    }
    return "no policy has tasks for it";
}

/** Groups that one core computes, as they are defined, for longer than it takes to start the others. */
void add_serial_groups(const Graph &graph, const FusionPlan &plan, const Machine &machine,
                       std::vector<std::string> &sentences) {
    for (const Group &g : plan.groups) {
        const Seconds seconds = g.cost.total();
        if (g.policy == "serial" && machine.cores > 1 && seconds > machine.launch_seconds) {
            sentences.push_back(graph.funcs[g.root].name + " runs on one core, as it is defined, for " +
                                format_seconds(seconds) + " by the model, since " +
                                why_serial(graph, g.root));
        }
    }
}

}  // namespace

std::vector<std::string> notes(const Graph &graph, const FusionPlan &plan, const Machine &machine) {
    std::vector<std::string> sentences = graph.changed;
    add_split_reductions(graph, sentences);
    add_serial_groups(graph, plan, machine, sentences);
    return sentences;
}

}  // namespace eutectic
