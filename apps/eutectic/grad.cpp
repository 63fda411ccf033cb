// eutectic grad: a forward and a backward of one pipeline, and the contract between them.

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <set>

#include <nlohmann/json.hpp>

#include "apps/eutectic/commands.h"
#include "apps/eutectic/input.h"
#include "apps/eutectic/library.h"
#include "apps/eutectic/pair.h"
#include "apps/eutectic/rules.h"
#include "autodiff/contract/header.h"
#include "autodiff/contract/json.h"
#include "base/user_error.h"
#include "base/write_whole.h"
#include "schedules/hlpipe/save.h"
#include "schedules/hlpipe/strip.h"

namespace eutectic {

using namespace Halide;

namespace {

struct GradOptions {
    InputOptions input;
    SchedulingOptions scheduling;
    GradientOptions gradient;
    std::string folder, function, budget, rules;
    bool json = false, pipelines = false, tangent = false, hvp = false;
};

GradientOptions for_target(GradientOptions gradient, const Target &target) {
    gradient.as_written = target.has_feature(Target::StrictFloat);
    return gradient;
}

/** The two functions of a pipeline, for each target out of one differentiation. */
class PairSource {
public:
    PairSource(const Input &input, const GradientOptions &gradient) : input_(input), gradient_(gradient) {
    }

    const Pair &pair(const Target &target) {
        // Neither has a say in what is computed.
        std::unique_ptr<Pair> &known = pairs_[target.without_feature(Target::CPlusPlusMangling)
                                                  .without_feature(Target::NoRuntime)
                                                  .to_string()];
        if (!known) {
            const LoadedPipeline loaded = input_.load(target);
            require_order(loaded, input_.name());
            require_user_context(loaded, target, input_.name());
            check_options(gradient_, loaded, input_.name());
            if (gradient_.accumulate && target.has_gpu_feature()) {
                throw UserError(
                    "--accumulate was given for the target " + target.to_string() +
                    ", and kernels for CPUs add to what buffers hold: leave it out for that target.");
            }
            begin_step("Differentiating " + input_.name());
            known = std::make_unique<Pair>(make_pair_of(loaded, for_target(gradient_, target)));
        }
        return *known;
    }

