#include "schedules/cpu/read_code.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "base/process.h"

namespace eutectic {

namespace {

namespace fs = std::filesystem;

constexpr double most_seconds = 60;  // the largest of the generators' kernels takes two
const char *const program = "eutectic-read-code";

bool is_program(const fs::path &path) {
    std::error_code none;
    return fs::is_regular_file(path, none) && access(path.c_str(), X_OK) == 0;
}

/** Of the program or library that this is in. */
fs::path own_folder() {
    Dl_info info;
    std::error_code none;
    if (dladdr(reinterpret_cast<const void *>(&find_code_reader), &info) == 0 || !info.dli_fname) {
        return {};
    }
    const fs::path named = std::string(info.dli_fname).find('/') == std::string::npos
                               ? fs::read_symlink("/proc/self/exe", none)
                               : fs::path(info.dli_fname);
    return fs::weakly_canonical(named, none).parent_path();
}

CodeRegion region_of(const nlohmann::json &j) {
    CodeRegion r;
    r.function = j.at("function");
    r.label = j.at("label");
    r.loop = j.at("loop");
    r.name = j.at("name");
    r.innermost = j.at("innermost");
    r.instructions = j.at("instructions");
    r.mix = j.at("mix").get<std::map<std::string, int>>();
    r.vector_bits = j.at("vector_bits");
    r.loads = j.at("loads");
    r.stores = j.at("stores");
    r.multiply_adds = j.at("multiply_adds");
    r.products = j.at("products");
    r.scalar_arithmetic = j.at("scalar_arithmetic");
    r.lane_moves = j.at("lane_moves");
    r.spill_stores = j.at("spill_stores");
    r.spill_loads = j.at("spill_loads");
    r.spill_bytes = j.at("spill_bytes");
    r.cycles = j.value("cycles", -1.0);
    r.throughput_cycles = j.value("throughput_cycles", -1.0);
    r.no_cycles = j.value("no_cycles", "");
    r.text = j.at("text").get<std::vector<std::string>>();
    return r;
}

}  // namespace

CodeReader find_code_reader() {
    const char *const named = std::getenv("EUTECTIC_READ_CODE");
    if (named && *named) {
        return is_program(named) ? CodeReader{named, ""}
                                 : CodeReader{"", "EUTECTIC_READ_CODE names " + std::string(named) +
                                                      ", which is no program"};
    }
    const fs::path folder = own_folder();
    for (const fs::path &candidate : {folder / program, folder.parent_path() / "bin" / program}) {
        if (!folder.empty() && is_program(candidate)) {
            return {candidate.string(), ""};
        }
    }
    return {"", "this Eutectic was built without LLVM's libraries, which read code back"};
}

ReadCode read_code(const CodeReader &reader, const std::string &file, const std::string &triple,
                   const std::string &cpu) {
    ReadCode code;
    const Finished finished = run_process({reader.path, file, triple, cpu}, most_seconds);
    if (!finished.failure.empty()) {
        code.failure = finished.failure;
        return code;
    }
    try {
        const nlohmann::json j = nlohmann::json::parse(finished.output);
        code.llvm = j.at("llvm");
        code.cpu = j.at("cpu").at("asked");
        code.known = j.at("cpu").at("known");
        code.model = j.at("cpu").at("model");
        code.shared = j.at("cpu").at("shared").get<std::vector<std::string>>();
        for (const nlohmann::json &region : j.at("regions")) {
            code.regions.push_back(region_of(region));
        }
    } catch (const nlohmann::json::exception &) {
        code.failure = reader.path + " printed what is no answer";
    }
    return code;
}

std::string of_another_model(const ReadCode &code) {
    if (code.cpu == code.model || !code.failure.empty()) {
        return "";
    }
    return "LLVM " + code.llvm + (code.known ? " has no model of " : " does not know the processor ") +
           code.cpu + ": cycles are by the model of " + code.model + ", the nearest";
}

}  // namespace eutectic
