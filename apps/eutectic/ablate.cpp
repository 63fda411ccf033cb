// eutectic ablate: what each rule, rewrite, preparation, policy and term of the prices is worth, one left out
// at a time, and what becomes of the plan with another search or cost model.

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <memory>

#include <nlohmann/json.hpp>

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
#include "fusion/search/drawn_machine.h"
#include "report/report.h"

namespace eutectic {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

struct AblateOptions {
    InputOptions input;
    SchedulingOptions scheduling;
    std::vector<std::string> inputs, externs, only, tried;
    ContestLimits limits;  ///< memory of 0: half of the machine's
    bool json = false, predict_only = false;
};

/** One pipeline: what it is called and, of several files, the one. */
struct Subject {
    std::string name;
    InputOptions input;
};

std::vector<Subject> subjects(const InputOptions &input) {
    if (input.is_made()) {
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

/** Is it one of the mechanisms' names, or the kind of some? */
bool names(const std::string &word, const Mechanism &m) {
    return word == m.name || word == m.kind;
}

/** The parameters of the scheduler that `--try` takes: those that change how plans are found, and not what
 * they are for. */
const std::vector<std::string> tried_parameters = {"cost_model", "search",          "effort", "machine",
                                                   "pin",        "compile_seconds", "sample"};

/** "search=beam" as a name and a value. */
std::pair<std::string, std::string> parameter(const std::string &with) {
    const size_t equals = with.find('=');
    const std::string name = with.substr(0, equals);
    if (equals == std::string::npos ||
        std::find(tried_parameters.begin(), tried_parameters.end(), name) == tried_parameters.end()) {
        throw UserError("--try was given as " + with +
                        ", which is no NAME=VALUE of a parameter that ablate can try: " +
                        nearest_and_all(name, tried_parameters, "there are") + ".");
    }
    const std::string value = with.substr(equals + 1);
    const bool file = name != "search" && name != "effort" && fs::exists(value);
    return {name, file ? fs::absolute(value).string() : value};  // contenders have folders of their own
}

/** The changes that are looked at, each on its own. */
std::vector<Change> asked(const AblateOptions &options, const Halide::Target &target) {
    const std::vector<Mechanism> all = mechanisms(target.has_gpu_feature());
    std::vector<std::string> known;
    for (const Mechanism &m : all) {
        known.push_back(m.name);
    }
    for (const std::string &word : options.only) {
        if (std::none_of(all.begin(), all.end(), [&](const Mechanism &m) { return names(word, m); })) {
            throw UserError("--only names \"" + word + "\", which is nothing that ablate can leave out on " +
                            target.to_string() + ": " + nearest_and_all(word, known, "there are") +
                            "; or name a kind, as term.");
        }
    }
    std::vector<Change> result;
    const bool only_tried = options.only.empty() && !options.tried.empty();
    for (const Mechanism &m : all) {
        const bool chosen =
            options.only.empty() || std::any_of(options.only.begin(), options.only.end(),
                                                [&](const std::string &word) { return names(word, m); });
        if (chosen && !only_tried) {
            result.push_back({m, ""});
        }
    }
    for (const std::string &with : options.tried) {
        const auto [name, value] = parameter(with);
        parse_parameters({{name, value}});  // refuses what is none, before anything is planned
        result.push_back({{}, with});
    }
    return result;
}

/** What the scheduler's parameters become with `change`. */
std::map<std::string, std::string> changed(std::map<std::string, std::string> how, const Change &change) {
    if (!change.with.empty()) {
        const auto [name, value] = parameter(change.with);
        how.erase(name == "search" ? "effort" : name == "effort" ? "search" : "");
        how[name] = value;
    } else if (!change.none()) {
        std::string &disabled = how["disable"];
        disabled += (disabled.empty() ? "" : ",") + change.without.name;
    }
    return how;
}

/** Is its plan found by other prices than the whole plan's? */
bool has_other_prices(const Change &change) {
    const std::string name = change.with.empty() ? "" : parameter(change.with).first;
    return change.kind() == "term" || name == "cost_model" || name == "machine";
}

class Ablation {
public:
    Ablation(const AblateOptions &options, const Halide::Target &target)
        : options_(options), target_(target), how_(as_text(options.scheduling)) {
    }

    /** The whole plan, then one for each change. */
    std::vector<AblationRow> plan(const Subject &subject, const Progress &progress) const {
        std::vector<AblationRow> rows;
        std::string decisions;
        std::vector<Change> changes = asked(options_, target_);
        changes.insert(changes.begin(), Change());
        for (const Change &change : changes) {
            if (interrupted()) {
                break;
            }
            progress.show(subject.name + ": planning " + (change.none() ? "all" : change.words()));
            AblationRow row;
            row.file = subject.name;
            row.change = change;
            try {
                const std::string plan = plan_one(subject, row);
                decisions = change.none() ? plan : decisions;
                row.changes = plan != decisions;
                row.predicted = row.changes || rows.empty() ? row.predicted : rows.front().predicted;
            } catch (const UserError &e) {
                if (change.none()) {
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
        task["file"] = subject.input.is_made() ? Input(subject.input).save(target_, folder)
                                               : subject.input.words.front();
        task["title"] = subject.name;
        std::vector<Scheduler> schedulers;
        std::vector<AblationRow *> timed;
        for (AblationRow &row : rows) {
            if (row.status == "ok" && (row.changes || row.change.none())) {
                schedulers.push_back({"eutectic", "", changed(how_, row.change), ""});
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
    const AblateOptions &options_;
    Halide::Target target_;
    std::map<std::string, std::string> how_;

    /** Fills in what is predicted; returns the decisions, as text. What other prices chose is priced by those
     * of the whole plan. */
    std::string plan_one(const Subject &subject, AblationRow &row) const {
        const Parameters whole = parameters(options_.scheduling);
        Parameters p = parse_parameters(changed(how_, row.change));
        p.parallelism = whole.parallelism;
        const Input input(subject.input);
        const Scheduled s = schedule_loaded(subject.name, input.load(target_), target_, p);
        row.predicted = has_other_prices(row.change)
                            ? priced_anew(s.graph, s.planned.plan, choose_machine(target_, whole))
                            : s.planned.plan.cost().total();
        row.traffic = traffic(s.graph, s.planned.plan).fused_bytes;
        std::string decisions = s.source;
        for (const std::string &sentence : s.graph.changed) {
            decisions += sentence;
        }
        return decisions;
    }
};

int ablate(AblateOptions options) {
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
    const auto options = std::make_shared<AblateOptions>();
    CLI::App *command = app.add_subcommand(
        "ablate", "Leaves out each rule, rewrite, preparation, policy and term of the "
                  "prices, one at a time, or tries another search or cost model, and tells "
                  "what predicted and measured time and traffic become.");
    add_input_options(*command, options->input);
    add_scheduling_options(*command, options->scheduling, false);
    add_value_options(*command, options->inputs, options->externs);
    command
        ->add_option("--only", options->only,
                     "what to leave out, names or kinds (rule, rewrite, preparation, policy, term), "
                     "separated by commas (default: all that there is)")
        ->type_name("NAME,NAME")
        ->delimiter(',');
    command
        ->add_option("--try", options->tried,
                     "another value of one of the scheduler's parameters, beside the plan without it: "
                     "cost_model=roofline, search=beam; without --only nothing is left out then")
        ->type_name("NAME=VALUE")
        ->take_all();
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
    command->footer(
        "examples:\n"
        "  eutectic ablate dense.hlpipe\n"
        "  eutectic ablate build/generators -g softmax cols=4096 --json > softmax.json\n"
        "  eutectic ablate one.hlpipe two.hlpipe three.hlpipe --seconds 1\n"
        "  eutectic ablate dense.hlpipe --only tile_producer,sum_in_strips\n"
        "  eutectic ablate dense.hlpipe --only policy,price.memory\n"
        "  eutectic ablate dense.hlpipe --try cost_model=./own_cost_model.so --try cost_model=roofline "
        "--try search=beam\n"
        "  eutectic ablate dense.hlpipe --predict-only --target "
        "x86-64-linux-cuda-cuda_capability_80 --gpu h100\n\n"
        "Plans that stay the same are not measured. What other prices choose is predicted by the model "
        "of the whole plan. Ctrl-C leaves the table of what was done. "
        "The status is 1 when\n"
        "a changed plan fails or has other results than the unfused program.");
    command->callback([options, &run] { run = [options] { return ablate(*options); }; });
}

}  // namespace eutectic
