// eutectic compile: a static library with its header and its report.

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <regex>

#include "apps/eutectic/commands.h"
#include "apps/eutectic/guard.h"
#include "apps/eutectic/input.h"
#include "base/user_error.h"
#include "base/write_whole.h"
#include "report/report.h"

namespace eutectic {

namespace fs = std::filesystem;
using namespace Halide;

namespace {

struct Options {
    InputOptions input;
    SchedulingOptions scheduling;
    std::string folder, function;
};

/** Compiles one pipeline, for as many targets as are asked for, into files of a folder that nobody sees yet. */
class Compiler {
public:
    Compiler(const Options &options, const Input &input, const ScratchFolder &into)
        : input_(input), how_(parameters(options.scheduling)), targets_(targets(options.scheduling)), function_(options.function), into_(into) {
    }

    /** Names of the files. */
    std::vector<std::string> compile() {
        if (function_.empty()) {
            function_ = input_.load(targets_.front()).function;
        }
        // A name in namespaces is C++'s; Halide asks for the feature that says so.
        for (Target &t : targets_) {
            t.set_feature(Target::CPlusPlusMangling, t.has_feature(Target::CPlusPlusMangling) || function_.find("::") != std::string::npos);
        }
        base_ = function_.substr(function_.rfind(':') + 1);
        const std::map<OutputFileType, std::string> files = {{OutputFileType::static_library, into_.file(base_ + ".a")}, {OutputFileType::c_header, into_.file(base_ + ".h")}};
        written_ = {base_ + ".a", base_ + ".h"};
        set_crash_sentence("Compiling " + input_.name() + " ended with: {}; check that the folder has room.");
        const QuietErrors quiet;
        if (targets_.size() == 1) {
            module(function_, targets_.front()).compile(files);
        } else {
            compile_multitarget(function_, files, targets_, {}, [&](const std::string &name, const Target &target) { return module(name, target); });
        }
        name_guard();
        return written_;
    }

private:
    const Input &input_;
    const Parameters how_;
    std::vector<Target> targets_;
    std::string function_, base_;
    const ScratchFolder &into_;
    std::vector<std::string> written_;

    /** One of several functions has features and a name of its own. */
    std::string report_name(const Target &target) const {
        for (const Target &t : targets_) {
            if (targets_.size() > 1 && t.with_feature(Target::NoRuntime) == target.with_feature(Target::NoRuntime)) {
                return base_ + "-" + t.to_string() + ".report.json";
            }
        }
        return base_ + ".report.json";
    }

    /** Halide makes the header's guard of its path, which is that of a scratch folder here: the same input gives the same header. */
    void name_guard() const {
        std::ifstream in(into_.file(base_ + ".h"));
        const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
        std::smatch guard;
        if (std::regex_search(text, guard, std::regex("^#ifndef (\\w+)\n#define \\1\n"))) {
            const std::string name = "HALIDE_" + base_ + "_h";
            write_whole("header", into_.file(base_ + ".h"), "#ifndef " + name + "\n#define " + name + "\n" + guard.suffix().str());
        }
    }

    Module module(const std::string &name, const Target &target) {
        const LoadedPipeline loaded = input_.load(target);
        require_order(loaded, input_.name());
        const Scheduled scheduled = schedule_input(input_, loaded, target, how_);
        const std::string drifted = scheduled.drifted_from(how_.expect_hash);
        if (!drifted.empty()) {
            throw Drifted(drifted);
        }
        const std::string report = report_name(target);
        write_whole("report", into_.file(report), to_json(scheduled.report()).dump(2) + "\n");
        written_.push_back(report);
        set_crash_sentence("Compiling " + input_.name() + " ended with: {}; check that the folder has room.");
        Pipeline pipeline = loaded.pipeline;
        Module result = pipeline.compile_to_module(loaded.inputs, name, target);
        for (const auto &[from, to] : loaded.renamed) {
            result.remap_metadata_name(from, to);
        }
        return result;
    }
};

/** The folder itself, or what of its path is there. */
fs::path existing(const fs::path &folder) {
    fs::path p = fs::absolute(folder);
    while (!fs::exists(p) && p.has_parent_path() && p != p.parent_path()) {
        p = p.parent_path();
    }
    return p;
}

void check_function(const std::string &name) {
    if (!name.empty() && !std::regex_match(name, std::regex("([A-Za-z_][A-Za-z0-9_]*::)*[A-Za-z_][A-Za-z0-9_]*"))) {
        throw UserError("The function cannot be called " + name + ": give -f a name of C or C++, such as dense or nn::dense.");
    }
}

int compile(const Options &options) {
    check_function(options.function);
    const Input input(options.input);
    // Nothing appears in the folder, nor the folder itself, until all is there.
    const ScratchFolder scratch(existing(options.folder).string());
    const std::vector<std::string> files = Compiler(options, input, scratch).compile();
    std::error_code error;
    fs::create_directories(options.folder, error);
    if (error) {
        throw UserError("The folder " + options.folder + " cannot be made (" + error.message() + "): give one that is writable as -o.");
    }
    for (const std::string &name : files) {
        const std::string path = (fs::path(options.folder) / name).string();
        if (std::rename(scratch.file(name).c_str(), path.c_str()) != 0) {
            throw UserError("The file " + path + " cannot be written (" + std::strerror(errno) + "): check that it is no folder and may be replaced.");
        }
        std::cout << path << "\n";
    }
    return 0;
}

}  // namespace

void add_compile(CLI::App &app, Run &run) {
    const auto options = std::make_shared<Options>();
    CLI::App *command = app.add_subcommand("compile", "Schedules and compiles: a static library, a C header and the report, or nothing at all.");
    add_input_options(*command, options->input);
    add_scheduling_options(*command, options->scheduling, true);
    command->add_option("-o,--output", options->folder, "the folder to write to; made if it is not there")->required()->type_name("DIR");
    command->add_option("-f,--function", options->function, "the function's name, C++ namespaces included (default: the generator's or the file's)")->type_name("NAME");
    command->footer("examples:\n"
                    "  eutectic compile build/generators -g dense m=64 -o kernels\n"
                    "  eutectic compile dense.hlpipe -o kernels --numerics strict\n"
                    "  eutectic compile dense.hlpipe -o kernels --args-order x,w,b -f nn::dense\n"
                    "  eutectic compile dense.hlpipe -o kernels --target x86-64-linux-avx2-fma,x86-64-linux\n\n"
                    "Writes NAME.a, NAME.h and NAME.report.json; for several targets, of which the first that the CPU\n"
                    "supports is called at run time, NAME-TARGET.report.json each. The library holds Halide's runtime\n"
                    "unless the target says no_runtime.");
    command->callback([options, &run] { run = [options] { return compile(*options); }; });
}

}  // namespace eutectic
