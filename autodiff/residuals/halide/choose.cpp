#include "autodiff/residuals/halide/choose.h"

#include "autodiff/expr_tools.h"
#include "autodiff/residuals/halide/bind.h"
#include "autodiff/residuals/halide/build.h"

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

std::string unused(std::set<std::string> &taken, const std::string &name) {
    std::string result = name;
    for (int n = 2; !taken.insert(result).second; n++) {
        result = name + "_" + std::to_string(n);
    }
    return result;
}

KeptTensor tensor_of(const ResidualProblem &problem, const BuiltGraph &built, size_t v,
                     std::set<std::string> &taken) {
    const ValueOrigin &source = built.sources[v];
    const ResidualValue &value = built.graph.values[v];
    KeptTensor kept;
    kept.kind = value.kind;
    if (!source.made.empty() || !source.condition.empty()) {
        kept.made = source.made.empty() ? problem.conditions.at(source.condition).mask
                                        : problem.tape.placeholders().at(source.made).made;
        kept.type = kept.made.type;
        kept.region = kept.made.region;
        kept.name = unused(taken, "residual_" + kept.kind);
    } else {
        kept.of = source.of;
        kept.value_index = source.element;
        kept.type = source.of.output_types()[source.element];
        kept.region = problem.tape.region(source.of);
        kept.name = kept.kind == "output" ? problem.outputs.at({source.of.name(), source.element})
                                          : unused(taken, "residual_" + value.name);
    }
    if (kept.kind != "output") {
        kept.func = Func(kept.name);  // first, so that this Func and no other gets the plain name
    }
    kept.param = ImageParam(kept.type, static_cast<int>(kept.region.size()), kept.name);
    return kept;
}

std::string why_kept(const ResidualGraph &graph, const ResidualValue &value, bool within_budget) {
    if (value.kind == "output") {
        return "the caller has it: passed again";
    }
    if (value.recipes.empty()) {
        return "the backward reads it, and it cannot be made there";
    }
    return value.recipes[0].how + " would take " + format_seconds(value.recipes[0].seconds) +
           ", keeping it " + format_seconds(cost_of_keeping(graph, value)) +
           (within_budget ? ", and the budget has room for it" : "");
}

Residual described(const ResidualGraph &graph, const ResidualValue &value, const Recipe *recipe,
                   bool within_budget) {
    Residual info;
    info.kind = recipe ? (recipe->rewritten ? "rewritten" : "recomputed") : value.kind;
    info.seconds = recipe ? recipe->seconds : cost_of_keeping(graph, value);
    info.reason = recipe ? recipe->how : why_kept(graph, value, within_budget);
    info.refused = value.refused;
    if (recipe && !value.may_keep) {
        info.refused.push_back("keeping it: " + value.why_not_kept);
    }
    return info;
}

}  // namespace

ChosenResiduals choose_and_bind(Tape &tape, const std::vector<Func> &gradients,
                                const std::vector<Function> &order,
                                const std::map<Element, std::string> &outputs,
                                const std::set<std::string> &taken,
                                const std::map<std::string, SymbolicRegion> &backward_regions,
                                const ResidualOptions &options) {
    find_results(tape, gradients, order);
    const std::map<std::string, ForwardCondition> conditions = find_conditions(tape, gradients);
    const ResidualProblem problem{tape, gradients, order, outputs, conditions, backward_regions, options};
    const BuiltGraph built = build_residual_graph(problem);
    const ResidualChoice choice = choose(built.graph, options.policy, options.budget);
    ChosenResiduals result;
    result.scratch = choice.scratch;
    std::set<std::string> names = taken;
    std::map<int, ImageParam> params;
    for (size_t v = 0; v < built.sources.size(); v++) {
        const ResidualValue &value = built.graph.values[v];
        const int way = choice.way[v];
        const Recipe *recipe = way > ResidualChoice::kept ? &value.recipes[way - 1] : nullptr;
        if (way == ResidualChoice::absent) {
            continue;
        }
        const Residual info = described(built.graph, value, recipe, options.budget.has_value());
        if (way == ResidualChoice::kept) {
            KeptTensor kept = tensor_of(problem, built, v, names);
            kept.info = info;
            kept.info.name = kept.name;
            params[static_cast<int>(v)] = kept.param;
            result.kept.push_back(kept);
        }
        if (recipe || value.kind == "output") {
            result.others.push_back(info);
            result.others.back().name = value.kind == "output" ? result.kept.back().name : value.name;
        }
    }
    bind_backward(problem, built, choice, params);
    return result;
}

}  // namespace eutectic
