// eutectic tune: measures plans, and leaves the decisions of the fastest as pins.

#include <csignal>
#include <filesystem>
#include <iostream>
#include <memory>

#include "apps/eutectic/commands.h"
#include "apps/eutectic/contest_task.h"
#include "apps/eutectic/input.h"
#include "apps/eutectic/run_arguments.h"
#include "apps/eutectic/tune_team.h"
#include "apps/eutectic/tuner.h"
#include "base/process.h"
#include "base/user_error.h"
#include "base/write_whole.h"

namespace eutectic {

namespace fs = std::filesystem;

namespace {

struct TuneOptions {
    InputOptions input;
    SchedulingOptions scheduling;
    std::vector<std::string> inputs, externs;
    ContestLimits limits;  ///< memory of 0: half of the machine's, for all that are compiled at a time
    double budget = 0;
    int jobs = 1;
    bool json = false;
    std::string output = "plan.json", database, plot;
};

/** Refuses, before all the work, what could not be written after it. */
void check_outputs(const TuneOptions &options) {
    require_writable("pin file", options.output);
    if (!options.plot.empty()) {
        require_writable("page", options.plot);
    }
}

/** What is tuned: `input`, whose pipeline is saved to `folder` where a generator makes it. */
TuneTask task_of(const TuneOptions &options, const Halide::Target &target, const ScratchFolder &folder) {
    const int threads = options.scheduling.parallelism;
    TuneTask task;
    task.limits = settled(options.limits, options.input, options.jobs);
    const Input input(options.input);
    task.name = input.name();
    task.task = common_task(options.input, options.inputs, options.externs, target.to_string(), threads);
    task.task["file"] = options.input.is_made() ? input.save(target, folder) : options.input.words.front();
    task.task["title"] = task.name;
    const LoadedPipeline loaded = input.load(target);
    TuneSpace &space = task.space;
    space.parameters = parameters(options.scheduling);
    space.family = choose_family(target, space.parameters);
    space.graph =
        read_prepared(loaded.pipeline, target, space.family.front().machine, space.parameters).graph;
    space.pins = read_pins(space.parameters.pin, space.graph);
    space.parameters.pin.clear();
    std::map<std::string, std::string> how = as_text(options.scheduling);
    how["parallelism"] = std::to_string(threads);
    how.erase("pin");
    task.eutectic = {"eutectic", "", how, ""};
    task.target = target.to_string();
    task.database = options.database;
    task.budget = options.budget;
    task.jobs = options.jobs;
    return task;
}

/** "dense.json" → "dense.2.json": where a kind of machine's decisions are that rank 0 is not of. */
std::string output_of(const std::string &output, size_t kind) {
    const fs::path path(output);
    return (path.parent_path() /
            (path.stem().string() + "." + std::to_string(kind) + path.extension().string()))
        .string();
}

std::string listed(const std::vector<int> &ranks) {
    std::string text = ranks.size() == 1 ? "rank " : "ranks ";
    for (const int rank : ranks) {
        text += (rank == ranks.front() ? "" : ", ") + std::to_string(rank);
    }
    return text;
}

int report(const TuneOptions &options, const Tuned &tuned, const std::vector<OfOtherRanks> &others) {
    write_whole("pin file", options.output, tuned.pins);
    if (!options.plot.empty()) {
        write_whole("page", options.plot, tune_page(tuned));
    }
    nlohmann::ordered_json json = to_json(tuned), other_kinds = nlohmann::ordered_json::array();
    std::string text = to_text(tuned) + "Its decisions are in " + options.output +
                       ", for --pin and PIN of add_eutectic_library.\n";
    for (size_t i = 0; i < others.size(); i++) {
        const std::string output = output_of(options.output, i + 2);
        write_whole("pin file", output, others[i].tuned.pins);
        other_kinds.push_back(to_json(others[i].tuned));
        other_kinds.back()["ranks"] = others[i].ranks;
        other_kinds.back()["output"] = output;
        text += "\nOn " + listed(others[i].ranks) + ", another kind of machine: " + to_text(others[i].tuned) +
                "Its decisions are in " + output + ".\n";
    }
    if (!others.empty()) {
        json["others"] = other_kinds;
    }
    std::cout << (options.json ? json.dump(2) + "\n" : text);
    return interrupted() ? 128 + SIGINT : 0;
}

/** None on a rank that has nothing to report. */
std::optional<int> tune_here(TuneOptions options, TuneTeam *team) {
    const bool reports = !team || team->rank() == 0;
    const Halide::Target target = runnable_target(options.scheduling, "tune");
    if (reports) {
        check_outputs(options);
    }
    options.scheduling.parallelism = threads_of(options.scheduling);
    require_library(parameters(options.scheduling).library);
    const ScratchFolder folder(fs::temp_directory_path().string());
    const TuneTask task = task_of(options, target, folder);
    begin_step("");  // each plan is watched by its own limits
    keep_interrupts();
    std::optional<Tuned> tuned;
    {
        const Progress progress;
        tuned = tune(task, progress, team);
    }
    if (!tuned) {
        return std::nullopt;
    }
    const std::vector<OfOtherRanks> others = team ? team->gather(*tuned) : std::vector<OfOtherRanks>();
    return reports ? std::optional<int>(report(options, *tuned, others)) : std::nullopt;
}

int tune_one(const TuneOptions &options) {
    std::unique_ptr<Team> ranks = join_team("tune");
    if (!ranks) {
        return *tune_here(options, nullptr);
    }
    TuneTeam team(std::move(ranks), options.database);
    std::optional<int> status;
    try {
        status = tune_here(options, &team);
    } catch (const UserError &error) {
        // One sentence, not one of each rank.
        if (team.tell_refusal(error.what())) {
            return 2;
        }
        throw;
    }
    team.end();
    return status.value_or(0);
}

}  // namespace

void add_tune(CLI::App &app, Run &run) {
    const auto options = std::make_shared<TuneOptions>();
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
        "  mpirun -n 4 --host here:2,there:2 eutectic tune dense.hlpipe --budget-seconds 60\n"
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
