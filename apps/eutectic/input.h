#pragma once

#include <CLI/CLI.hpp>

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "Halide.h"

#include "apps/eutectic/generator.h"
#include "apps/eutectic/guard.h"
#include "schedules/autoschedule.h"
#include "schedules/hlpipe/load.h"

namespace eutectic {

/** "FILE" or "GENERATORS -g NAME k=v…", and what a user says about the arguments: the same words on every
 * command. */
struct InputOptions {
    std::vector<std::string> words;  ///< the file, then the generator's parameters
    std::string generator, save;
    std::string graph;  ///< a file that joins generators of the executable; empty: none
    std::vector<std::string> arguments, order;
    bool keep_schedule = false;
    int batch = 0;                  ///< examples to plan for; 0: the pipeline as it is
    std::vector<std::string> over;  ///< inputs of each example
    double timeout = 0;             ///< seconds for each step; 0: as each step has it

    /** Does an executable make the pipeline? Else it is in the file that is named. */
    bool is_made() const {
        return !generator.empty() || !graph.empty();
    }
};
void add_input_options(CLI::App &app, InputOptions &options);

/** How to schedule: the same words on every command. `targets` says what to do without one. */
struct SchedulingOptions {
    std::vector<std::string> targets;
    std::string effort, numerics, machine, disable, pin, gpu, expect_hash, compile_seconds;
    std::string search, cost_model;   ///< for experiments, instead of the effort's and this project's own
    int parallelism = 0;              ///< 0: the machine file's, or this machine's cores
    bool feedback = false;            ///< what is compiled is read back, and what spills is planned again
    std::string library;              ///< what products may be computed by; empty: loops
    bool arena = false;               ///< temporaries come from an arena, which keeps their pages
    std::vector<std::string> packed;  ///< inputs that callers hand over in panels
};
void add_scheduling_options(CLI::App &app, SchedulingOptions &options, bool several_targets);

/** For commands that plan or compile, and do not call what they compile. */
void add_packed_option(CLI::App &app, SchedulingOptions &options);

/** What was given, as the scheduler's own parameters, but for the number of threads and the hash. */
std::map<std::string, std::string> as_text(const SchedulingOptions &options);

/** As the scheduler takes them. Throws UserError. */
Parameters parameters(const SchedulingOptions &options);

/** The targets that were asked for, the host's by default, with strict_float for strict numerics. Throws
 * UserError naming what is no target, with the nearest known word. */
std::vector<Halide::Target> targets(const SchedulingOptions &options);

/** Gives pipelines to schedule. */
class Input {
public:
    /** Throws UserError for what is no input. */
    explicit Input(const InputOptions &options);

    /** A pipeline of its own for `target`, without any directive. Halide's warnings go to standard error. */
    LoadedPipeline load(const Halide::Target &target) const;

    /** The pipeline that an executable makes for `target`, as its author left it, in a file of `folder`; with
     * --save, there. */
    std::string save(const Halide::Target &target, const ScratchFolder &folder) const;

    /** What it is called in sentences. */
    const std::string &name() const {
        return name_;
    }

private:
    LoadedPipeline joined(const Halide::Target &target) const;

    InputOptions options_;
    GivenArguments given_;
    std::string name_;
};

/** A plan that has drifted from --expect-hash: a sentence, and exit status 1. */
class Drifted : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/** schedule(); a size that does not follow from the estimates is refused by the names of the arguments that
 * lack one. `subject`: what was loaded, in sentences. */
Scheduled schedule_loaded(const std::string &subject, const LoadedPipeline &loaded,
                          const Halide::Target &target, Parameters parameters);

}  // namespace eutectic
