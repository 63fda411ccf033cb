#include "schedules/priced_calls.h"

#include "schedules/gpu/device_code.h"
#include "schedules/prepare.h"

namespace eutectic {

bool may_change_sum(const FuncInfo &info) {
    return may_redefine(info) && info.stages.size() == 2;
}

std::future<PlanAfter> plan_after(const std::function<void(const Halide::Pipeline &)> &call,
                                  const Halide::Pipeline &pipeline, const Graph &graph,
                                  const Halide::Target &target, const Machine &machine,
                                  const Parameters &parameters) {
    const Halide::Pipeline copy = copy_of(pipeline);
    call(copy);
    const Numerics numerics = !graph.strict             ? Numerics::fast
                              : graph.sums_in_any_order ? Numerics::nan_safe
                                                        : Numerics::strict;
    const auto plan = [&machine, &parameters](Graph changed) {
        Planned planned = choose_plan(changed, machine, parameters);
        return PlanAfter{std::move(changed), std::move(planned)};
    };
    return std::async(std::launch::async, plan,
                      read_graph(copy, target, numerics, graph.functions_in_vectors));
}

Seconds seconds_after(const std::function<void(const Halide::Pipeline &)> &call,
                      const Halide::Pipeline &pipeline, const Graph &graph, const Halide::Target &target,
                      const Machine &machine, const Parameters &parameters) {
    return plan_after(call, pipeline, graph, target, machine, parameters).get().seconds();
}

std::string instead(Seconds a, Seconds b) {
    return "a predicted " + format_seconds(a) + " instead of " + format_seconds(b);
}

}  // namespace eutectic
