#include "schedules/gpu/ptxas.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "base/process.h"
#include "base/regex.h"
#include "base/temporary_folder.h"

namespace eutectic {

namespace {

namespace fs = std::filesystem;

constexpr double most_seconds = 60;  // of one run; the largest file of the generators takes two

std::string variable(const char *name) {
    const char *value = std::getenv(name);
    return value ? value : "";
}

bool is_program(const fs::path &path) {
    std::error_code none;
    return fs::is_regular_file(path, none) && access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::vector<AssembledKernel> parse_ptxas(const std::string &text) {
    static const Regex entry("Compiling entry function '([^']+)'"), frame("([0-9]+) bytes stack frame"),
        spills("([0-9]+) bytes spill stores, ([0-9]+) bytes spill loads"),
        registers("Used ([0-9]+) registers"), shared("([0-9]+) bytes smem");
    std::vector<AssembledKernel> kernels;
    std::istringstream lines(text);
    Groups m;
    for (std::string line; std::getline(lines, line);) {
        if (entry.found_in(line, &m)) {
            kernels.emplace_back();
            kernels.back().name = m[1];
        }
        if (kernels.empty()) {
            continue;
        }
        AssembledKernel &k = kernels.back();
        if (frame.found_in(line, &m)) {
            k.frame_bytes = std::stoll(m[1]);
        }
        if (spills.found_in(line, &m)) {
            k.spill_stores = std::stoll(m[1]);
            k.spill_loads = std::stoll(m[2]);
        }
        if (registers.found_in(line, &m)) {
            k.registers = std::stoi(m[1]);
        }
        if (shared.found_in(line, &m)) {
            k.shared_bytes = std::stoll(m[1]);
        }
    }
    return kernels;
}

CudaTool find_cuda_tool(const std::string &name, const std::string &variable_name) {
    const std::string named = variable(variable_name.c_str());
    if (!named.empty()) {
        return is_program(named) ? CudaTool{named, ""}
                                 : CudaTool{"", variable_name + " names " + named + ", which is no program"};
    }
    std::vector<fs::path> folders;
    std::istringstream path(variable("PATH"));
    for (std::string folder; std::getline(path, folder, ':');) {
        folders.emplace_back(folder);
    }
    for (const char *toolkit : {"CUDA_PATH", "CUDA_HOME"}) {
        folders.push_back(variable(toolkit).empty() ? fs::path() : fs::path(variable(toolkit)) / "bin");
    }
    folders.insert(folders.end(), {"/usr/local/cuda/bin", "/opt/cuda/bin"});
    for (const fs::path &folder : folders) {
        if (folder.is_absolute() && is_program(folder / name)) {
            return {(folder / name).string(), ""};
        }
    }
    return {"", "there is no " + name + " on PATH, in CUDA_PATH, in CUDA_HOME or in /usr/local/cuda"};
}

Assembled assemble(const std::string &ptxas, const std::string &code, const std::string &architecture,
                   int most_registers) {
    const TemporaryFolder folder("assembling kernels", "leave feedback out");
    std::ofstream(folder.file("kernels.ptx"), std::ios::binary) << code;
    std::vector<std::string> command = {
        ptxas, "-v", "-arch=" + architecture, folder.file("kernels.ptx"), "-o", folder.file("kernels.cubin")};
    if (most_registers > 0) {
        command.push_back("--maxrregcount=" + std::to_string(most_registers));
    }
    const Finished finished = run_process(command, most_seconds);
    if (!finished.failure.empty()) {
        return {{}, finished.failure, ""};
    }
    std::ifstream made(folder.file("kernels.cubin"), std::ios::binary);
    return {parse_ptxas(finished.output + finished.errors),
            "",
            {std::istreambuf_iterator<char>(made), std::istreambuf_iterator<char>()}};
}

}  // namespace eutectic
