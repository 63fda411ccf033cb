#include "schedules/kept_plan.h"

#include <map>
#include <string>
#include <utility>

namespace eutectic {

namespace {

bool same_pipeline(const Graph &a, const Graph &b) {
    if (a.funcs.size() != b.funcs.size() || to_string(a, false) != to_string(b, false)) {
        return false;
    }
    for (const FuncId f : a.funcs.ids()) {
        if (a.funcs[f].name != b.funcs[f].name || a.funcs[f].pipeline_index != b.funcs[f].pipeline_index) {
            return false;
        }
    }
    return true;
}

using Names = std::map<std::string, std::string>;

/** Those of dims that differ: what they are called in `from`, and in `to`. */
Names other_names(const Graph &from, const Graph &to) {
    Names names;
    for (const StageId s : from.stages.ids()) {
        for (const DimId d : from.stages[s].dims.ids()) {
            const std::string &name = from.stages[s].dims[d].name, &now = to.stages[s].dims[d].name;
            if (name != now) {
                names[name] = now;
            }
        }
    }
    return names;
}

bool has_any(const Dims &dims, const Names &names) {
    for (const Dim &d : dims) {
        if (names.count(d.name) > 0) {
            return true;
        }
    }
    return false;
}

void rename(Dims &dims, const Names &names) {
    for (Dim &d : dims) {
        const auto now = names.find(d.name);
        if (now != names.end()) {
            d.name = now->second;
        }
    }
}

void rename(FusionPlan &plan, const Names &names) {
    plan.placements.forget_rewritten();
    for (Group &g : plan.groups) {
        for (TreeFunc &f : g.tree.funcs()) {
            for (TreeStage &s : f.stages) {
                rename(s.dims, names);
                if (s.priced && has_any(s.priced->work->dims, names)) {
                    rename(s.priced->work.edit().dims, names);
                }
            }
        }
    }
}

}  // namespace

std::optional<Planned> kept_plan(PlanAfter before, const Graph &graph) {
    if (!same_pipeline(before.graph, graph)) {
        return std::nullopt;
    }
    const Names names = other_names(before.graph, graph);
    rename(before.planned.plan, names);
    rename(before.planned.unfused, names);
    return std::move(before.planned);
}

}  // namespace eutectic
