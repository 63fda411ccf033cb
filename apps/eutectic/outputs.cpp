#include "apps/eutectic/outputs.h"

#include <algorithm>

#include "base/nearest.h"
#include "base/user_error.h"

namespace eutectic {

using namespace Halide;

namespace {

/** Of several targets, whose function is one: a file for each, or for the function; or one that Halide writes
 * where it compiles for one target. (Halide's Module.cpp says which.) */
enum class Of { each, function, one_target };

struct Output {
    const char *name;
    OutputFileType type;
    const char *extension;
    Of of;
};

const Output known_outputs[] = {
    {"assembly", OutputFileType::assembly, ".s", Of::each},
    {"bitcode", OutputFileType::bitcode, ".bc", Of::each},
    {"conceptual_stmt", OutputFileType::conceptual_stmt, ".conceptual.stmt", Of::each},
    {"conceptual_stmt_html", OutputFileType::conceptual_stmt_html, ".conceptual.stmt.html", Of::each},
    {"llvm_assembly", OutputFileType::llvm_assembly, ".ll", Of::each},
    {"python_extension", OutputFileType::python_extension, ".py.cpp", Of::one_target},
    {"pytorch_wrapper", OutputFileType::pytorch_wrapper, ".pytorch.h", Of::one_target},
    {"registration", OutputFileType::registration, ".registration.cpp", Of::function},
    {"schedule", OutputFileType::schedule, ".schedule.h", Of::function},
    {"stmt", OutputFileType::stmt, ".stmt", Of::each},
    {"stmt_html", OutputFileType::stmt_html, ".stmt.html", Of::each},
};

std::vector<std::string> names() {
    std::vector<std::string> result;
    for (const Output &output : known_outputs) {
        result.emplace_back(output.name);
    }
    return result;
}

std::string listed(const std::vector<std::string> &words) {
    std::string text;
    for (size_t i = 0; i < words.size(); i++) {
        text += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
    }
    return text;
}

const Output *find(const std::string &name) {
    const auto *const end = std::end(known_outputs);
    const auto *const found = std::find_if(std::begin(known_outputs), end,
                                           [&](const Output &output) { return name == output.name; });
    return found == end ? nullptr : found;
}

}  // namespace

void add_emit_option(CLI::App &app, std::vector<std::string> &outputs) {
    app.add_option("--emit", outputs, "files that are written, too: " + listed(names()))
        ->type_name("OUTPUT,OUTPUT")
        ->delimiter(',');
}

void check_outputs(const std::vector<std::string> &outputs, size_t targets) {
    for (const std::string &name : outputs) {
        const Output *output = find(name);
        if (!output) {
            const std::string near = nearest(name, names());
            throw UserError("--emit was given " + name +
                            ", which is no output: " + (near.empty() ? "" : "the nearest is " + near + "; ") +
                            "there are " + listed(names()) + ".");
        }
        if (output->of == Of::one_target && targets > 1) {
            throw UserError("--emit was given " + name + " and " + std::to_string(targets) +
                            " targets, and Halide writes it for one: give one --target, or leave " + name +
                            " out.");
        }
    }
}

std::map<OutputFileType, std::string> output_files(const std::vector<std::string> &outputs,
                                                   const std::string &base) {
    std::map<OutputFileType, std::string> files;
    for (const std::string &name : outputs) {
        const Output &output = *find(name);
        files[output.type] = base + output.extension;
    }
    return files;
}

std::vector<std::string> written_outputs(const std::vector<std::string> &outputs, const std::string &base,
                                         const std::vector<Target> &targets) {
    std::vector<std::string> files;
    for (const std::string &name : outputs) {
        const Output &output = *find(name);
        if (output.of != Of::each || targets.size() == 1) {
            files.push_back(base + output.extension);
            continue;
        }
        for (const Target &target : targets) {
            files.push_back(base + "-" + target.to_string() + output.extension);
        }
    }
    return files;
}

}  // namespace eutectic
