#include "autodiff/residuals/halide/choose.h"

#include "autodiff/expr_tools.h"
#include "autodiff/residuals/choice/reason.h"
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

// An extreme compares nothing.
std::string why(const ResidualGraph &graph, const ResidualChoice &choice, size_t v, ResidualPolicy policy) {
    const ResidualValue &value = graph.values[v];
    const int way = choice.way[v];
    if (policy == ResidualPolicy::cost || value.kind == "output" || value.recipes.empty()) {
        return reason_of(graph, choice, v);
    }
    return way > ResidualChoice::kept ? value.recipes[way - 1].how
                                      : "save-all keeps all that the backward reads";
}

Residual described(const ResidualGraph &graph, const ResidualChoice &choice, size_t v, const Recipe *recipe,
                   ResidualPolicy policy) {
    const ResidualValue &value = graph.values[v];
    Residual info;
    info.kind = recipe ? (recipe->rewritten ? "rewritten" : "recomputed") : value.kind;
    info.seconds = recipe ? recipe->seconds : value.keep_seconds;
    info.reason = why(graph, choice, v, policy);
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
        const Residual info = described(built.graph, choice, v, recipe, options.policy);
        if (way == ResidualChoice::kept) {
            KeptTensor kept = tensor_of(problem, built, v, names);
            kept.info = info;
            kept.info.name = kept.name;
            params[static_cast<int>(v)] = kept.param;
            result.kept.push_back(kept);
        }
        if (recipe || value.kind == "output") {
            result.others.push_back(info);
            result.others.back().name = recipe ? value.name : result.kept.back().name;
        }
    }
    bind_backward(problem, built, choice, params);
    return result;
}

}  // namespace eutectic
