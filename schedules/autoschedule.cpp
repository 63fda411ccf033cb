// The straight line: a pipeline becomes a graph, a plan, a schedule, and is scheduled; the report says why.

#include "schedules/autoschedule.h"

#include <chrono>

#include "features/features.h"
#include "fusion/plan_beam.h"
#include "fusion/plan_sample.h"
#include "fusion/rule.h"
#include "graph/build.h"
#include "machine/calibration.h"
#include "report/report.h"
#include "schedules/directive.h"
#include "schedules/target.h"
#include "schedules/write_report.h"

namespace eutectic {

using namespace Halide;

namespace {

/** Runs the steps and remembers how long each took. */
class Stopwatch {
public:
    std::vector<std::pair<std::string, Seconds>> steps;

    template<typename F>
    auto time(const char *step, F &&f) {
        const auto start = std::chrono::steady_clock::now();
        auto result = f();
        steps.emplace_back(step, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        return result;
    }
    Seconds total() const {
        Seconds sum = 0;
        for (const auto &s : steps) {
            sum += s.second;
        }
        return sum;
    }
};

std::vector<Internal::Function> output_functions(const Pipeline &pipeline) {
    std::vector<Internal::Function> outputs;
    for (const Func &f : pipeline.outputs()) {
        outputs.push_back(f.function());
    }
    for (auto &[name, function] : Internal::build_environment(outputs)) {
        function.lock_loop_levels();  // what the user scheduled can be read only then
    }
    return outputs;
}

}  // namespace

Machine choose_machine(const Target &target, const Parameters &p) {
    if (!p.machine_file.empty()) {
        return machine_from_file(p.machine_file, describe(target), p.parallelism);
    }
    return p.machine_host ? machine_from_host(describe(target), p.parallelism) : machine_from_target(describe(target), p.parallelism);
}

Graph read_graph(const Pipeline &pipeline, const Target &target) {
    Graph g = build_graph(output_functions(pipeline));
    g.strict = target.has_feature(Target::StrictFloat);
    return g;
}

Planned choose_plan(const Graph &graph, const Machine &machine, const Parameters &p) {
    if (p.sample) {
        return plan_sample(graph, machine, p.rules(), *p.sample);
    }
    if (p.unfused) {
        return plan_unfused(graph, machine);
    }
    return p.effort == Effort::best ? plan_beam(graph, machine, p.rules()) : plan_greedy(graph, machine, p.rules());
}

std::string autoschedule(const Pipeline &pipeline, const Target &target, const Parameters &p) {
    is_strict(target, p.numerics);  // refuses what contradicts the target
    Stopwatch watch;
    const Machine machine = watch.time("machine", [&] { return choose_machine(target, p); });
    const Graph graph = watch.time("graph", [&] { return read_graph(pipeline, target); });
    const Features features = watch.time("features", [&] { return measure(graph); });
    const Planned planned = watch.time("plan", [&] { return choose_plan(graph, machine, p); });
    const Schedule schedule = watch.time("emit", [&] { return emit(graph, planned.plan); });
    const std::string source = watch.time("print", [&] { return print(schedule); });
    watch.time("apply", [&] {
        apply(schedule, pipeline);
        return 0;
    });
    if (!p.report.empty()) {
        write_report({graph, features, machine, planned, target.to_string(), source, watch.steps, watch.total(), p.residuals}, p.report);
    }
    if (!p.priced.empty()) {
        write_priced(planned.plan, machine, p.priced);
    }
    return source;
}

}  // namespace eutectic
