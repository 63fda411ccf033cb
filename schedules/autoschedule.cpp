// The straight line: a pipeline becomes a graph, a plan, a schedule, and is scheduled; the report says why.

#include "schedules/autoschedule.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <tuple>

#include "base/user_error.h"
#include "features/features.h"
#include "fusion/rules/rule.h"
#include "fusion/search/compile_limit.h"
#include "fusion/search/pinned_loops.h"
#include "fusion/search/plan_beam.h"
#include "fusion/search/plan_exhaustive.h"
#include "fusion/search/plan_for_arena.h"
#include "fusion/search/plan_sample.h"
#include "graph/patterns/taps.h"
#include "graph/read/build.h"
#include "graph/read/outputs.h"
#include "report/report.h"
#include "schedules/cpu/emitted_code.h"
#include "schedules/directive.h"
#include "schedules/dump.h"
#include "schedules/functions.h"
#include "schedules/gpu/on_device.h"
#include "schedules/gpu/reach.h"
#include "schedules/hlpipe/reserve_names.h"
#include "schedules/hlpipe/save.h"
#include "schedules/hlpipe/strip.h"
#include "schedules/kept_plan.h"
#include "schedules/library_products.h"
#include "schedules/packed_inputs.h"
#include "schedules/prepare.h"
#include "schedules/priced_calls.h"
#include "schedules/rewrites.h"
#include "schedules/rewrites/made_rewrite.h"
#include "schedules/target.h"
#include "schedules/winograd.h"
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
        steps.emplace_back(step,
                           std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        return result;
    }
};

/** Writes the pipeline; what is compiled of it afterwards is only looked at from outside. */
std::string save(const Pipeline &pipeline, const Parameters &p) {
    locked_outputs(pipeline);
    save_pipeline(pipeline, p.save, p.residuals);
    strip(pipeline);
    for (const auto &[name, function] : Internal::build_environment(locked_outputs(pipeline))) {
        Func(function).compute_root();
    }
    return "// Saved to " + p.save + ": nothing is planned.\n";
}

/** Those of `changes` with which everything is predicted to be faster, one after the other. */
Preparation::Changes faster_with(const Preparation &of, const Preparation::Changes &changes,
                                 const Pipeline &pipeline, const Graph &graph, const Target &target,
                                 const Machine &machine, const Parameters &p) {
    const auto price = [&](const Preparation::Changes &made) {
        const auto make = [&](const Pipeline &copy) {
            if (!made.empty()) {
                of.make(copy, made);
            }
        };
        return seconds_after(make, pipeline, graph, target, machine, p);
    };
    Preparation::Changes chosen;
    Seconds best = price({});
    for (const std::pair<int, int> &change : changes) {
        Preparation::Changes with = chosen;
        with.push_back(change);
        if (const Seconds seconds = price(with); seconds < best) {
            chosen = with;
            best = seconds;
        }
    }
    return chosen;
}

}  // namespace

Graph read_graph(const Pipeline &pipeline, const Target &target, Numerics numerics,
                 bool functions_in_vectors) {
    Graph g = build_graph(locked_outputs(pipeline), pattern_finders(), functions_in_vectors);
    g.strict = numerics != Numerics::fast;
    g.sums_in_any_order = numerics == Numerics::nan_safe;
    g.gpu = target.has_gpu_feature();
    // Policies for GPUs copy what a block of threads reads load by load.
    return g.gpu ? with_uncertain_reach_anywhere(std::move(g), pipeline) : with_taps_together(g);
}

