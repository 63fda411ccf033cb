#include "schedules/calibration/plans.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/units.h"
#include "base/user_error.h"
#include "fusion/search/plan_sample.h"

namespace eutectic {

using namespace Halide;

namespace {

Pipeline build(const std::string &generator, const std::map<std::string, std::string> &params,
               const Target &target, Internal::AbstractGeneratorPtr &made) {
    const std::vector<std::string> known = Internal::GeneratorRegistry::enumerate();
    if (std::find(known.begin(), known.end(), generator) == known.end()) {
        throw UserError("There is no generator " + generator + ": it must be linked into this program.");
    }
    made = Internal::GeneratorRegistry::create(generator, GeneratorContext(target));
    for (const auto &[name, value] : params) {
        made->set_generatorparam_value(name, value);
    }
    return made->build_pipeline();
}

}  // namespace

std::vector<ListedPlan> list_plans(const std::string &generator,
                                   const std::map<std::string, std::string> &params, const Target &target,
                                   const Parameters &parameters, uint64_t seeds) {
    Internal::AbstractGeneratorPtr made;  // it owns what the pipeline is made of
    const Pipeline pipeline = build(generator, params, target, made);
    const Machine machine = choose_machine(target, parameters);
    const ReadPipeline read = read_prepared(pipeline, target, machine, parameters);
    const Graph &graph = read.graph;
    std::vector<ListedPlan> all;
    std::set<std::string> seen;
    const auto add = [&](const std::string &name, const FusionPlan &plan) {
        const std::string text = to_string(plan);
        const Seconds predicted = plan.cost().total();
        if (std::isfinite(predicted) && seen.insert(text).second) {
            all.push_back({name, stable_hash(text), predicted, text});
        }
    };
    add("chosen", (read.planned ? *read.planned : choose_plan(graph, machine, parameters)).plan);
    add("unfused", plan_unfused(graph, machine).plan);
    for (uint64_t seed = 0; seed < seeds; seed++) {
        add(std::to_string(seed), plan_sample(graph, machine, parameters.rules(machine), seed).plan);
    }
    return all;
}

}  // namespace eutectic
