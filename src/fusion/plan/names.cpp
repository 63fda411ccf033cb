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
    for (const bool inputs : {false, true}) {  // no input takes a Func's name
        for (const FuncId f : graph.funcs.ids()) {
            const FuncInfo &info = graph.funcs[f];
            if (info.input == inputs) {
                names_[f] = given.give(callers_name(info));
            }
        }
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

std::string callers_name(const FuncInfo &func) {
    const std::string &name = func.name, suffix = "_im";  // Halide's name for a Func that stands for an input
    const size_t end = name.size() - std::min(name.size(), suffix.size());
    const bool stands = func.input && end > 0 && name.compare(end, suffix.size(), suffix) == 0;
    return stands ? name.substr(0, end) : name;
}

std::string variable(const Dims &dims, DimId dim) {
    const std::string &name = dims[dim].name;
    return name.empty() ? "d" + std::to_string(dim) : name;
}

}  // namespace eutectic
