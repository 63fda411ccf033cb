#include "fusion/plan/names.h"

#include <algorithm>
#include <set>

namespace eutectic {

namespace {

/** Names that are given out once each. */
class Given {
public:
    std::string give(const std::string &wanted) {
        std::string name = wanted;
        for (int n = 2; !names_.insert(name).second; n++) {
            name = wanted + std::to_string(n);
        }
        return name;
    }

private:
    std::set<std::string> names_;
};

}  // namespace

PlanNames::PlanNames(const Graph &graph, const FusionPlan &plan) : graph_(graph) {
    Given given;
    for (const FuncId f : graph.funcs.ids()) {
        names_[f] = given.give(graph.funcs[f].name);
    }
    for (const Group &g : plan.groups) {
        std::map<FuncId, const Added *> made;
        for (const Added &a : g.added) {
            made[a.id] = &a;
        }
        // One may be listed before what it is made of.
        const std::function<const std::string &(FuncId)> name = [&](FuncId f) -> const std::string & {
            std::string &known = names_[f];
            if (known.empty()) {
                const auto added = made.find(f);
                known = given.give(added == made.end() ? "f" + std::to_string(f)
                                                       : name(added->second->of) + "_" + added->second->name);
            }
            return known;
        };
        for (const Added &a : g.added) {
            name(a.id);
        }
        for (const TreeFunc &f : g.tree.funcs()) {
            name(f.func);
        }
    }
}

std::string PlanNames::dim(FuncId func, DimId dim) const {
    const FuncInfo &info = graph_.funcs[func];
    return info.input ? "dim(" + std::to_string(dim) + ")" : variable(graph_.pure_stage(func).dims, dim);
}

std::string variable(const Dims &dims, DimId dim) {
    std::string name = dims[dim].name;
    std::replace(name.begin(), name.end(), '$', '.');  // r.x, which Halide calls r$x
    return name.empty() ? "d" + std::to_string(dim) : name;
}

}  // namespace eutectic
