// eutectic inspect: the code that was emitted for the plan, read back.

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>

#include "apps/eutectic/clock.h"
#include "apps/eutectic/commands.h"
#include "apps/eutectic/contest_task.h"
#include "apps/eutectic/input.h"
#include "apps/eutectic/inspected.h"
#include "apps/eutectic/profiled.h"
#include "apps/eutectic/run_arguments.h"
#include "base/user_error.h"
#include "base/write_whole.h"
#include "schedules/target.h"

namespace eutectic {

namespace {

struct InspectOptions {
    InputOptions input;
    SchedulingOptions scheduling;
    std::vector<std::string> inputs, externs;
    std::string cpu, html;
    double seconds = 1;
    bool no_run = false, json = false;
};

Halide::Target one_target(const InspectOptions &options) {
    const std::vector<Halide::Target> asked = targets(options.scheduling);
    if (asked.size() != 1) {
        throw UserError("inspect was given " + std::to_string(asked.size()) +
                        " targets, and reads the code of one: give one --target.");
    }
    if (asked.front().has_gpu_feature() && !asked.front().has_feature(Halide::Target::CUDA)) {
        throw UserError("inspect reads kernels for CUDA, and those of the target " +
                        asked.front().to_string() +
                        " are compiled by the device's driver: give a target with cuda, or one for a CPU.");
    }
    if (!asked.front().has_gpu_feature() && llvm_triple(asked.front()).empty()) {
        throw UserError("inspect reads code of x86 and of AArch64, and was given the target " +
                        asked.front().to_string() + ": give one of those.");
    }
    return asked.front();
}

CodeReader require_reader() {
    CodeReader reader = find_code_reader();
    if (reader.path.empty()) {
        throw UserError(
            "inspect has nothing to read code with (" + reader.absent +
            "): install Debian's llvm-19-dev and build Eutectic anew, or name an eutectic-read-code in "
            "EUTECTIC_READ_CODE.");
    }
    return reader;
}

/** Runs the pipeline if it can be, and says why not otherwise. */
void measure(Inspected &inspected, LoadedPipeline &loaded, const Halide::Target &target,
             const InspectOptions &options, const Parameters &how) {
    const std::string elsewhere = not_run_here(target);
    if (options.no_run || !elsewhere.empty()) {
        inspected.not_measured =
            options.no_run ? "Nothing was measured, as --no-run asks."
                           : "Nothing was measured: the target " + target.to_string() + " " + elsewhere + ".";
        return;
    }
    load_externs(options.externs);
    require_externs(loaded.pipeline);
    begin_step("Compiling and running " + inspected.name);
    const ScratchFolder folder(std::filesystem::temp_directory_path().string());
    const double hertz = running_hertz();
    const ProfiledRun run = run_profiled(loaded, target, input_texts(options.inputs), inspected.threads,
                                         how.arena, options.seconds, folder);
    measure_nests(inspected, run, std::max(hertz, running_hertz()));
}

/** Of kernels: what the toolkit's programs say. */
void read_kernels(Inspected &inspected, const Scheduled &scheduled, const LoadedPipeline &loaded,
                  const Halide::Target &target) {
    const DeviceKernels device = device_kernels(scheduled, loaded.pipeline, target);
    inspected.architecture = device.architecture;
    inspected.no_sass = device.no_sass;
    inspected.price_hertz = scheduled.machine.gpu->hertz;
    inspected.nests = nests_of(scheduled, device);
    inspected.not_measured = "Nothing was measured: Halide's profiler does not see into kernels.";
}

/** Of code for a CPU: what LLVM's libraries say. */
void read_loops(Inspected &inspected, const Scheduled &scheduled, LoadedPipeline &loaded,
                const Halide::Target &target, const InspectOptions &options) {
    const std::string cpu = options.cpu.empty() ? default_cpu(target) : options.cpu;
    const EmittedCode code = emitted_code(require_reader(), loaded.pipeline, loaded.inputs, target, cpu);
    if (!code.read.failure.empty()) {
        throw UserError("The code of " + inspected.name + " could not be read back (" + code.read.failure +
                        "): give another --target or --cpu.");
    }
    inspected.read = code.read;
    inspected.nests = nests_of(scheduled, code, inspected.threads);
}

int inspect(const InspectOptions &options) {
    const Halide::Target target = one_target(options);
    const bool kernels = target.has_gpu_feature();
    if (kernels && !options.cpu.empty()) {
        throw UserError("--cpu names a processor, and the code of the target " + target.to_string() +
                        " is a device's: leave it out, or name the device by --gpu.");
    }
    if (!kernels) {
        require_reader();  // before all the work, not after it
    }
    if (!options.html.empty()) {
        require_writable("page", options.html);
    }
    const Parameters how = parameters(options.scheduling);
    const Input input(options.input);
    LoadedPipeline loaded = input.load(target);
    require_inputs(loaded, input.name(), input_texts(options.inputs));
    const Scheduled scheduled = schedule_loaded(input.name(), loaded, target, how);
    begin_step("Compiling " + input.name());
    Inspected inspected;
    inspected.name = input.name();
    inspected.target = target.to_string();
    inspected.machine = scheduled.machine.name;
    inspected.threads = threads_of(options.scheduling);
    inspected.price_hertz = scheduled.machine.hertz;
    if (kernels) {
        read_kernels(inspected, scheduled, loaded, target);
    } else {
        read_loops(inspected, scheduled, loaded, target, options);
        measure(inspected, loaded, target, options, how);
    }
    if (!options.html.empty()) {
        write_whole("page", options.html, inspect_page(inspected));
    }
    std::cout << (options.json ? to_json(inspected).dump(2) + "\n" : to_text(inspected));
    return 0;
}

}  // namespace

void add_inspect(CLI::App &app, Run &run) {
    const auto options = std::make_shared<InspectOptions>();
    CLI::App *command = app.add_subcommand(
        "inspect",
        "Reads the code that is emitted for the plan back: instructions, vectors, loads, spills and cycles "
        "of every nest's loops.");
    add_input_options(*command, options->input);
    add_scheduling_options(*command, options->scheduling, false);
    add_value_options(*command, options->inputs, options->externs);
    command
        ->add_option(
            "--cpu", options->cpu,
            "the processor, as LLVM calls it (-mcpu), whose cycles are predicted (default: this one where "
            "it runs the target, or else the first that the target is planned for)")
        ->type_name("NAME");
    command->add_option("--html", options->html, "write a page with the same, too; it needs nothing else")
        ->type_name("FILE.html");
    command->add_flag("--no-run", options->no_run, "measure nothing");
    command->add_option("--seconds", options->seconds, "how long to run (default: 1)")
        ->type_name("S")
        ->check(CLI::Range(0.01, 600.0));
    command->add_flag("--json", options->json, "print what was read as JSON");
    command->footer(
        "examples:\n"
        "  eutectic inspect dense.hlpipe\n"
        "  eutectic inspect build/generators -g dense m=64 --no-run\n"
        "  eutectic inspect dense.hlpipe --cpu sapphirerapids --json\n"
        "  eutectic inspect dense.hlpipe --target arm-64-linux --cpu neoverse-v1 --html dense.html\n"
        "  eutectic inspect dense.hlpipe --target host-cuda-cuda_capability_80 --gpu a100\n\n"
        "Cycles of a loop are those of one turn of many, with every load in the first level and every jump "
        "foreseen,\nby the model that llvm-mca has of the processor.");
    command->callback([options, &run] { run = [options] { return inspect(*options); }; });
}

}  // namespace eutectic
