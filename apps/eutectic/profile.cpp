// eutectic profile: what the plan's groups take, beside what the model said.

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <sstream>
#include <thread>

#include "apps/eutectic/commands.h"
#include "apps/eutectic/contest_task.h"
#include "apps/eutectic/group_profile.h"
#include "apps/eutectic/input.h"
#include "apps/eutectic/intermediate.h"
#include "apps/eutectic/profiled.h"
#include "apps/eutectic/run_arguments.h"
#include "base/units.h"
#include "base/user_error.h"

namespace eutectic {

using nlohmann::ordered_json;

namespace {

struct ProfileOptions {
    InputOptions input;
    SchedulingOptions scheduling;
    std::vector<std::string> inputs, externs, values;
    double seconds = 1;
    bool unfused = false, json = false;
};

ordered_json to_json(const Scheduled &s, const ProfiledRun &run, const std::vector<GroupProfile> &groups,
                     const std::vector<ProfiledFunc> &rest) {
    ordered_json list = ordered_json::array(), others = ordered_json::array();
    for (const GroupProfile &g : groups) {
        list.push_back({{"root", g.root},
                        {"members", g.members},
                        {"seconds", g.seconds},
                        {"predicted_seconds", g.predicted_seconds},
                        {"allocated_bytes", g.allocated_bytes},
                        {"peak_bytes", g.peak_bytes},
                        {"predicted_bytes", g.predicted_bytes}});
    }
    for (const ProfiledFunc &f : rest) {
        others.push_back({{"name", f.name}, {"seconds", f.seconds}});
    }
    return {{"target", s.target},
            {"machine", s.machine.name},
            {"runs", run.runs},
            {"samples", run.samples},
            {"seconds", run.seconds},
            {"predicted_seconds", s.planned.plan.cost().total()},
            {"peak_bytes", run.peak_bytes},
            {"groups", list},
            {"other", others}};
}

std::string ratio(double measured, double predicted) {
    std::ostringstream s;
    s.precision(2);
    s << measured / predicted << " times";
    return s.str();
}

std::string to_text(const Scheduled &s, const ProfiledRun &run, const std::vector<GroupProfile> &groups,
                    const std::vector<ProfiledFunc> &rest) {
    std::ostringstream out;
    out << "Profile of " << run.runs << " runs, " << run.samples << " samples, for " << s.target << "\n\n";
    for (const GroupProfile &g : groups) {
        out << g.root << ":";
        for (const std::string &m : g.members) {
            out << " " << m;
        }
        out << "\n    " << format_seconds(g.seconds) << ", predicted " << format_seconds(g.predicted_seconds)
            << " (" << ratio(g.seconds, g.predicted_seconds) << " that); allocates "
            << format_bytes(g.allocated_bytes) << " a run, at most " << format_bytes(g.peak_bytes)
            << " at a time, predicted " << format_bytes(g.predicted_bytes) << " in memory\n";
    }
    for (const ProfiledFunc &f : rest) {
        out << f.name << ": " << format_seconds(f.seconds) << "\n";
    }
    const Seconds predicted = s.planned.plan.cost().total();
    out << "\nin all: " << format_seconds(run.seconds) << " a run, predicted " << format_seconds(predicted)
        << " (" << ratio(run.seconds, predicted) << " that); at most " << format_bytes(run.peak_bytes)
        << " of memory\n";
    return out.str();
}

int profile(const ProfileOptions &options) {
    const Halide::Target target = runnable_target(options.scheduling, "profile");
    Parameters how = parameters(options.scheduling);
    how.unfused = options.unfused;
    if (options.unfused && !how.pin.empty()) {
        throw UserError("--unfused and --pin contradict each other: the unfused program has no decisions to "
                        "pin; leave one of them out.");
    }
    const int threads = how.parallelism > 0
                            ? how.parallelism
                            : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    require_library(how.library);
    load_externs(options.externs);
    const Input input(options.input);
    LoadedPipeline loaded = input.load(target);
    require_externs(loaded.pipeline);
    require_user_context(loaded, target, input.name());
    const std::map<std::string, std::string> sources = input_texts(options.inputs),
                                             wanted = named_texts(options.values, "--values");
    require_inputs(loaded, input.name(), sources);
    const Scheduled scheduled = schedule_loaded(input.name(), loaded, target, how);
    begin_step("Compiling and running " + input.name());
    const ScratchFolder folder(std::filesystem::temp_directory_path().string());
    const ProfiledRun run =
        run_profiled(loaded, target, sources, threads, how.arena, options.seconds, folder);
    std::vector<GroupProfile> groups = predicted(scheduled);
    const std::vector<ProfiledFunc> rest = measure_into(groups, run);
    for (const auto &[func, path] : wanted) {
        write_intermediate(loaded, target, func, path, sources);
    }
    std::cout << (options.json ? to_json(scheduled, run, groups, rest).dump(2) + "\n"
                               : to_text(scheduled, run, groups, rest));
    return 0;
}

}  // namespace

void add_profile(CLI::App &app, Run &run) {
    const auto options = std::make_shared<ProfileOptions>();
    CLI::App *command =
        app.add_subcommand("profile", "Runs the plan under Halide's profiler: every group's time and memory "
                                      "beside what was predicted, the largest misprediction first.");
    add_input_options(*command, options->input);
    add_scheduling_options(*command, options->scheduling, false);
    add_value_options(*command, options->inputs, options->externs);
    command
        ->add_option("--values", options->values,
                     "write what a Func held, one that is in memory as a whole: with --unfused, all are")
        ->type_name("FUNC=FILE.npy");
    command->add_flag("--unfused", options->unfused, "every Func in memory, each a group of its own");
    command->add_option("--seconds", options->seconds, "how long to run (default: 1)")
        ->type_name("S")
        ->check(CLI::Range(0.01, 600.0));
    command->add_flag("--json", options->json, "print the profile as JSON");
    command->footer("examples:\n"
                    "  eutectic profile dense.hlpipe\n"
                    "  eutectic profile build/generators -g mlp --unfused\n"
                    "  eutectic profile dense.hlpipe --unfused --values matmul=matmul.npy\n"
                    "  eutectic profile dense.hlpipe --machine machine.json --json\n\n"
                    "The profiler looks every millisecond at which Func is computed, and costs some time "
                    "itself; Funcs are given their\n"
                    "shares of the whole. A C++ compiler links the pipeline.");
    command->callback([options, &run] { run = [options] { return profile(*options); }; });
}

}  // namespace eutectic
