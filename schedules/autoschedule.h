#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "Halide.h"

#include "fusion/rules/rule.h"
#include "fusion/search/family.h"
#include "fusion/search/runner_up.h"
#include "graph/data/graph.h"
#include "machine/machine.h"
#include "report/report.h"
#include "schedules/feedback.h"

namespace eutectic {

/** How far a plan may go from the unfused program's floating-point arithmetic. nan_safe: every operation is
 * as IEEE 754 has it, NaN, infinities and signed zeros included, and only sums and products of a reduction
 * take their terms in any order. */
enum class Numerics { fast, nan_safe, strict };

/** How long a plan is searched for: greedily, in under 0.3 seconds, or with a beam over the same rules, in
 * under 5; or among all legal placements, for experiments with some seven Funcs. */
enum class Effort { fast, best, exhaustive };

/** What a user may set, `autoscheduler.NAME=` on a generator's command line. */
struct Parameters {
    int parallelism = 16;  ///< threads that the schedule is made for
    std::string report;  ///< path of the JSON report to write; empty: none. A path that ends in .txt gets the
                         ///< text form
    std::string processor;  ///< machine=PROCESSOR: one of a target's family (machine/processors.h); empty:
                            ///< plans are to be good on all of it
    bool machine_host = false;  ///< machine=host: cores and caches of this CPU instead of the preset
    std::string machine_file;   ///< machine=FILE: what scripts/calibrate wrote
    std::string gpu;  ///< gpu=NAME|FILE: the device that kernels are planned for (machine/gpu_fields.h);
                      ///< empty: default_gpu, where the target has one
    std::string residuals;  ///< what a forward keeps for its backward, as JSON; only put into the report.
                            ///< Generators of gradients set it
    std::string priced;     ///< path for what the plan was priced by (cost/stage_json.h); empty: none
    std::optional<Library> library;  ///< library=NAME: what products may be computed by; none: loops
    std::optional<uint64_t>
        sample;            ///< sample=N: a legal plan drawn at random from this seed instead of the best
    bool unfused = false;  ///< unfused=1: every Func at Root under the same policies, the program that a plan
                           ///< is compared with
    bool feedback =
        false;  ///< feedback=1: what is compiled is read back, and what spills is planned again (feedback.h)
    bool arena = false;   ///< arena=1: the kernel's temporaries will come from an arena that keeps its pages
                          ///< (src/arena), so that the plan does not pay for them
    bool loaded = false;  ///< loaded=1: the pipeline was read from a file, which another process has written:
                          ///< what is made here gets none of its names (hlpipe/reserve_names.h)
    /** numerics=fast|nan_safe|strict; unset: strict if the target has strict_float, else fast. Strict and
     * nan_safe need that feature, which also keeps the compiler from rearranging; fast contradicts it. */
    std::optional<Numerics> numerics;
    Effort effort = Effort::fast;  ///< effort=fast|best, or search=greedy|beam|exhaustive
    std::vector<std::string>
        disable;              ///< disable=NAME[,NAME]: what is left out of mechanisms.h, for experiments
    std::string cost_model;   ///< cost_model=roofline|traffic|FILE.so: what plans are priced by in place of
                              ///< this project's own model (cost/pricer.h); empty: that
    std::string expect_hash;  ///< expect_hash=HASH: a plan whose decisions have another hash is refused, with
                              ///< what changed
    /** save=FILE.hlpipe: the pipeline goes there as its user left it, its arguments beside it
     * (pipeline/save.h), and nothing is planned: every Func is at Root, so that what is compiled of it is
     * soon done. */
    std::string save;
    /** compile_seconds=S: what compiling the plan may take, estimated, on one core. Unset: a minute, or three
     * times what the unfused program takes, whichever is more. */
    std::optional<Seconds> compile_seconds;
    std::string pin;  ///< pin=FILE.json: decisions that a person made (fusion/plan/pins.h), which the planner
                      ///< completes

    std::vector<std::string> packed;  ///< packed=INPUT[,INPUT]: callers hand these over in panels, which a
                                      ///< function of their own makes (packed_inputs.h)

    bool disables(const std::string &rule) const;
    /** The rules for `machine` that are not disabled. */
    std::vector<Rule> rules(const Machine &machine) const;
    /** `machine` with the prices and policies that plans are found by, where they are others. Throws
     * UserError for a cost model that is none. */
    Machine experiment(Machine machine) const;
};

/** Throws UserError naming an unknown parameter (with the list of known ones), one that is not built yet, or
 * a bad value. */
Parameters parse_parameters(const std::map<std::string, std::string> &extra);

/** The machine that plans are made for: the first of the target's family, the host's, a processor's or a
 * file's. Throws UserError. */
Machine choose_machine(const Halide::Target &target, const Parameters &parameters);

/** The pipeline as data; what its user scheduled is locked by this. */
Graph read_graph(const Halide::Pipeline &pipeline, const Halide::Target &target, Numerics numerics,
                 bool functions_in_vectors);

/** A pipeline that was prepared, and the plan of it, where one was made to compare prices: it is for no
 * pins. */
struct ReadPipeline {
    Graph graph;
    std::optional<Planned> planned;
};

/** The same, once it is prepared (prepare.h), which changes the pipeline. */
ReadPipeline read_prepared(const Halide::Pipeline &pipeline, const Halide::Target &target,
                           const Machine &machine, const Parameters &parameters);

/** All that a plan has to be good on; where a person names the machine, or kernels run on a device, that
 * alone.
 */
std::vector<Member> choose_family(const Halide::Target &target, const Parameters &parameters);

/** The plan that the parameters ask for. Throws UserError for pins that no plan obeys. */
Planned choose_plan(const Graph &graph, const Machine &machine, const Parameters &parameters,
                    const Pins &pins = {});

/** The plan that schedule() makes: choose_plan(), with loops that hold on all of `family`. */
Planned plan_for_family(const Graph &graph, const std::vector<Member> &family, const Parameters &parameters,
                        const Pins &pins);

/** A scheduled pipeline, with all that led there. */
struct Scheduled {
    Machine machine;  ///< the first of the family
    std::vector<MemberSeconds>
        family;  ///< what the plan takes on each of it; empty for a plan for one machine
    Graph graph;
    Features features;
    Pins pins;
    Planned planned;
    std::vector<RunnerUp> runners_up;  ///< what was next best, if that was asked for
    std::string target;                ///< as Halide writes it
    std::string source;                ///< the schedule as C++
    std::vector<std::pair<std::string, Seconds>>
        steps;                           ///< of the straight line, with the time that each took
    std::string residuals;               ///< Parameters::residuals
    Feedback feedback;                   ///< Parameters::feedback; its plan is `planned`
    std::vector<PackedArgument> packed;  ///< Parameters::packed, as the plan reads them

    Seconds seconds() const;
    Report report() const;
    /** drift() of the plan; empty for no expectation. */
    std::string drifted_from(const std::string &expected) const;
};

/** The straight line: schedules `pipeline` for `target`. `explain`: also finds what was next best, which the
 * schedule does not need. With EUTECTIC_DUMP all of it is written, too (dump.h). Throws UserError. */
Scheduled schedule(const Halide::Pipeline &pipeline, const Halide::Target &target,
                   const Parameters &parameters, bool explain);

/** The same for a plugin: writes what the parameters ask for and returns the schedule as C++. */
std::string autoschedule(const Halide::Pipeline &pipeline, const Halide::Target &target,
                         const Parameters &parameters);

}  // namespace eutectic
