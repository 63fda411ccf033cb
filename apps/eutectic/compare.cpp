// eutectic compare: this scheduler, others and none at all, each in a process of its own.

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>

#include "apps/eutectic/commands.h"
#include "apps/eutectic/contest.h"
#include "apps/eutectic/contest_task.h"
#include "apps/eutectic/guard.h"
#include "apps/eutectic/input.h"
#include "apps/eutectic/run_arguments.h"
#include "base/process.h"
#include "base/user_error.h"
#include "base/write_whole.h"

namespace eutectic {

namespace fs = std::filesystem;
using nlohmann::json;
using nlohmann::ordered_json;

namespace {

struct CompareOptions {
    InputOptions input;
    SchedulingOptions scheduling;
    std::vector<std::string> against, plugins, inputs, externs;
    ContestLimits limits;  ///< memory of 0: half of the machine's
    bool json = false;
    std::string html;
};

/** The .hlpipe files that were named, those in folders included. */
std::vector<std::string> files_of(const InputOptions &input) {
    std::vector<std::string> files;
    for (const std::string &word : input.words) {
        if (!fs::is_directory(word)) {
            files.push_back(word);
            continue;
        }
        std::vector<std::string> inside;
        for (const fs::directory_entry &entry : fs::directory_iterator(word)) {
            if (entry.path().extension() == ".hlpipe") {
                inside.push_back(entry.path().string());
            }
        }
        if (inside.empty()) {
            throw UserError("The folder " + word +
                            " holds no .hlpipe file: write some with a generator's -e hlpipe.");
        }
        std::sort(inside.begin(), inside.end());
        files.insert(files.end(), inside.begin(), inside.end());
    }
    return files;
}

int report(const CompareOptions &options, const std::vector<ComparisonRow> &rows, const std::string &target,
           int threads) {
    const ordered_json machine = {{"cpu", cpu_name()}, {"threads", threads}, {"target", target}};
    std::cout << (options.json ? to_json(machine, rows).dump(2) + "\n" : to_text(rows));
    if (!options.html.empty()) {
        write_whole("page", options.html, compare_page(machine, rows));
    }
    if (interrupted()) {
        return 128 + SIGINT;
    }
    const bool differs = std::any_of(rows.begin(), rows.end(), [](const ComparisonRow &r) {
        return r.status == "wrong" || (r.scheduler == "eutectic" && r.status != "ok");
    });
    return differs ? 1 : 0;
}

int compare_all(CompareOptions options) {
    const Halide::Target target = runnable_target(options.scheduling, "compare");
    const int threads = options.scheduling.parallelism = threads_of(options.scheduling);
    require_library(
        parameters(options.scheduling).library);  // refuses what is wrong with them before anything has run
    std::map<std::string, std::string> how = as_text(options.scheduling);
    how["parallelism"] = std::to_string(threads);
    const std::vector<Scheduler> schedulers =
        contenders(options.against, options.plugins, target, how, threads);
    if (!options.html.empty()) {
        require_writable("page", options.html);  // before all the work, not after it
    }
    options.limits = settled(options.limits, options.input, 1);
    const json task =
        common_task(options.input, options.inputs, options.externs, target.to_string(), threads);

    // What an executable makes is made once, with its own directives.
    std::unique_ptr<ScratchFolder> folder;
    std::vector<std::string> files, names;
    if (!options.input.is_made()) {
        files = names = files_of(options.input);
    } else {
        folder = std::make_unique<ScratchFolder>(fs::temp_directory_path().string());
        files = {Input(options.input).save(target, *folder)};
        names = {Input(options.input).name()};
    }
    begin_step("");  // each scheduler is watched by its row's limits
    keep_interrupts();
    std::vector<ComparisonRow> rows;
    {
        const Progress progress;
        for (size_t f = 0; f < files.size() && !interrupted(); f++) {
            json of_file = task;
            of_file["file"] = files[f];
            of_file["title"] = names[f];
            std::string refused;
            const std::string title =
                "[" + std::to_string(f + 1) + "/" + std::to_string(files.size()) + "] " + names[f];
            const std::vector<ComparisonRow> more =
                hold({names[f], title, of_file, schedulers, options.limits}, progress, refused);
            if (!refused.empty() && files.size() == 1) {
                throw UserError(refused);
            }
            rows.insert(rows.end(), more.begin(), more.end());
        }
    }
    return report(options, rows, target.to_string(), threads);
}

}  // namespace

void add_compare(CLI::App &app, Run &run) {
    const auto options = std::make_shared<CompareOptions>();
    CLI::App *command = app.add_subcommand("compare", "Runs this scheduler, Halide's, the schedule in the "
                                                      "file and none, checks their results, and times them.");
    add_input_options(*command, options->input);
    add_scheduling_options(*command, options->scheduling, false);
    command
        ->add_option("--against", options->against,
                     "schedulers, separated by commas (default: all that there are)")
        ->type_name("NAME,NAME")
        ->delimiter(',');
    command
        ->add_option("--plugin", options->plugins,
                     "one more scheduler, by the name that it registers; its parameters follow")
        ->type_name("NAME=LIB.so[,KEY=VALUE]");
    add_value_options(*command, options->inputs, options->externs);
    command
        ->add_option("--seconds", options->limits.seconds,
                     "seconds that each scheduler's program is timed for, three times (default: 0.2)")
        ->type_name("S")
        ->check(CLI::Range(0.001, 600.0));
    command
        ->add_option("--memory", options->limits.memory,
                     "MiB that a scheduler's process may take (default: half of the machine's)")
        ->type_name("MIB")
        ->check(CLI::Range(64, 1 << 24));
    command
        ->add_option("--html", options->html,
                     "write a page with the table, to sort and to filter, and bars; it needs no network")
        ->type_name("FILE.html");
    command->add_flag("--json", options->json, "print {machine, rows} as JSON");
    command->footer("examples:\n"
                    "  eutectic compare dense.hlpipe\n"
                    "  eutectic compare build/generators -g dense m=64 --against root,Adams2019\n"
                    "  eutectic compare pipelines/ --timeout 20 --json > rows.json\n"
                    "  eutectic compare pipelines/ --html comparison.html\n"
                    "  eutectic compare dense.hlpipe --input 'x=uniform(0,1)' --plugin Mine=./libmine.so\n\n"
                    "Each scheduler works in a process of its own: one that crashes, hangs or takes all "
                    "memory costs its row.\n"
                    "Results are compared with the unfused program's. Ctrl-C leaves the table of what was "
                    "done. The status is\n"
                    "1 when results differ, or when this scheduler has none.");
    command->callback([options, &run] { run = [options] { return compare_all(*options); }; });
}

}  // namespace eutectic
