#include "report/nest_features.h"

#include <sstream>

#include "cost/pricer.h"

namespace eutectic {

namespace {

struct Column {
    const char *name;
    double (*of)(const NestFeatures &nest, const eutectic_stage &stage);
};

#define OF_STAGE(field) {#field, [](const NestFeatures &, const eutectic_stage &s) { return s.field; }}

const Column columns[] = {
    {"tasks", [](const NestFeatures &n, const eutectic_stage &) { return n.tasks; }},
    {"touched_bytes", [](const NestFeatures &n, const eutectic_stage &) { return n.touched_bytes; }},
    OF_STAGE(points),
    OF_STAGE(flops),
    OF_STAGE(divisions),
    OF_STAGE(transcendentals),
    OF_STAGE(libm_calls),
    OF_STAGE(recomputed),
    OF_STAGE(element_bytes),
    OF_STAGE(loaded_bytes),
    OF_STAGE(stored_bytes),
    OF_STAGE(beyond_l1),
    OF_STAGE(beyond_l2),
    OF_STAGE(beyond_l3),
    OF_STAGE(lanes),
    OF_STAGE(unrolled),
    OF_STAGE(in_registers),
    OF_STAGE(compute_seconds),
    {"own_compute_seconds", [](const NestFeatures &n, const eutectic_stage &) { return n.own.compute; }},
    {"own_memory_seconds", [](const NestFeatures &n, const eutectic_stage &) { return n.own.memory; }},
    {"own_idle_seconds", [](const NestFeatures &n, const eutectic_stage &) { return n.own.idle; }},
    {"own_launch_seconds", [](const NestFeatures &n, const eutectic_stage &) { return n.own.launch; }},
};
#undef OF_STAGE

/** Of the stages as they are priced together. */
void add(std::ostream &s, const Graph &graph, const std::string &root, const std::vector<NestedStage> &stages,
         const Machine &machine) {
    Machine own = machine;
    own.experiment.pricer = nullptr;
    const NestFeatures nest = nest_features(stages, own, parallel_tasks(stages.front()), price(stages, own));
    for (size_t i = 0; i < stages.size(); i++) {
        const FuncId f = stages[i].work->func;
        s << root << "," << (graph.funcs.contains(f) ? graph.funcs[f].name : root + "'s") << ","
          << stages[i].work->update;
        for (const Column &column : columns) {
            s << "," << column.of(nest, nest.stages[i]);
        }
        s << "," << price(stages, machine).total() << "\n";
    }
}

}  // namespace

std::string nest_features_csv(const Graph &graph, const FusionPlan &plan, const Machine &machine) {
    std::ostringstream s;
    s.precision(10);
    s << "nest,func,update";
    for (const Column &column : columns) {
        s << "," << column.name;
    }
    s << ",predicted_seconds\n";
    for (const Group &group : plan.groups) {
        if (group.tree.empty()) {
            continue;  // its loops are its author's
        }
        const std::vector<NestedStage> stages = group.tree.priced();
        const std::string &root = graph.funcs[group.root].name;
        if (!group.tree.runs_in_turn()) {
            add(s, graph, root, stages, machine);
            continue;
        }
        for (const NestedStage &stage : stages) {
            add(s, graph, root, {stage}, machine);
        }
    }
    return s.str();
}

}  // namespace eutectic
