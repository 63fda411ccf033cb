#include "apps/eutectic/library.h"

#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include <nlohmann/json.hpp>

#include "apps/eutectic/input.h"
#include "apps/eutectic/outputs.h"
#include "apps/eutectic/packed.h"
#include "apps/eutectic/reorder.h"
#include "base/process.h"
#include "base/regex.h"
#include "base/user_error.h"
#include "base/write_whole.h"
#include "report/report.h"

namespace eutectic {

namespace fs = std::filesystem;
using namespace Halide;

namespace {

/** Of a large archive objcopy takes less than a second. */
constexpr double most_renaming = 120;

/** Lets what the kernels in the archive or object allocate come from arenas (src/arena/README.md). */
void use_arena(const std::string &archive) {
    std::string why;
    for (const char *objcopy : {"objcopy", "llvm-objcopy"}) {
        const Finished finished =
            run_process({"/usr/bin/env", objcopy, "--redefine-sym", "halide_malloc=eutectic_arena_malloc",
                         "--redefine-sym", "halide_free=eutectic_arena_free", archive},
                        most_renaming);
        // Of objects that it does not know in an archive binutils' only says so, and copies them as they are.
        if (finished.failure.empty() && finished.errors.empty()) {
            return;
        }
        why += std::string(why.empty() ? "" : ", ") + objcopy + ": " +
               (finished.failure.empty() ? "it does not know these" : finished.failure);
    }
    throw UserError("--arena needs an objcopy that knows the target's objects, and there is none (" + why +
                    "): install binutils or llvm, or leave --arena out.");
}

/** What Halide's headers call a buffer. */
std::string parameter_name(const std::string &buffer) {
    std::string text = "_";
    for (const char c : buffer) {
        text += std::isalnum(static_cast<unsigned char>(c)) ? std::string(1, c) : c == '$' ? "__" : "_";
    }
    return text + "_buffer";
}

/** `text` with other words in place of some, all at once. */
std::string with_words(const std::string &text, const std::map<std::string, std::string> &others) {
    static const Regex word("\\w+");
    return word.replace_in(text, [&](const Groups &m) {
        const auto other = others.find(m[0]);
        return other == others.end() ? m[0] : other->second;
    });
}

class Compiler {
public:
    Compiler(const KernelLibrary &library, const Parameters &how, std::vector<Target> targets,
             const ScratchFolder &into)
        : library_(library),
          how_(how),
          targets_(std::move(targets)),
          base_(library.function.substr(library.function.rfind(':') + 1)),
          into_(into) {
    }

    /** Names of the files. */
    std::vector<std::string> compile() {
        // A name in namespaces is C++'s; Halide asks for the feature that says so.
        for (Target &t : targets_) {
            t.set_feature(Target::CPlusPlusMangling, t.has_feature(Target::CPlusPlusMangling) ||
                                                         library_.function.find("::") != std::string::npos);
        }
        for (const Target &t : targets_) {
            if (how_.arena && !t.has_feature(Target::NoRuntime)) {
                throw UserError(
                    "--arena was given for the target " + t.to_string() +
                    ", whose library would hold Halide's runtime, with an allocator of its own: add "
                    "-no_runtime to the target and link one runtime and eutectic_arena beside it.");
            }
        }
        check_packed();
        check_outputs(library_.emit, targets_.size());
        const std::string code = base_ + (library_.object ? ".o" : ".a");
        std::map<OutputFileType, std::string> files = {
            {library_.object ? OutputFileType::object : OutputFileType::static_library, into_.file(code)},
            {OutputFileType::c_header, into_.file(base_ + ".h")}};
        for (const auto &[type, file] : output_files(library_.emit, base_)) {
            files[type] = into_.file(file);
        }
        written_ = written_outputs(library_.emit, base_, targets_);
        written_.insert(written_.begin(), {code, base_ + ".h"});
        begin_compiling();
        const QuietErrors quiet;
        if (targets_.size() == 1) {
            compile_one(files, code);
        } else {
            compile_multitarget(
                library_.function, files, targets_, {},
                [&](const std::string &name, const Target &target) { return module(name, target); });
        }
        if (how_.arena) {
            use_arena(into_.file(code));
        }
        complete_header();
        return written_;
    }

private:
    const KernelLibrary &library_;
    const Parameters &how_;
    std::vector<Target> targets_;
    const std::string base_;
    const ScratchFolder &into_;
    std::vector<std::string> written_;
    std::string packing_;                                       // what the header says of packed arguments
    std::vector<std::pair<std::string, std::string>> renamed_;  // buffers, and what callers know them by