ReadPipeline read_prepared(const Pipeline &pipeline, const Target &target, const Machine &machine,
                           const Parameters &p) {
    std::vector<Prepared> prepared;
    std::vector<std::string> changed, final;
    const Numerics numerics = numerics_of(target, p.numerics);
    const ReplacedFunctions functions = functions_to_replace(pipeline, target, numerics, p);
    changed = sentences_on(functions);
    Graph graph = read_graph(pipeline, target, numerics, !functions.in_vectors.empty());
    check_limits(graph, locked_outputs(pipeline), target);
    std::set<std::tuple<std::string, std::string, int>> made_earlier;  // each is made once
    for (size_t step = 0; step < preparations().size(); step++) {
        const Preparation &of = preparations()[step];
        const auto name = [&](const std::pair<int, int> &change) {
            return Pipeline(pipeline).get_func(change.first).name();
        };
        const bool left = p.disables(of.name) || (machine.gpu && !of.on_gpus);
        Preparation::Changes changes = left ? Preparation::Changes() : of.find(graph, pipeline, machine);
        const auto is_final = [&](const std::pair<int, int> &change) {
            return std::find(final.begin(), final.end(), name(change)) != final.end() ||
                   made_earlier.count({of.name, name(change), change.second}) > 0;
        };
        changes.erase(std::remove_if(changes.begin(), changes.end(), is_final), changes.end());
        if (of.priced && !p.sample && !changes.empty()) {
            changes = faster_with(of, changes, pipeline, graph, target, machine, p);
        }
        if (changes.empty()) {
            continue;
        }
        for (const auto &change : changes) {
            changed.push_back(of.sentence(name(change), change.second) + " (disable=" + of.name +
                              " leaves it as it is)");
            made_earlier.emplace(of.name, name(change), change.second);
        }
        const std::vector<std::string> made = of.make(pipeline, changes);
        final.insert(final.end(), made.begin(), made.end());
        prepared.push_back({of.name, changes});
        graph = read_graph(pipeline, target, numerics, !functions.in_vectors.empty());
        if (of.again) {
            step--;  // what is found in what it has made
        }
    }
    std::optional<PlanAfter> priced = choose_winograd(pipeline, target, machine, p, graph, prepared, changed);
    choose_library_products(pipeline, target, machine, p, graph, prepared, changed);
    graph.approximate_functions = !functions.approximate.empty();
    graph.changed = std::move(changed);
    graph.prepared = std::move(prepared);
    std::optional<Planned> planned = priced ? kept_plan(std::move(*priced), graph) : std::nullopt;
    return {std::move(graph), std::move(planned)};
}

/** Refuses devices: what is enumerated are placements that rules for CPUs allow. */
void check_exhaustive(const Machine &machine) {
    if (machine.gpu) {
        throw UserError(
            "The search exhaustive was asked for, which goes over placements for CPUs, but kernels "
            "are planned for " +
            machine.gpu->name + ": search with a beam, or give a CPU target.");
    }
}

/** Refuses a plan that lacks loops for something: an experiment has left out the policies that have some. */
void check_has_loops(const Graph &graph, const Machine &machine, const FusionPlan &plan) {
    for (const Group &g : plan.groups) {
        if (g.policy.empty() && !machine.experiment.policies.empty()) {
            throw UserError("There are no loops for " + graph.funcs[g.root].name +
                            " without the policies that the scheduler parameter disable names (" +
                            (g.refused.empty() ? "no other has any" : g.refused.front()) +
                            "): leave one of them in.");
        }
    }
}

Planned choose_plan(const Graph &graph, const Machine &machine, const Parameters &p, const Pins &pins) {
    if (p.sample) {
        return plan_sample(graph, machine, p.rules(machine), *p.sample);
    }
    if (p.unfused) {
        return plan_unfused(graph, machine);
    }
    const auto search = [&](const Machine &m, const Planned *before) {
        if (p.effort == Effort::exhaustive) {
            check_exhaustive(m);
            return plan_exhaustive(graph, m, pins);
        }
        if (p.effort == Effort::fast && !before) {
            return plan_greedy(graph, m, p.rules(m), pins);
        }
        std::optional<Planned> from, beam;
        if (before) {
            from = plan_greedy_from(*before, graph, m, p.rules(m), pins);
        }
        if (p.effort == Effort::best) {
            beam = plan_beam(graph, m, p.rules(m), pins);
        }
        return !beam || (from && from->plan.cost().total() < beam->plan.cost().total()) ? *from : *beam;
    };
    Planned planned = within_compile_seconds(machine, p.compile_seconds, search);
    check_has_loops(graph, machine, planned.plan);
    take_pinned_loops(graph, machine, pins, planned);
    return planned;
}

/** Refuses a plan for a device that computes something elsewhere. */
void check_device(const Scheduled &s) {
    const Verdict device = s.machine.gpu ? on_device(s.graph, s.planned.plan) : Verdict::allow();
    if (!device) {
        throw UserError("The target " + s.target + " asks for GPU kernels, but " + device.reason() +
                        ": use a CPU target for this pipeline.");
    }
}

