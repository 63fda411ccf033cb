#include "apps/eutectic/input.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "apps/eutectic/batched.h"
#include "apps/eutectic/graph.h"
#include "apps/eutectic/guard.h"
#include "base/nearest.h"
#include "base/user_error.h"
#include "base/write_whole.h"
#include "schedules/dump.h"
#include "schedules/hlpipe/messages.h"
#include "schedules/hlpipe/save.h"
#include "schedules/hlpipe/strip.h"
#include "schedules/target.h"

namespace eutectic {

using namespace Halide;

namespace {

std::vector<std::string> split(const std::string &text, char at) {
    std::vector<std::string> parts;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, at);) {
        if (!part.empty()) {
            parts.push_back(part);
        }
    }
    return parts;
}

/** Every word that a target may be made of. */
std::vector<std::string> target_words() {
    std::vector<std::string> words = {"host",    "x86", "arm",  "powerpc", "hexagon", "wasm",
                                      "riscv",   "32",  "64",   "linux",   "windows", "osx",
                                      "android", "ios", "qurt", "noos",    "fuchsia", "wasmrt"};
    for (int f = 0; f < static_cast<int>(Target::FeatureEnd); f++) {
        words.push_back(Target::feature_to_name(static_cast<Target::Feature>(f)));
    }
    return words;
}

Target parse_target(const std::string &text) {
    if (Target::validate_target_string(text)) {
        return Target(text);
    }
    const std::vector<std::string> known = target_words();
    for (const std::string &word : split(text, '-')) {
        if (std::find(known.begin(), known.end(), word) != known.end() || word.rfind("tune_", 0) == 0 ||
            word.rfind("vector_bits_", 0) == 0) {
            continue;
        }
        throw UserError("The target " + text + " is unknown to Halide because of " + word + ": " +
                        nearest_or(word, known, "give one such as host or x86-64-linux-avx2-fma") + ".");
    }
    throw UserError("The target " + text +
                    " is unknown to Halide: give one such as host or x86-64-linux-avx2-fma.");
}

bool is_program(const std::string &path) {
    char start[4] = {};
    std::ifstream(path, std::ios::binary).read(start, sizeof start);
    return std::string(start, 4) == "\177ELF" || std::string(start, 2) == "#!";
}

std::string list(const std::vector<std::string> &names) {
    std::string text;
    for (size_t i = 0; i < names.size(); i++) {
        text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
    }
    return text;
}

GivenArguments given_arguments(const InputOptions &options) {
    GivenArguments given;
    for (const std::string &a : options.arguments) {
        const size_t equals = a.find('=');
        if (equals == 0 || equals == std::string::npos) {
            throw UserError("--arg was given as " + a +
                            ", which names no value: write --arg NAME=784x128 for a buffer's size, or "
                            "NAME=0.5 for a scalar.");
        }
        given.values[a.substr(0, equals)] = a.substr(equals + 1);
    }
    for (const std::string &words : options.order) {
        const std::vector<std::string> names = split(words, ',');
        given.order.insert(given.order.end(), names.begin(), names.end());
    }
    return given;
}

}  // namespace

void add_input_options(CLI::App &app, InputOptions &options) {
    app.add_option("FILE", options.words,
                   "a serialized pipeline (.hlpipe); with -g: a generator executable, then the generator's "
                   "parameters as NAME=VALUE")
        ->required()
        ->type_name("");
    app.add_option("-g,--generator", options.generator,
                   "the generator's name, if FILE is a generator executable")
        ->type_name("NAME");
    app.add_option("--graph", options.graph,
                   "generators of the executable FILE joined, outputs to inputs, as one pipeline: a file of "
                   "JSON (docs/eutectic.md)")
        ->type_name("FILE.json");
    app.add_option("--arg", options.arguments,
                   "size of a buffer to plan for, innermost first (x=784x128), or expected value of a scalar "
                   "(rate=0.5); over what the file says")
        ->type_name("NAME=VALUE");
    app.add_option("--args-order", options.order,
                   "the inputs in the order in which the function takes them, if the file does not tell")
        ->type_name("NAME,NAME");
    app.add_option("--save", options.save,
                   "keep the pipeline of -g or --graph as FILE.hlpipe, with FILE.args.json beside it")
        ->type_name("FILE.hlpipe");
    app.add_option(
           "--batch", options.batch,
           "plan for a batch of N examples: --over names the inputs that each has of its own, which get "
           "one dimension more, the last, as what depends on them does")
        ->type_name("N")
        ->check(CLI::PositiveNumber);
    app.add_option("--over", options.over, "with --batch: inputs of each example; the others are shared")
        ->type_name("NAME,NAME")
        ->delimiter(',');
    app.add_option(
           "--timeout", options.timeout,
           "seconds that a step may take: running a generator, planning, compiling, and in compare each "
           "step of a scheduler; then the command ends with status 124, and compare with the next row "
           "(default: 600 for a generator, 60 for a scheduler)")
        ->type_name("SECONDS")
        ->check(CLI::Range(1.0, 86400.0));
    app.add_flag("--keep-schedule", options.keep_schedule,
                 "what the pipeline's author scheduled stays as it is, and the rest is planned around it "
                 "(default: all directives are taken off first)");
}

