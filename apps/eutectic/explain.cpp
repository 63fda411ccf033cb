// eutectic explain: the plan, why, and what else would have cost.

#include <iostream>
#include <memory>

#include <nlohmann/json.hpp>

#include "apps/eutectic/commands.h"
#include "apps/eutectic/input.h"
#include "base/user_error.h"
#include "base/write_whole.h"
#include "features/features.h"
#include "report/nest_features.h"
#include "report/page/plan_page.h"
#include "report/report.h"
#include "report/targets.h"

namespace eutectic {

namespace {

struct ExplainOptions {
    InputOptions input;
    SchedulingOptions scheduling;
    std::string features, nests, pins, html;
    std::vector<std::string> side_by_side;  ///< targets
    bool json = false;
};

/** One plan for each target, and where they differ. */
int explain_targets(const ExplainOptions &options) {
    const std::pair<const char *, bool> alone[] = {
        {"--target", !options.scheduling.targets.empty()},
        {"--write-pins", !options.pins.empty()},
        {"--dump-features", !options.features.empty()},
        {"--dump-nests", !options.nests.empty()},
        {"--expect-hash", !options.scheduling.expect_hash.empty()}};
    for (const auto &[name, given] : alone) {
        if (given) {
            throw UserError(std::string("--targets puts several plans side by side, and ") + name +
                            " is about one: leave one of the two out.");
        }
    }
    SchedulingOptions scheduling = options.scheduling;
    scheduling.targets = options.side_by_side;
    const Input input(options.input);
    std::vector<Scheduled> plans;
    for (const Halide::Target &target : targets(scheduling)) {
        Parameters how = parameters(scheduling);
        how.gpu = target.has_gpu_feature() ? how.gpu : "";
        plans.push_back(schedule_loaded(input.name(), input.load(target), target, how));
    }
    std::vector<Report> reports;
    for (const Scheduled &s : plans) {
        reports.push_back(s.report());
    }
    if (!options.html.empty()) {
        write_whole("page", options.html, targets_page(reports, input.name()));
    }
    const TargetComparison comparison = compare_targets(reports);
    std::cout << (options.json ? to_json(comparison).dump(2) + "\n" : to_text(comparison));
    return 0;
}

void write_nests(const Scheduled &scheduled, const std::string &path) {
    if (scheduled.machine.gpu) {
        throw UserError("--dump-nests was given for " + scheduled.target +
                        ", and its columns are about loops on CPUs: give a CPU target.");
    }
    write_whole("table of nests", path,
                nest_features_csv(scheduled.graph, scheduled.planned.plan, scheduled.machine));
}

int explain(const ExplainOptions &options) {
    if (!options.side_by_side.empty()) {
        return explain_targets(options);
    }
    const Parameters how = parameters(options.scheduling);
    const std::vector<Halide::Target> asked = targets(options.scheduling);
    if (asked.size() != 1) {
        throw UserError("explain was given " + std::to_string(asked.size()) +
                        " targets, and a plan is for one: give one --target.");
    }
    const Input input(options.input);
    const LoadedPipeline loaded = input.load(asked.front());
    const Scheduled scheduled = schedule_loaded(input.name(), loaded, asked.front(), how);
    if (!options.features.empty()) {
        write_whole("table of features", options.features, to_csv(scheduled.graph, scheduled.features));
    }
    if (!options.nests.empty()) {
        write_nests(scheduled, options.nests);
    }
    if (!options.pins.empty()) {
        write_whole(
            "pin file", options.pins,
            to_text(scheduled.graph, pins_of(scheduled.graph, scheduled.planned.plan, scheduled.pins)));
    }
    if (!options.html.empty()) {
        write_whole("page", options.html, plan_page(scheduled.report(), input.name()));
    }
    std::cout << (options.json ? to_json(scheduled.report()).dump(2) + "\n" : to_text(scheduled.report()));
    const std::string drifted = scheduled.drifted_from(how.expect_hash);
    if (!drifted.empty()) {
        throw Drifted(drifted);
    }
    return 0;
}

}  // namespace

void add_explain(CLI::App &app, Run &run) {
    const auto options = std::make_shared<ExplainOptions>();
    CLI::App *command =
        app.add_subcommand("explain", "Prints the fused groups, every decision with its reason and its "
                                      "runner-up, the costs and the schedule.");
    add_input_options(*command, options->input);
    add_scheduling_options(*command, options->scheduling, false);
    add_packed_option(*command, options->scheduling);
    command->add_flag("--json", options->json, "print the report as JSON");
    command
        ->add_option("--html", options->html,
                     "write a page with the graph, the ledger to sort and to filter, and the traffic, or of "
                     "--targets with where each Func is; it needs no network")
        ->type_name("FILE.html");
    command->add_option("--dump-features", options->features, "write what is known of every stage, as CSV")
        ->type_name("FILE.csv");
    command
        ->add_option("--dump-nests", options->nests,
                     "write what each stage of each nest of loops is priced by, as CSV: what a cost model of "
                     "your own is told")
        ->type_name("FILE.csv");
    command
        ->add_option("--write-pins", options->pins,
                     "write where every Func is, to edit and to give back as --pin")
        ->type_name("FILE.json");
    command
        ->add_option("--targets", options->side_by_side,
                     "print the plans for several targets side by side instead, and why they differ")
        ->type_name("TARGET,TARGET")
        ->delimiter(',');
    command->footer("examples:\n"
                    "  eutectic explain dense.hlpipe\n"
                    "  eutectic explain build/generators -g dense m=64 activation=gelu --effort best\n"
                    "  eutectic explain dense.hlpipe --arg x=784x32 --arg y=256x32 --json > report.json\n"
                    "  eutectic explain dense.hlpipe --write-pins plan.json, then: eutectic compile "
                    "dense.hlpipe --pin plan.json -o kernels\n"
                    "  eutectic explain dense.hlpipe --html dense.html\n"
                    "  eutectic explain build/generators -g softmax --targets "
                    "host,host-cuda-cuda_capability_80,host-opencl --gpu h100 --html softmax.html\n"
                    "  eutectic explain dense.hlpipe --disable tile_producer --dump-features stages.csv\n"
                    "  eutectic explain dense.hlpipe --cost-model roofline --dump-nests nests.csv");
    command->callback([options, &run] { run = [options] { return explain(*options); }; });
}

}  // namespace eutectic