namespace {

/** Gives `planned` loops that hold on all of `family`; with an arena, the plan for the heap where that is
 * better. */
std::vector<MemberSeconds> hold(const Graph &graph, const std::vector<Member> &family, const Parameters &p,
                                const Pins &pins, Planned &planned, Stopwatch &watch) {
    if (p.sample || p.unfused) {
        return {};
    }
    std::vector<MemberSeconds> seconds =
        watch.time("family", [&] { return hold_on_family(graph, family, pins, p.compile_seconds, planned); });
    const Machine &machine = family.front().machine;
    if (machine.arena && !machine.gpu) {
        watch.time("plan of the heap", [&] {
            Machine heap = machine;
            heap.arena = false;
            weigh_plan_of_heap(graph, family, pins, p.compile_seconds, choose_plan(graph, heap, p, pins),
                               planned, seconds);
            return 0;
        });
    }
    return seconds;
}

/** Puts the plan that compiling it leads to in place of that of `s`, with what it takes on each of `family`.
 */
void learn_and_replan(const Pipeline &pipeline, const Target &target, const std::vector<Member> &family,
                      const Parameters &p, Scheduled &s) {
    std::map<std::string, std::vector<MemberSeconds>> held{{to_string(s.planned.plan), s.family}};
    Stopwatch inner;  // a part of feedback
    const Replan replan = [&](const std::vector<KernelLimit> &limits) {
        s.pins.limits = limits;
        Planned planned = choose_plan(s.graph, s.machine, p, s.pins);
        std::vector<MemberSeconds> seconds = hold(s.graph, family, p, s.pins, planned, inner);
        held.emplace(to_string(planned.plan), std::move(seconds));
        return planned;
    };
    s.feedback = learn({pipeline, target, s.graph, s.machine, planned_cpu(target, p.processor)}, s.planned,
                       p.unfused || p.sample ? Replan() : replan);
    s.planned = s.feedback.planned;
    s.family = held[to_string(s.planned.plan)];
    s.pins.limits = s.feedback.limits;
}

/** All of schedule() that others do not look on at. */
Scheduled plan_and_apply(const Pipeline &pipeline, const Target &target, const Parameters &p, bool explain) {
    numerics_of(target, p.numerics);  // refuses what contradicts the target
    check_library(target, p);
    Stopwatch watch;
    Scheduled s;
    s.target = target.to_string();
    s.residuals = p.residuals;
    const std::vector<Member> family = watch.time("machine", [&] { return choose_family(target, p); });
    s.machine = family.front().machine;
    ReadPipeline read = watch.time("graph", [&] { return read_prepared(pipeline, target, s.machine, p); });
    s.graph = std::move(read.graph);
    s.features = watch.time("features", [&] { return measure(s.graph); });
    s.pins = read_pins(p.pin, s.graph);
    s.pins.packed = packed_inputs(s.graph, pipeline, p.packed);
    const bool kept = read.planned && p.pin.empty() && p.packed.empty();
    s.planned = watch.time(
        "plan", [&] { return kept ? std::move(*read.planned) : choose_plan(s.graph, s.machine, p, s.pins); });
    s.family = hold(s.graph, family, p, s.pins, s.planned, watch);
    check_device(s);
    if (p.feedback) {
        watch.time("feedback", [&] {
            learn_and_replan(pipeline, target, family, p, s);
            return 0;
        });
    }
    s.packed = packed_arguments(s.graph, pipeline, s.planned.plan, s.pins.packed);
    const Schedule directives = watch.time("emit", [&] { return emit(s.graph, s.planned.plan); });
    s.source = watch.time("print", [&] { return print(directives); });
    watch.time("apply", [&] {
        apply(directives, pipeline);
        return 0;
    });
    s.steps = watch.steps;
    if (explain) {
        Machine weighed = s.machine;
        weighed.compile_weight = s.planned.compile_weight;
        s.runners_up = runners_up(s.graph, weighed, p.rules(weighed), s.planned.plan, s.pins);
    }
    return s;
}

}  // namespace

Planned plan_for_family(const Graph &graph, const std::vector<Member> &family, const Parameters &p,
                        const Pins &pins) {
    Stopwatch watch;
    Planned planned = choose_plan(graph, family.front().machine, p, pins);
    hold(graph, family, p, pins, planned, watch);
    return planned;
}

Scheduled schedule(const Pipeline &pipeline, const Target &target, const Parameters &p, bool explain) {
    std::vector<std::string> outputs;
    for (const Func &output : Pipeline(pipeline).outputs()) {
        outputs.push_back(output.name());
    }
    Dump dump(outputs);
    Scheduled s = plan_and_apply(pipeline, target, p, explain || dump.wanted());
    dump.write(s);
    return s;
}

std::string autoschedule(const Pipeline &pipeline, const Target &target, const Parameters &p) {
    if (p.loaded) {
        reserve_names(pipeline);
    }
    if (!p.save.empty()) {
        return save(pipeline, p);
    }
    if (!p.packed.empty()) {
        throw UserError(
            "The scheduler parameter packed makes another argument of an input and a function that "
            "packs it, for which a generator's own run has no place: use add_eutectic_library(... "
            "PACKED " +
            p.packed.front() + "), or eutectic compile --packed " + p.packed.front() + ".");
    }
    const Scheduled s = schedule(pipeline, target, p, !p.report.empty());
    const std::string drifted = s.drifted_from(p.expect_hash);
    if (!drifted.empty()) {
        throw UserError(drifted);
    }
    if (!p.report.empty()) {
        write_report(s.report(), p.report);
    }
    if (!p.priced.empty()) {
        write_priced(s.planned.plan, s.machine, p.priced);
    }
    return s.source;
}

}  // namespace eutectic