/** What changes plans to see what becomes of them. */
static void add_experiment_options(CLI::App &app, SchedulingOptions &options) {
    app.add_option("--disable", options.disable,
                   "an experiment: rules, rewrites, preparations, policies or terms of prices to leave out, "
                   "separated by commas (a name that is none lists all)")
        ->type_name("NAME");
    app.add_option("--search", options.search,
                   "an experiment: greedy (as --effort fast), beam (as --effort best), or exhaustive, among "
                   "all legal placements of few Funcs")
        ->type_name("greedy|beam|exhaustive");
    app.add_option("--cost-model", options.cost_model,
                   "an experiment: what plans are priced by instead: roofline, traffic, or a shared library "
                   "that you have built (docs/for-experimenters.md)")
        ->type_name("roofline|traffic|FILE.so");
}

void add_scheduling_options(CLI::App &app, SchedulingOptions &options, bool several_targets) {
    app.add_option(
           "--target", options.targets,
           several_targets
               ? "Halide target; several, separated by commas, the most demanding first (default: host)"
               : "Halide target (default: host)")
        ->type_name("TARGET")
        ->delimiter(',');
    app.add_option("--effort", options.effort,
                   "fast: a greedy plan (default); best: a search of some seconds")
        ->type_name("fast|best");
    app.add_option(
           "--compile-seconds", options.compile_seconds,
           "what compiling the plan may take, estimated (default: a minute, or three times the unfused "
           "program's)")
        ->type_name("S");
    app.add_option("--numerics", options.numerics,
                   "strict: the bits of the scalar, unfused program; nan_safe: its NaN, infinities and "
                   "signed zeros, with "
                   "sums in any order")
        ->type_name("fast|nan_safe|strict");
    app.add_option(
           "--machine", options.machine,
           "a machine file of eutectic calibrate, host, or a processor such as zen3; default: all that the "
           "target runs on")
        ->type_name("FILE|host|PROCESSOR");
    app.add_option("--parallelism", options.parallelism,
                   "threads to plan for (default: the machine file's cores, else this machine's)")
        ->type_name("N")
        ->check(CLI::Range(1, 4096));
    app.add_option("--expect-hash", options.expect_hash,
                   "fail, with status 1, if the plan's decisions have another hash")
        ->type_name("HASH");
    app.add_option("--pin", options.pin,
                   "decisions of your own, which the plan keeps to: {\"mm\": \"inline\"}, \"root\" or "
                   "{\"at\": [\"y\", \"j\"]}")
        ->type_name("FILE.json");
    app.add_option("--gpu", options.gpu,
                   "for targets with cuda or opencl: the device to plan for, a100 (default), h100, h200, "
                   "rtx4090 or a file")
        ->type_name("NAME|FILE");
    app.add_flag(
        "--feedback", options.feedback,
        "have the code read back, of kernels for CUDA by ptxas, of others by LLVM's libraries, and plan "
        "again what spills");
    app.add_flag("--arena", options.arena,
                 "temporaries come from an arena, which keeps their pages between calls (src/arena)");
    app.add_option(
           "--library", options.library,
           "what products may be computed by, wherever that is predicted faster (default: none; src/library)")
        ->type_name("none|onednn|openblas|eigen");
    add_experiment_options(app, options);
}

void add_packed_option(CLI::App &app, SchedulingOptions &options) {
    app.add_option("--packed", options.packed,
                   "inputs, each the operand of one product, that callers hand over packed for it, once for "
                   "many calls")
        ->type_name("INPUT,INPUT")
        ->delimiter(',');
}

std::map<std::string, std::string> as_text(const SchedulingOptions &options) {
    std::map<std::string, std::string> given;
    const std::pair<const char *, const std::string &> texts[] = {
        {"effort", options.effort},   {"numerics", options.numerics},
        {"machine", options.machine}, {"disable", options.disable},
        {"pin", options.pin},         {"gpu", options.gpu},
        {"library", options.library}, {"compile_seconds", options.compile_seconds},
        {"search", options.search},   {"cost_model", options.cost_model}};
    for (const auto &[name, value] : texts) {
        if (!value.empty()) {
            given[name] = value;
        }
    }
    if (std::filesystem::exists(options.cost_model)) {  // contenders are planned for in folders of their own
        given["cost_model"] = std::filesystem::absolute(options.cost_model).string();
    }
    for (const std::string &input : options.packed) {
        std::string &all = given["packed"];
        all += (all.empty() ? "" : ",") + input;
    }
    if (options.feedback) {
        given["feedback"] = "1";
    }
    if (options.arena) {
        given["arena"] = "1";
    }
    return given;
}

Parameters parameters(const SchedulingOptions &options) {
    Parameters p = parse_parameters(as_text(options));
    p.expect_hash = options.expect_hash;
    const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    p.parallelism = options.parallelism > 0 ? options.parallelism : p.machine_file.empty() ? cores : 0;
    return p;
}

