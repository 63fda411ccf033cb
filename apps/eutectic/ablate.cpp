// eutectic ablate: what each rule, rewrite and preparation is worth, one left out at a time.

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <memory>

#include "apps/eutectic/ablation.h"
#include "apps/eutectic/commands.h"
#include "apps/eutectic/contest.h"
#include "apps/eutectic/contest_task.h"
#include "apps/eutectic/guard.h"
#include "apps/eutectic/input.h"
#include "apps/eutectic/run_arguments.h"
#include "base/nearest.h"
#include "base/process.h"
#include "base/user_error.h"
#include "report/report.h"

namespace eutectic {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

struct Options {
    InputOptions input;
    SchedulingOptions scheduling;
    std::vector<std::string> inputs, externs, only;
    ContestLimits limits;  ///< memory of 0: half of the machine's
    bool json = false, predict_only = false;
};

/** One pipeline: what it is called and, of several files, the one. */
struct Subject {
    std::string name;
    InputOptions input;
};

std::vector<Subject> subjects(const InputOptions &input) {
    if (!input.generator.empty() || !input.graph.empty()) {
        return {{Input(input).name(), input}};
    }
    std::vector<Subject> all;
    for (const std::string &word : input.words) {
        InputOptions one = input;
        one.words = {word};
        all.push_back({word, one});
    }
    return all;
}

std::vector<Mechanism> asked(const Options &options, const Halide::Target &target) {
    std::vector<Mechanism> all = mechanisms(target.has_gpu_feature()), result;
    std::vector<std::string> names;
    for (const Mechanism &m : all) {
        names.push_back(m.name);
    }
    for (const std::string &name : options.only) {
        if (std::find(names.begin(), names.end(), name) == names.end()) {
            throw UserError("--only names \"" + name + "\", which is nothing that ablate can leave out on " +
                            target.to_string() + ": " + nearest_and_all(name, names, "there are") + ".");
        }
    }
    for (const Mechanism &m : all) {
        const bool chosen = options.only.empty() ||
                            std::find(options.only.begin(), options.only.end(), m.name) != options.only.end();
        if (chosen) {
            result.push_back(m);
        }
    }
    return result;
}

/** What the scheduler's parameters become without `m`. */
std::map<std::string, std::string> without(std::map<std::string, std::string> how, const Mechanism &m) {
    std::string &disabled = how["disable"];
    disabled += (disabled.empty() ? "" : ",") + m.name;
    return how;
}

class Ablation {
public:
    Ablation(const Options &options, Halide::Target target)
        : options_(options), target_(std::move(target)), how_(as_text(options.scheduling)) {
    }

    /** The whole plan, then one without each mechanism. */
    std::vector<AblationRow> plan(const Subject &subject, const Progress &progress) const {
        std::vector<AblationRow> rows;
        std::string decisions;
        std::vector<Mechanism> leave_out = asked(options_, target_);
        leave_out.insert(leave_out.begin(), Mechanism{});
        for (const Mechanism &m : leave_out) {
            if (interrupted()) {
                break;
            }
            progress.show(subject.name + ": planning " + (m.name.empty() ? "all" : "without " + m.name));
            AblationRow row;
            row.file = subject.name;
            row.without = m;
            try {
                const std::string plan = plan_one(subject, m, row);
                decisions = m.name.empty() ? plan : decisions;
                row.changes = plan != decisions;
            } catch (const UserError &e) {
                if (m.name.empty()) {
                    throw;
                }
                row.status = "refused";
                row.reason = e.what();
            }
            rows.push_back(row);
        }
        return rows;
    }

    /** Times those of `rows` whose plans differ, all against the unfused program's results first. */
    void measure(const Subject &subject, const Progress &progress, std::vector<AblationRow> &rows) const {
        const ScratchFolder folder(fs::temp_directory_path().string());
        json task = common_task(options_.input, options_.inputs, options_.externs, target_.to_string(),
                                options_.scheduling.parallelism);
        const bool made = !subject.input.generator.empty() || !subject.input.graph.empty();
        task["file"] = made ? Input(subject.input).save(target_, folder) : subject.input.words.front();
        task["title"] = subject.name;
        std::vector<Scheduler> schedulers;
        std::vector<AblationRow *> timed;
        for (AblationRow &row : rows) {
            if (row.status == "ok" && (row.changes || row.without.name.empty())) {
                schedulers.push_back(
                    {"eutectic", "", row.without.name.empty() ? how_ : without(how_, row.without), ""});
                timed.push_back(&row);
            }
        }
        std::string refused;
        const std::vector<ComparisonRow> times =
            hold({subject.name, subject.name, task, schedulers, options_.limits}, progress, refused);
        if (!refused.empty()) {
            throw UserError(refused);
        }
        for (size_t i = 0; i < times.size() && times.size() == timed.size(); i++) {
            timed[i]->status = times[i].status;
            timed[i]->reason = times[i].reason;
            if (times[i].seconds) {
                timed[i]->measured = times[i].seconds->median;
            }
        }
    }

private:
    const Options &options_;
    Halide::Target target_;
    std::map<std::string, std::string> how_;

