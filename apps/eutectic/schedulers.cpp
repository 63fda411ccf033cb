#include "apps/eutectic/schedulers.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/nearest.h"
#include "base/user_error.h"
#include "schedules/target.h"

namespace eutectic {

namespace fs = std::filesystem;
using namespace Halide;

namespace {

const std::vector<std::string> known = {"root",      "as-is",  "Mullapudi2016",
                                        "Adams2019", "Li2018", "Anderson2021"};

/** Halide's own lie beside libHalide. */
std::string plugin_of(const std::string &name) {
    std::ifstream maps("/proc/self/maps");
    std::string halide;
    for (std::string line; std::getline(maps, line) && halide.empty();) {
        const size_t path = line.find('/');
        halide = path != std::string::npos && line.find("/libHalide.so", path) != std::string::npos
                     ? line.substr(path)
                     : "";
    }
    std::string lower = name;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return (fs::path(halide).parent_path() / ("libautoschedule_" + lower + ".so")).string();
}

Scheduler halides(const std::string &name, const Target &target, int threads) {
    Scheduler s{name, plugin_of(name), {{"parallelism", std::to_string(threads)}}, ""};
    if (name == "Anderson2021" && !target.has_gpu_feature()) {
        s.unsupported = "it schedules for GPUs, and " + target.to_string() + " is a CPU";
    } else if (!fs::exists(s.plugin)) {
        s.unsupported = s.plugin + " is not there";
    }
    return s;
}

Scheduler parse_plugin(const std::string &text) {
    std::istringstream parts(text);
    std::string part;
    std::getline(parts, part, ',');
    const size_t equals = part.find('=');
    if (equals == 0 || equals == std::string::npos) {
        throw UserError("--plugin was given as " + text +
                        ", which names no library: write --plugin NAME=LIB.so, with the name that the "
                        "library registers.");
    }
    Scheduler s{part.substr(0, equals), part.substr(equals + 1), {}, ""};
    if (!fs::exists(s.plugin)) {
        throw UserError("The plugin " + s.plugin + " of " + s.name +
                        " does not exist: give the path of a scheduler's shared library.");
    }
    s.plugin = fs::absolute(s.plugin).string();
    while (std::getline(parts, part, ',')) {
        s.parameters[part.substr(0, part.find('='))] = part.substr(std::min(part.size(), part.find('=') + 1));
    }
    return s;
}

}  // namespace

Scheduler root_scheduler(const Scheduler &eutectic) {
    Scheduler root{"root", "", {{"unfused", "1"}}, ""};
    for (const char *shared : {"parallelism", "machine", "gpu", "numerics"}) {
        if (eutectic.parameters.count(shared)) {
            root.parameters[shared] = eutectic.parameters.at(shared);
        }
    }
    return root;
}

std::vector<Scheduler> contenders(const std::vector<std::string> &against,
                                  const std::vector<std::string> &plugins, const Target &target,
                                  const std::map<std::string, std::string> &eutectic, int threads) {
    std::vector<Scheduler> result = {{"eutectic", "", eutectic, ""}};
    for (const std::string &name : against.empty() ? known : against) {
        if (name == "eutectic") {
            continue;
        } else if (std::find(known.begin(), known.end(), name) == known.end()) {
            throw UserError("The scheduler " + name +
                            " is unknown: " + nearest_or_all(name, known, "there are eutectic,") +
                            "; others come with --plugin NAME=LIB.so.");
        }
        result.push_back(name == "root"    ? root_scheduler(result.front())
                         : name == "as-is" ? Scheduler{name, "", {}, ""}
                                           : halides(name, target, threads));
    }
    for (const std::string &text : plugins) {
        result.push_back(parse_plugin(text));
    }
    return result;
}

void require_runnable(const Target &target) {
    const std::string why = not_run_here(target);
    if (!why.empty()) {
        throw UserError("The target " + target.to_string() + " " + why +
                        ", and what is compared has to run: give one that does.");
    }
}

}  // namespace eutectic