std::vector<Target> targets(const SchedulingOptions &options) {
    std::vector<Target> result;
    for (const std::string &text :
         options.targets.empty() ? std::vector<std::string>{"host"} : options.targets) {
        Target target = parse_target(text);
        if (options.numerics == "strict" || options.numerics == "nan_safe") {
            target.set_feature(Target::StrictFloat);
        }
        if (target.has_feature(Target::OpenCL)) {
            target.set_feature(Target::CLDoubles);  // for kernels that have any
        }
        result.push_back(target);
    }
    if (result.size() > 1 && !options.expect_hash.empty()) {
        throw UserError("--expect-hash was given for " + std::to_string(result.size()) +
                        " targets, and each has a plan of its own: give one --target.");
    }
    return result;
}

Input::Input(const InputOptions &options)
    : options_(options),
      given_(given_arguments(options)),
      name_(!options.graph.empty()
                ? options.graph
                : options.words.front() + (options.generator.empty() ? "" : " -g " + options.generator)) {
    limit_steps(options.timeout);
    if (!options.graph.empty() && (!options.generator.empty() || options.words.size() > 1)) {
        throw UserError(
            "--graph was given with -g or with parameters, and the graph names both: leave them out.");
    }
    if (options.generator.empty() && options.words.size() > 1) {
        throw UserError("The word " + options.words[1] + " follows " + options.words[0] +
                        ", and only a generator takes parameters: name it with -g, or give one file.");
    }
    if ((options.batch > 0) == options.over.empty()) {
        throw UserError(
            options.batch > 0
                ? "--batch was given without --over, the inputs that each example has of its own: give both."
                : "--over was given without --batch, the number of examples to plan for: give both.");
    }
    if (!options.is_made() && is_program(options.words[0])) {
        throw UserError("The file " + options.words[0] +
                        " is a program and no pipeline: name the generator in it with -g.");
    }
    if (!options.is_made() && !options.save.empty()) {
        throw UserError("--save keeps the pipeline of a generator, and " + options.words[0] +
                        " is a file already: leave --save out.");
    }
}

LoadedPipeline Input::load(const Target &target) const {
    const auto finish = [&](LoadedPipeline loaded) {
        begin_step("Working on " + name_);
        if (options_.batch > 0) {
            make_batch_of(loaded, options_.over, options_.batch);
        }
        for (const std::string &warning : loaded.warnings) {
            std::fprintf(stderr, "warning: %s\n", warning.c_str());
        }
        return loaded;
    };
    const auto read = [&](const std::string &path) {
        begin_step("Reading " + path,
                   "The file " + path +
                       " is no serialized Halide pipeline, or a damaged one (reading it ended with: {}): "
                       "write one with a generator's -e hlpipe.");
        LoadedPipeline loaded = [&] {
            const ReadingLimits limits;
            return PipelineFile(path, given_).load();
        }();
        if (!options_.keep_schedule) {
            strip(loaded.pipeline);
        }
        return finish(std::move(loaded));
    };
    if (!options_.is_made()) {
        return read(options_.words[0]);
    }
    if (!options_.graph.empty() && options_.save.empty()) {
        return finish(joined(target));
    }
    const ScratchFolder folder(std::filesystem::temp_directory_path().string());
    return read(save(target, folder));
}

LoadedPipeline Input::joined(const Target &target) const {
    begin_step("Joining " + name_);
    return compose(read_graph_file(options_.graph), options_.graph, options_.words[0], target.to_string());
}

std::string Input::save(const Target &target, const ScratchFolder &folder) const {
    const auto path = [&](const std::string &name) {
        return options_.save.empty() ? folder.file(name + ".hlpipe") : options_.save;
    };
    if (!options_.graph.empty()) {
        const LoadedPipeline whole = joined(target);
        save_pipeline(whole, path(whole.function));
        return path(whole.function);
    }
    const GeneratorCall call = {
        options_.words[0], options_.generator, {options_.words.begin() + 1, options_.words.end()}};
    save_generator(call, target.to_string(), path(call.name));
    return path(call.name);
}

Scheduled schedule_loaded(const std::string &subject, const LoadedPipeline &loaded, const Target &target,
                          Parameters parameters) {
    parameters.residuals = loaded.residuals;
    if (loaded.unestimated.empty()) {
        return schedule(loaded.pipeline, target, parameters, true);
    }
    // What has nothing to do with sizes is refused in its own words.
    numerics_of(target, parameters.numerics);
    choose_machine(target, parameters);
    const Dump place({subject});  // refuses a folder in its own words, too
    try {
        return schedule(loaded.pipeline, target, parameters, true);
    } catch (const UserError &) {
        throw UserError(
            "The sizes of " + subject + " do not follow from what is known of its arguments, for " +
            list(loaded.unestimated) +
            (loaded.unestimated.size() == 1 ? " lacks an estimate" : " lack estimates") + ": give --arg " +
            loaded.unestimated.front() + "=VALUE, or an arguments file beside it.");
    }
}

}  // namespace eutectic
