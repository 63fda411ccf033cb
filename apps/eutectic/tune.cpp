// eutectic tune: measures plans, and leaves the decisions of the fastest as pins.

#include <csignal>
#include <filesystem>
#include <iostream>
#include <memory>
#include <thread>

#include "apps/eutectic/commands.h"
#include "apps/eutectic/contest_task.h"
#include "apps/eutectic/input.h"
#include "apps/eutectic/run_arguments.h"
#include "apps/eutectic/tuner.h"
#include "base/process.h"
#include "base/user_error.h"
#include "base/write_whole.h"

namespace eutectic {

namespace fs = std::filesystem;

namespace {

struct Options {
    InputOptions input;
    SchedulingOptions scheduling;
    std::vector<std::string> inputs, externs;
    ContestLimits limits;  ///< memory of 0: half of the machine's, for all that are compiled at a time
    double budget = 0;
    int jobs = 1;
    bool json = false;
    std::string output, database, plot;
};

/** Refuses, before all the work, what could not be written after it. */
void check_outputs(const Options &options) {
    require_writable("pin file", options.output);
    if (!options.plot.empty()) {
        require_writable("page", options.plot);
    }
}

int tune_one(Options options) {
    const std::vector<Halide::Target> asked = targets(options.scheduling);
    if (asked.size() != 1) {
        throw UserError("tune was given " + std::to_string(asked.size()) +
                        " targets, and programs run on one: give one --target.");
    }
    const Halide::Target target = asked.front();
    require_runnable(target);
    options.output = options.output.empty() ? "plan.json" : options.output;
    check_outputs(options);
    if (options.scheduling.parallelism == 0) {
        options.scheduling.parallelism = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    }
    const int threads = options.scheduling.parallelism;
    TuneTask task;
    task.parameters = parameters(options.scheduling);
    require_library(task.parameters.library);
    task.limits = options.limits;
    task.limits.timeout = options.input.timeout > 0 ? options.input.timeout : task.limits.timeout;
    task.limits.memory = task.limits.memory > 0 ? task.limits.memory : memory_limit() / options.jobs;

    const Input input(options.input);
    const ScratchFolder folder(fs::temp_directory_path().string());
    const LoadedPipeline loaded = input.load(target);
    task.name = input.name();
    task.task = common_task(options.input, options.inputs, options.externs, target.to_string(), threads);
    task.task["file"] = options.input.generator.empty() && options.input.graph.empty()
                            ? options.input.words.front()
                            : input.save(target, folder);
    task.task["title"] = task.name;
    task.family = choose_family(target, task.parameters);
    task.graph = read_prepared(loaded.pipeline, target, task.family.front().machine, task.parameters).graph;
    task.pins = read_pins(task.parameters.pin, task.graph);
    task.parameters.pin.clear();
    std::map<std::string, std::string> how = as_text(options.scheduling);
    how["parallelism"] = std::to_string(threads);
    how.erase("pin");
    task.eutectic = {"eutectic", "", how, ""};
    task.target = target.to_string();
    task.database = options.database;
    task.budget = options.budget;
    task.jobs = options.jobs;

    begin_step("");  // each plan is watched by its own limits
    keep_interrupts();
    Tuned tuned;
    {
        const Progress progress;
        tuned = tune(task, progress);
    }
    tuned.name = task.name;
    tuned.target = task.target;
    tuned.machine = task.family.front().machine.name;
    tuned.cpu = cpu_name();
    tuned.threads = threads;
    write_whole("pin file", options.output, tuned.pins);
    if (!options.plot.empty()) {
        write_whole("page", options.plot, tune_page(tuned));
    }
    if (options.json) {
        std::cout << to_json(tuned).dump(2) << "\n";
    } else {
        std::cout << to_text(tuned) << "Its decisions are in " << options.output
                  << ", for --pin and PIN of add_eutectic_library.\n";
    }
    return interrupted() ? 128 + SIGINT : 0;
}

}  // namespace

void add_tune(CLI::App &app, Run &run) {
    const auto options = std::make_shared<Options>();
    CLI::App *command = app.add_subcommand(
        "tune", "Measures plans near the one that is chosen, and writes the decisions of the fastest.");
    add_input_options(*command, options->input);
    add_scheduling_options(*command, options->scheduling, false);
    add_value_options(*command, options->inputs, options->externs);
    command->add_option("--budget-seconds", options->budget, "seconds for all of it")
        ->type_name("S")
        ->required()
        ->check(CLI::Range(1.0, 1e7));
    command
        ->add_option("--jobs", options->jobs,
                     "plans that are compiled at a time; they are timed one by one (default: 1)")
        ->type_name("J")
        ->check(CLI::Range(1, 1024));
    command
        ->add_option("--resume", options->database,
                     "an SQLite file that keeps every measurement; what it has of this pipeline on this "
                     "machine is not measured again")
        ->type_name("DB");
    command
        ->add_option("-o,--output", options->output,
                     "write the fastest plan's decisions there (default: plan.json)")
        ->type_name("FILE.json");
    command
        ->add_option("--seconds", options->limits.seconds,
                     "seconds that a plan is timed for in each round (default: 0.2)")
        ->type_name("S")
        ->check(CLI::Range(0.001, 600.0));
    command
        ->add_option("--memory", options->limits.memory,
                     "MiB that a plan's process may take (default: half of the machine's, divided by --jobs)")
        ->type_name("MIB")
        ->check(CLI::Range(64, 1 << 24));
    command
        ->add_option("--plot", options->plot,
                     "write a page with the best time against the number of trials; it needs no network")
        ->type_name("FILE.html");
    command->add_flag("--json", options->json, "print what was measured as JSON");
    command->footer(
        "examples:\n"
        "  eutectic tune dense.hlpipe --budget-seconds 60\n"
        "  eutectic tune build/generators -g dense m=64 --budget-seconds 600 --jobs 2 --resume "
        "dense.db -o dense.json --plot dense.html\n"
        "  eutectic compile dense.hlpipe --pin plan.json -o kernels\n\n"
        "Each plan runs in a process of its own, and its results are compared with the unfused "
        "program's before it is timed,\n"
        "in turns with the best so far. A plan has to win every round, and the best one once more "
        "against the plan that is\n"
        "chosen without measuring; else that one stays. Ctrl-C ends the search, and leaves what "
        "it has found.");
    command->callback([options, &run] { run = [options] { return tune_one(*options); }; });
}

}  // namespace eutectic