    /** Fills in what is predicted; returns the decisions, as text. */
    std::string plan_one(const Subject &subject, const Mechanism &m, AblationRow &row) const {
        Parameters p = parameters(options_.scheduling);
        if (!m.name.empty()) {
            p.disable.push_back(m.name);
        }
        const Input input(subject.input);
        const Scheduled s = schedule_loaded(subject.name, input.load(target_), target_, p);
        row.predicted = s.planned.plan.cost().total();
        row.traffic = traffic(s.graph, s.planned.plan).fused_bytes;
        std::string decisions = s.source;
        for (const std::string &sentence : s.graph.changed) {
            decisions += sentence;
        }
        return decisions;
    }
};

int ablate(Options options) {
    if (options.predict_only && targets(options.scheduling).size() != 1) {
        throw UserError("ablate was given several targets, and plans are compared for one: give one "
                        "--target.");
    }
    const Halide::Target target = options.predict_only ? targets(options.scheduling).front()
                                                       : runnable_target(options.scheduling, "ablate");
    options.scheduling.parallelism = threads_of(options.scheduling);
    require_library(parameters(options.scheduling).library);
    options.limits = settled(options.limits, options.input, 1);
    asked(options, target);
    begin_step("");  // what is timed is watched by its own limits
    keep_interrupts();
    std::vector<AblationRow> rows;
    {
        const Progress progress;
        const Ablation ablation(options, target);
        for (const Subject &subject : subjects(options.input)) {
            std::vector<AblationRow> of_file = ablation.plan(subject, progress);
            if (!options.predict_only && !interrupted()) {
                ablation.measure(subject, progress, of_file);
            }
            rows.insert(rows.end(), of_file.begin(), of_file.end());
            if (interrupted()) {
                break;
            }
        }
    }
    std::cout << (options.json ? to_json(rows).dump(2) + "\n" : to_text(rows));
    const bool wrong = std::any_of(rows.begin(), rows.end(), [](const AblationRow &r) {
        return r.status != "ok" && r.status != "refused";
    });
    return interrupted() ? 128 + SIGINT : wrong ? 1 : 0;
}

}  // namespace

void add_ablate(CLI::App &app, Run &run) {
    const auto options = std::make_shared<Options>();
    CLI::App *command =
        app.add_subcommand("ablate", "Leaves out each rule, rewrite and preparation, one at a time, and "
                                     "tells what predicted and measured time and traffic become.");
    add_input_options(*command, options->input);
    add_scheduling_options(*command, options->scheduling, false);
    add_value_options(*command, options->inputs, options->externs);
    command
        ->add_option("--only", options->only,
                     "what to leave out, separated by commas (default: all that there is)")
        ->type_name("NAME,NAME")
        ->delimiter(',');
    command->add_flag("--predict-only", options->predict_only,
                      "measure nothing: for targets that this machine does not run, too");
    command
        ->add_option("--seconds", options->limits.seconds,
                     "seconds that each plan is timed for, three times (default: 0.2)")
        ->type_name("S")
        ->check(CLI::Range(0.001, 600.0));
    command
        ->add_option("--memory", options->limits.memory,
                     "MiB that a program may take (default: half of the machine's)")
        ->type_name("MIB")
        ->check(CLI::Range(64, 1 << 24));
    command->add_flag("--json", options->json, "print {rows, geometric_means} as JSON");
    command->footer("examples:\n"
                    "  eutectic ablate dense.hlpipe\n"
                    "  eutectic ablate build/generators -g softmax cols=4096 --json > softmax.json\n"
                    "  eutectic ablate one.hlpipe two.hlpipe three.hlpipe --seconds 1\n"
                    "  eutectic ablate dense.hlpipe --only tile_producer,sum_in_strips\n"
                    "  eutectic ablate dense.hlpipe --predict-only --target "
                    "x86-64-linux-cuda-cuda_capability_80 --gpu h100\n\n"
                    "Plans that stay the same are not measured. Ctrl-C leaves the table of what was done. "
                    "The status is 1 when\n"
                    "a plan without something fails or has other results than the unfused program.");
    command->callback([options, &run] { run = [options] { return ablate(*options); }; });
}

}  // namespace eutectic
