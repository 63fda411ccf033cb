#include "apps/eutectic/generator.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "apps/eutectic/guard.h"
#include "base/nearest.h"
#include "base/process.h"
#include "base/regex.h"
#include "base/said.h"
#include "base/user_error.h"
#include "base/write_whole.h"
#include "schedules/hlpipe/sidecar.h"
#include "schedules/hlpipe/values.h"

namespace eutectic {

namespace fs = std::filesystem;

namespace {

constexpr double most_seconds = 600;  // a generator only builds its pipeline

/** Runs the generator's executable, which the user may wait for. */
Finished run_generator(const GeneratorCall &call, const std::vector<std::string> &command) {
    const InnerStep step("Running the generator " + call.name + " of " + call.executable, most_seconds);
    return run_process(command, 1e9);  // seconds: the step ends it
}

/** The plugin lies beside this program, in the build as in the package: ../lib/libautoschedule_eutectic.so.
 */
std::string plugin() {
    const fs::path root = fs::read_symlink("/proc/self/exe").parent_path().parent_path();
    for (const char *folder : {"lib", "lib64", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu"}) {
        const fs::path path = root / folder / "libautoschedule_eutectic.so";
        if (fs::exists(path)) {
            return path.string();
        }
    }
    throw UserError(
        "The scheduler's plugin, lib/libautoschedule_eutectic.so, is not beside this program below " +
        root.string() + ": install the package as a whole.");
}

std::string read_text(const std::string &path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/** The names of the executable's generators, which it lists when it is asked for none. */
std::vector<std::string> generators_of(const GeneratorCall &call) {
    const std::string said = run_generator(call, {call.executable}).errors;
    std::vector<std::string> names;
    const Regex line("(^|\n)    ([A-Za-z_][A-Za-z0-9_]*)(?=\n|$)");
    for (const Groups &m : line.all_in(said)) {
        names.push_back(m[2]);
    }
    return names;
}

/** The names of a generator's parameters, from its stub; none for a generator that has no stub. */
std::vector<std::string> parameters_of(const GeneratorCall &call, const ScratchFolder &folder) {
    run_generator(call, {call.executable, "-g", call.name, "-n", "parameters", "-o", folder.file(""), "-e",
                         "cpp_stub"});
    const std::string stub = read_text(folder.file("parameters.stub.h"));
    std::vector<std::string> names;
    const Regex set("set_generatorparam_value\\(\"([^\"]+)\"");
    for (const Groups &m : set.all_in(stub)) {
        names.push_back(m[1]);
    }
    return names;
}

/** Why the generator failed, as it says. */
std::string reason(const Finished &finished) {
    const std::string said = whole_message(finished.errors);
    return finished.ending == Ending::signal || said.empty() ? finished.failure : said;
}

/** For NAME_forward and the like of a NAME that is there: cmake/EutecticUnregistered.cmake says the same. */
void refuse_unregistered(const GeneratorCall &call, const std::vector<std::string> &known) {
    static const Regex derived("(\\w+)_(forward|backward|gradient|tangent|hvp|batched)");
    Groups parts;
    if (derived.matches(call.name, &parts) &&
        std::find(known.begin(), known.end(), parts[1]) != known.end()) {
        throw UserError("The generator " + parts[1] + " of " + call.executable +
                        " is not registered as differentiable, and " + call.name +
                        " was asked for: register it with EUTECTIC_REGISTER_DIFFERENTIABLE(CLASS, " +
                        parts[1] +
                        ") of autodiff/register.h in place of HALIDE_REGISTER_GENERATOR, and link "
                        "Eutectic::autodiff.");
    }
}

[[noreturn]] void refuse(const GeneratorCall &call, const ScratchFolder &folder, const Finished &finished) {
    const std::vector<std::string> known = generators_of(call);
    if (known.empty()) {
        throw UserError(
            "The file " + call.executable + " is no generator executable of Halide 21 (" + reason(finished) +
            "): give one that lists its generators when it is started, or a .hlpipe file without -g.");
    }
    if (std::find(known.begin(), known.end(), call.name) == known.end()) {
        refuse_unregistered(call, known);
        throw UserError("The generator " + call.name + " is not in " + call.executable + ": " +
                        nearest_or_all(call.name, known) + ".");
    }
    Groups unknown;
    if (Regex("has no GeneratorParam named: (\\S+)").found_in(finished.errors, &unknown)) {
        const std::string &name = unknown[1];
        const std::vector<std::string> parameters = parameters_of(call, folder);
        throw UserError("The generator " + call.name + " has no parameter " + name + ": " +
                        (parameters.empty() ? "look into its source for those that it has"
                                            : nearest_or_all(name, parameters)) +
                        ".");
    }
    throw UserError("The generator " + call.name + " of " + call.executable + " failed: " + reason(finished));
}

void check_call(const GeneratorCall &call) {
    if (access(call.executable.c_str(), F_OK) != 0) {
        throw UserError("The file " + call.executable +
                        " does not exist: give the path of a generator executable.");
    } else if (access(call.executable.c_str(), X_OK) != 0 || fs::is_directory(call.executable)) {
        throw UserError(
            "The file " + call.executable + " is no program, as -g " + call.name +
            " needs: give the path of a generator executable, or leave -g out for a .hlpipe file.");
    }
    for (const std::string &p : call.parameters) {
        const size_t equals = p.find('=');
        if (equals == 0 || equals == std::string::npos) {
            throw UserError("The generator parameter " + p + " has no value: write NAME=VALUE.");
        } else if (p.rfind("autoscheduler", 0) == 0 || p.rfind("target=", 0) == 0) {
            throw UserError("The parameter " + p.substr(0, equals) +
                            " is not the generator's: use this command's own options, such as --target, "
                            "--machine and --effort.");
        }
    }
}

/** "halide_type_float, 32" → "float32". */
std::string type_from(const std::string &code, const std::string &bits) {
    return code == "handle" ? code : code == "uint" && bits == "1" ? "bool" : code + bits;
}

/** Completes what the plugin wrote: it sees neither the order of the arguments nor those that nothing reads.
 */
void complete_sidecar(const std::string &info, const std::string &function, const std::string &path) {
    Sidecar sidecar = parse_sidecar(read_text(path), path);
    const std::vector<ArgumentRecord> read = sidecar.inputs;
    sidecar.function = function;
    sidecar.ordered = true;
    sidecar.inputs.clear();
    size_t output = 0;
    const Regex line("\\{\"([^\"]+)\", ::HalideFunctionInfo::(\\w+), (\\d+), "
                     "halide_type_t\\{halide_type_(\\w+), (\\d+), \\d+\\}\\}");
    for (const Groups &m : line.all_in(info)) {
        const std::string &name = m[1], &kind = m[2];
        if (name == user_context_name) {
            continue;
        }
        if (kind == "OutputBuffer") {
            if (output < sidecar.outputs.size()) {
                ArgumentRecord &o = sidecar.outputs[output++];
                o.parameter = o.name;
                o.name = name;
            }
            continue;
        }
        const auto known =
            std::find_if(read.begin(), read.end(), [&](const ArgumentRecord &a) { return a.name == name; });
        if (known != read.end()) {
            sidecar.inputs.push_back(*known);
            continue;
        }
        ArgumentRecord unused;
        unused.name = name;
        unused.type = type_from(m[4], m[5]);
        unused.buffer = kind == "InputBuffer";
        unused.dimensions.resize(std::stoul(m[3]));
        sidecar.inputs.push_back(unused);
    }
    write_whole("arguments file", path, to_json(sidecar));
}

}  // namespace

void save_generator(const GeneratorCall &call, const std::string &target, const std::string &path) {
    check_call(call);
    const ScratchFolder folder(fs::temp_directory_path().string());
    const std::string executable = fs::absolute(call.executable).string();
    std::vector<std::string> command = {executable,
                                        "-g",
                                        call.name,
                                        "-f",
                                        call.name,
                                        "-n",
                                        "info",
                                        "-o",
                                        folder.file(""),
                                        "-e",
                                        "function_info_header",
                                        "-p",
                                        plugin(),
                                        "target=" + target,
                                        "autoscheduler=Eutectic",
                                        "autoscheduler.save=" + fs::absolute(path).string()};
    command.insert(command.end(), call.parameters.begin(), call.parameters.end());
    const Finished finished = run_generator(call, command);
    const std::string info = read_text(folder.file("info.function_info.h"));
    if (!finished.failure.empty() || info.empty()) {
        refuse(call, folder, finished);
    }
    complete_sidecar(info, call.name, sidecar_path(path));
}

}  // namespace eutectic