    void begin_compiling() const {
        begin_step("Compiling " + library_.subject,
                   "Compiling " + library_.subject + " ended with: {}; check that the folder has room.");
    }

    /** Halide makes archives in a folder of its own, which stays if the process is ended meanwhile. */
    void compile_one(std::map<OutputFileType, std::string> files, const std::string &code) {
        const std::string object = into_.file(code + ".o");
        if (!library_.object) {
            files.erase(OutputFileType::static_library);
            files[OutputFileType::object] = object;
        }
        module(library_.function, targets_.front()).compile(files);
        if (!library_.object) {
            create_static_library({object}, targets_.front(), into_.file(code));
        }
    }

    void check_packed() const {
        if (!how_.packed.empty() && targets_.size() > 1) {
            throw UserError("--packed was given for " + std::to_string(targets_.size()) +
                            " targets, and the kernel for each would take panels of its own: give one "
                            "--target.");
        }
    }

    /** One of several functions has features and a name of its own. */
    std::string report_name(const Target &target) const {
        for (const Target &t : targets_) {
            if (targets_.size() > 1 &&
                t.with_feature(Target::NoRuntime) == target.with_feature(Target::NoRuntime)) {
                return base_ + "-" + t.to_string() + ".report.json";
            }
        }
        return base_ + ".report.json";
    }

    /** Halide makes the header's guard of its path, which is that of a scratch folder here: the same input
     * gives the same header. What is packed is declared in it, too. */
    void complete_header() const {
        std::ifstream in(into_.file(base_ + ".h"));
        std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
        std::map<std::string, std::string> names;
        for (const auto &[from, to] : renamed_) {
            names[parameter_name(from)] = parameter_name(to);
        }
        text = with_words(text, names);
        Groups guard;
        if (Regex("^#ifndef (\\w+)\n#define \\1\n").found_in(text, &guard)) {
            const std::string name = "HALIDE_" + base_ + "_h";
            write_whole("header", into_.file(base_ + ".h"),
                        "#ifndef " + name + "\n#define " + name + "\n" + packing_ +
                            text.substr(guard[0].size()));
        }
    }

    Module module(const std::string &name, const Target &target) {
        const LoadedPipeline loaded = library_.load(target);
        const Scheduled scheduled = schedule_loaded(library_.subject, loaded, target, how_);
        const std::string drifted = scheduled.drifted_from(how_.expect_hash);
        if (!drifted.empty()) {
            throw Drifted(drifted);
        }
        const std::string report = report_name(target);
        write_whole("report", into_.file(report), to_json(scheduled.report()).dump(2) + "\n");
        written_.push_back(report);
        begin_compiling();
        Pipeline pipeline = loaded.pipeline;
        Module result =
            pipeline.compile_to_module(arguments_in_panels(loaded, scheduled.packed), name, target);
        reorder_arguments(name, library_.order, result);
        add_packing(name, loaded, scheduled.packed, target, result);
        packing_ = packing_declarations(base_, scheduled.packed);
        for (const auto &[from, to] : loaded.renamed) {
            result.remap_metadata_name(from, to);
        }
        renamed_ = loaded.renamed;
        result.set_auto_scheduler_results({target, {"Eutectic", {}}, scheduled.source, {}});
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

}  // namespace

void check_function(const std::string &name) {
    if (!name.empty() && !Regex("([A-Za-z_][A-Za-z0-9_]*::)*[A-Za-z_][A-Za-z0-9_]*").matches(name)) {
        throw UserError("The function cannot be called " + name +
                        ": give -f a name of C or C++, such as dense or nn::dense.");
    }
}

std::vector<std::string> compile_library(const KernelLibrary &library, const Parameters &how,
                                         std::vector<Target> targets, const ScratchFolder &into) {
    return Compiler(library, how, std::move(targets), into).compile();
}

ScratchFolder scratch_for(const std::string &folder) {
    return ScratchFolder(existing(folder).string());
}

std::vector<std::string> publish(const std::vector<std::string> &files, const ScratchFolder &from,
                                 const std::string &folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) {
        throw UserError("The folder " + folder + " cannot be made (" + error.message() +
                        "): give one that is writable as -o.");
    }
    std::vector<std::string> paths;
    for (const std::string &name : files) {
        const std::string path = (fs::path(folder) / name).string();
        if (std::rename(from.file(name).c_str(), path.c_str()) != 0) {
            throw UserError("The file " + path + " cannot be written (" + std::strerror(errno) +
                            "): check that it is no folder and may be replaced.");
        }
        paths.push_back(path);
    }
    return paths;
}

}  // namespace eutectic