    LoadedPipeline backward(const Target &target) {
        strip(pair(target).backward.pipeline);
        return pair(target).backward;
    }

private:
    const Input &input_;
    const GradientOptions &gradient_;
    std::map<std::string, std::unique_ptr<Pair>> pairs_;
};

void refuse_for_one_plan(const SchedulingOptions &options) {
    if (!options.expect_hash.empty()) {
        throw UserError(
            "--expect-hash was given, which is that of one plan, and grad makes two: leave it out.");
    } else if (!options.pin.empty()) {
        throw UserError(
            "--pin was given, whose names are those of one pipeline, and grad makes two: leave it out.");
    }
}

void prepend(const std::string &path, const std::string &text) {
    std::ifstream in(path);
    write_whole("header", path,
                text + std::string{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()});
}

void print(const GradOptions &options, const std::string &name, const Contract &contract,
           const ResidualReport &residuals, const std::vector<std::string> &paths) {
    if (options.json) {
        std::cout << contract_json(contract, residuals, name, paths);
        return;
    }
    for (const std::string &path : paths) {
        std::cout << path << "\n";
    }
    std::cout << "\n" << residual_table(residuals);
}

/** Takes what is not read from the inputs: pipelines are given what they need by name. */
void leave_unread(const Contract &contract, LoadedPipeline &backward) {
    std::set<std::string> unread;
    for (const ContractArgument &a : contract.backward) {
        if (!a.is_read) {
            unread.insert(a.name);
        }
    }
    std::vector<Argument> &inputs = backward.inputs;
    inputs.erase(std::remove_if(inputs.begin(), inputs.end(),
                                [&](const Argument &a) { return unread.count(a.name) > 0; }),
                 inputs.end());
}

/** Both as pipelines, with their arguments beside them. Returns the names of the files. */
std::vector<std::string> save_pair(PairSource &source, const Target &target, const std::string &name,
                                   const ScratchFolder &scratch) {
    std::vector<std::string> files;
    const auto save = [&](LoadedPipeline loaded, const std::string &pass) {
        loaded.function = name + "_" + pass;
        loaded.ordered = true;
        const std::string file = loaded.function + ".hlpipe";
        save_pipeline(loaded, scratch.file(file));
        files.insert(files.end(), {file, sidecar_path(file)});
    };
    const Contract &contract = source.pair(target).contract;
    save(source.pair(target).forward, "forward");
    LoadedPipeline backward = source.backward(target);
    leave_unread(contract, backward);
    save(backward, "backward");
    return files;
}

void refuse_of_pairs(const GradOptions &options) {
    const std::string which = options.tangent ? "--tangent" : "--hvp";
    if (options.tangent && options.hvp) {
        throw UserError(
            "--tangent and --hvp were both given, and grad makes one function of either: run it twice.");
    } else if (!options.budget.empty()) {
        throw UserError("--budget was given with " + which +
                        ", which keeps nothing between two calls: leave it out.");
    } else if (options.gradient.accumulate) {
        throw UserError("--accumulate was given with " + which +
                        ", and is for the gradients of a backward: leave it out.");
    }
}

GradientOptions gradient_options(const GradOptions &options) {
    GradientOptions gradient = options.gradient;
    if (!options.budget.empty()) {
        gradient.budget = parse_budget(options.budget, "--budget ");
    }
    if (!options.rules.empty()) {
        gradient.rules = load_rules(options.rules);
    }
    return gradient;
}

/** The one function NAME_tangent or NAME_hvp. */
int tangents(const GradOptions &options) {
    refuse_of_pairs(options);
    const GradientOptions gradient = gradient_options(options);
    const Input input(options.input);
    const Parameters how = parameters(options.scheduling);
    const std::vector<Target> for_targets = targets(options.scheduling);
    const ScratchFolder scratch = scratch_for(options.folder);
    const auto load = [&](const Target &target) {
        const LoadedPipeline loaded = input.load(target);
        require_order(loaded, input.name());
        require_user_context(loaded, target, input.name());
        check_options(gradient, loaded, input.name());
        begin_step("Differentiating " + input.name());
        return make_tangents_of(loaded, for_target(gradient, target), options.hvp);
    };
    LoadedPipeline first = load(for_targets.front());
    const std::string name =
        (options.function.empty() ? first.function : options.function) + (options.hvp ? "_hvp" : "_tangent");
    std::vector<std::string> files;
    if (options.pipelines) {
        first.function = name.substr(name.rfind(':') + 1);
        first.ordered = true;
        const std::string file = first.function + ".hlpipe";
        save_pipeline(first, scratch.file(file));
        files = {file, sidecar_path(file)};
    } else {
        files = compile_library({input.name(), name, load}, how, for_targets, scratch);
    }
    const std::vector<std::string> paths = publish(files, scratch, options.folder);
    if (options.json) {
        std::cout << nlohmann::ordered_json{{"function", name}, {"files", paths}}.dump(2) << "\n";
    }
    for (const std::string &path : options.json ? std::vector<std::string>() : paths) {
        std::cout << path << "\n";
    }
    return 0;
}

int grad(const GradOptions &options) {
    check_function(options.function);
    refuse_for_one_plan(options.scheduling);
    if (options.tangent || options.hvp) {
        return tangents(options);
    }
    const Input input(options.input);
    const Parameters how = parameters(options.scheduling);
    const std::vector<Target> for_targets = targets(options.scheduling);
    const ScratchFolder scratch = scratch_for(options.folder);
    const GradientOptions gradient = gradient_options(options);
    PairSource source(input, gradient);
    const std::string name =
        options.function.empty() ? source.pair(for_targets.front()).forward.function : options.function;
    const std::string base = name.substr(name.rfind(':') + 1);
    Contract contract = source.pair(for_targets.front()).contract;
    contract.user_context = for_targets.front().has_feature(Target::UserContext);

    if (options.pipelines) {
        print(options, name, contract, source.pair(for_targets.front()).residuals,
              publish(save_pair(source, for_targets.front(), base, scratch), scratch, options.folder));
        return 0;
    }
    // First: it may refuse.
    const std::string header = contract_header(contract, name), comment = contract_comment(contract, name);
    std::vector<std::string> files;
    const auto add = [&](const std::string &pass, const std::vector<size_t> &order,
                         const std::function<LoadedPipeline(const Target &)> &load) {
        const std::vector<std::string> written =
            compile_library({input.name(), name + "_" + pass, load, false, order}, how, for_targets, scratch);
        prepend(scratch.file(base + "_" + pass + ".h"), comment);
        files.insert(files.end(), written.begin(), written.end());
    };
    add("forward", {}, [&](const Target &target) { return source.pair(target).forward; });
    add("backward", pipeline_arguments(contract),
        [&](const Target &target) { return source.backward(target); });
    write_whole("contract", scratch.file(base + "_residuals.h"), header);
    const ResidualReport &residuals = source.pair(for_targets.front()).residuals;
    write_whole("report", scratch.file(base + ".report.json"),
                contract_json(contract, residuals, name, {base + "_forward.a", base + "_backward.a"}));
    files.insert(files.end(), {base + "_residuals.h", base + ".report.json"});
    print(options, name, contract, residuals, publish(files, scratch, options.folder));
    return 0;
}

/** What is differentiated by what, and how. */
void add_gradient_options(CLI::App &command, GradOptions &options) {
    command
        .add_option("--wrt", options.gradient.wrt,
                    "the inputs to differentiate by, buffers or scalars (default: every buffer of a "
                    "floating-point type that is not marked as data)")
        ->type_name("NAME,NAME")
        ->delimiter(',');
    command.add_option("--of", options.gradient.of, "the outputs to differentiate (default: the only one)")
        ->type_name("NAME,NAME")
        ->delimiter(',');
    command
        .add_option("--budget", options.budget,
                    "bytes kept between the two plus the larger peak of temporaries, at most: 65536, 64KiB, "
                    "1.5MiB (default: by cost)")
        ->type_name("BYTES");
    command.add_flag("--accumulate", options.gradient.accumulate,
                     "gradients are added to what their buffers hold");
    command
        .add_option(
            "--rules", options.rules,
            "derivatives of C functions that the pipeline calls, and other rules: a shared library with "
            "eutectic_rules (docs/differentiation.md)")
        ->type_name("FILE.so");
}

}  // namespace

void add_grad(CLI::App &app, Run &run) {
    const auto options = std::make_shared<GradOptions>();
    CLI::App *command = app.add_subcommand("grad", "Differentiates and compiles: a forward and a backward, "
                                                   "and the contract between them, or nothing at all.");
    add_input_options(*command, options->input);
    add_scheduling_options(*command, options->scheduling, true);
    add_gradient_options(*command, *options);
    command->add_option("-o,--output", options->folder, "the folder to write to; made if it is not there")
        ->required()
        ->type_name("DIR");
    command
        ->add_option("-f,--function", options->function,
                     "the pair's name, C++ namespaces included (default: the generator's or the file's)")
        ->type_name("NAME");
    command->add_flag("--tangent", options->tangent,
                      "one function NAME_tangent instead: takes t_INPUT, a direction, beside the inputs, and "
                      "gives t_OUTPUT, the outputs' derivatives along it, beside the outputs");
    command->add_flag(
        "--hvp", options->hvp,
        "one function NAME_hvp instead: takes d_OUTPUT and t_INPUT beside the inputs, and gives "
        "d_INPUT and t_d_INPUT, the product of second derivatives with t, beside the outputs");
    command->add_flag("--pipelines", options->pipelines,
                      "write the two as pipelines, NAME_forward.hlpipe and NAME_backward.hlpipe with their "
                      "arguments beside them, and compile nothing");
    command->add_flag("--json", options->json, "print files, arguments and what is kept as JSON");
    command->footer(
        "examples:\n"
        "  eutectic grad dense.hlpipe --wrt x,w --of y -o kernels\n"
        "  eutectic grad build/generators -g mlp_loss batch=64 --wrt w1,b1,w2,b2,w3,b3 -o kernels\n"
        "  eutectic grad dense.hlpipe -o kernels -f nn::dense --numerics strict --json\n"
        "  eutectic grad net.hlpipe --wrt w3,w2,w1 --budget 1.5MiB -o kernels\n"
        "  eutectic grad dense.hlpipe --pipelines -o pair\n"
        "  eutectic grad dense.hlpipe --tangent --wrt x -o kernels\n"
        "  eutectic grad build/generators -g mlp_loss --hvp --wrt w1,w2 -o kernels\n\n"
        "Writes NAME_forward and NAME_backward, each as .a, .h and .report.json, NAME.report.json, "
        "which\n"
        "says what the pair takes and gives, for frameworks, and NAME_residuals.h: struct "
        "NAME_residuals\n"
        "allocates what the forward keeps for the backward, and calls both when all fits.\n"
        "NAME_forward takes the inputs, the outputs, and what it keeps; NAME_backward the inputs, the "
        "outputs,\n"
        "gradients d_OUTPUT, d_INPUT, which it gives, and what was kept: only that follows from the budget.\n"
        "What it does not read may be null, and NAME_residuals.h and NAME.report.json (unread) say so.");
    command->callback([options, &run] { run = [options] { return grad(*options); }; });
}

}  // namespace eutectic
