// eutectic compile: a static library with its header and its report.

#include <iostream>
#include <memory>

#include "apps/eutectic/commands.h"
#include "apps/eutectic/input.h"
#include "apps/eutectic/library.h"
#include "apps/eutectic/outputs.h"

namespace eutectic {

namespace {

struct CompileOptions {
    InputOptions input;
    SchedulingOptions scheduling;
    std::string folder, function;
    bool object = false;
    std::vector<std::string> emit;
};

int compile(const CompileOptions &options) {
    check_function(options.function);
    const Input input(options.input);
    const Parameters how = parameters(options.scheduling);
    const std::vector<Halide::Target> for_targets = targets(options.scheduling);
    check_outputs(options.emit, for_targets.size());
    // Nothing appears in the folder, nor the folder itself, until all is there.
    const ScratchFolder scratch = scratch_for(options.folder);
    const std::string function =
        options.function.empty() ? input.load(for_targets.front()).function : options.function;
    const auto load = [&](const Halide::Target &target) {
        const LoadedPipeline loaded = input.load(target);
        require_order(loaded, input.name());
        require_user_context(loaded, target, input.name());
        return loaded;
    };
    for (const std::string &path :
         publish(compile_library({input.name(), function, load, options.object, {}, options.emit}, how,
                                 for_targets, scratch),
                 scratch, options.folder)) {
        std::cout << path << "\n";
    }
    return 0;
}

}  // namespace

void add_compile(CLI::App &app, Run &run) {
    const auto options = std::make_shared<CompileOptions>();
    CLI::App *command = app.add_subcommand(
        "compile", "Schedules and compiles: a static library, a C header and the report, or nothing at all.");
    add_input_options(*command, options->input);
    add_scheduling_options(*command, options->scheduling, true);
    command->add_option("-o,--output", options->folder, "the folder to write to; made if it is not there")
        ->required()
        ->type_name("DIR");
    command
        ->add_option("-f,--function", options->function,
                     "the function's name, C++ namespaces included (default: the generator's or the file's)")
        ->type_name("NAME");
    add_packed_option(*command, options->scheduling);
    command->add_flag("--object", options->object, "an object, NAME.o, instead of the static library NAME.a");
    add_emit_option(*command, options->emit);
    command->footer(
        "examples:\n"
        "  eutectic compile build/generators -g dense m=64 -o kernels\n"
        "  eutectic compile dense.hlpipe -o kernels --numerics strict\n"
        "  eutectic compile dense.hlpipe -o kernels --args-order x,w,b -f nn::dense\n"
        "  eutectic compile dense.hlpipe -o kernels --target x86-64-linux-avx2-fma,x86-64-linux\n"
        "  eutectic compile dense.hlpipe -o kernels --target host-no_runtime --arena\n"
        "  eutectic compile dense.hlpipe -o kernels --packed w\n"
        "  eutectic compile dense.hlpipe -o kernels --emit stmt,assembly\n\n"
        "Writes NAME.a, NAME.h and NAME.report.json; for several targets, of which the first that the CPU\n"
        "supports is called at run time, NAME-TARGET.report.json each. The library holds Halide's runtime\n"
        "unless the target says no_runtime, which --arena asks for: link eutectic_arena then, too.\n"
        "With --packed w it has NAME_pack_w as well, which makes what NAME takes in w's place, once for "
        "many\n"
        "calls; NAME.h has its sizes.");
    command->callback([options, &run] { run = [options] { return compile(*options); }; });
}

}  // namespace eutectic
