#include "apps/eutectic/inspected_device.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "apps/eutectic/inspected.h"
#include "base/units.h"
#include "base/user_error.h"
#include "schedules/gpu/device_code.h"

namespace eutectic {

using nlohmann::ordered_json;

namespace {

std::string as_words(const std::map<std::string, int> &mix, int all) {
    std::vector<std::pair<int, std::string>> kinds;
    for (const auto &[kind, count] : mix) {
        kinds.emplace_back(-count, kind);
    }
    std::sort(kinds.begin(), kinds.end());
    std::string words;
    for (const auto &[count, kind] : kinds) {
        const long share = std::lround(-100.0 * count / all);
        words += share == 0
                     ? ""
                     : (words.empty() ? "" : ", ") + std::to_string(share) + " % " + kind_in_words(kind);
    }
    return words;
}

ordered_json as_json(const std::map<std::string, int> &mix) {
    ordered_json j = ordered_json::object();
    for (const auto &[kind, count] : mix) {
        j[kind] = count;
    }
    return j;
}

}  // namespace

DeviceKernels device_kernels(const Scheduled &scheduled, const Halide::Pipeline &pipeline,
                             const Halide::Target &target) {
    const CudaTool ptxas = find_ptxas();
    if (ptxas.path.empty()) {
        throw UserError("inspect has nothing to assemble kernels with (" + ptxas.absent +
                        "): install the CUDA toolkit, or name its ptxas in EUTECTIC_PTXAS.");
    }
    const Gpu &gpu = *scheduled.machine.gpu;
    DeviceKernels result;
    result.architecture =
        "sm_" +
        std::to_string(gpu.capability > 0 ? gpu.capability : target.get_cuda_capability_lower_bound());
    const DeviceCode code = device_code(pipeline, target);
    const bool fewer = gpu.registers_per_thread < Gpu().registers_per_thread;
    const Assembled assembled =
        assemble(ptxas.path, code.ptx, result.architecture, fewer ? gpu.registers_per_thread : 0);
    if (!assembled.failure.empty()) {
        throw UserError("The kernels could not be assembled for " + result.architecture + " (" +
                        assembled.failure + "): give another --gpu or --target.");
    }
    const Disassembled sass = disassemble(assembled.code);
    result.no_sass = sass.failure.empty() ? ""
                                          : "There is no machine code to see (" + sass.failure +
                                                "): install the CUDA toolkit's nvdisasm, or name one in "
                                                "EUTECTIC_NVDISASM.";
    for (const DeviceKernel &k : code.kernels) {
        for (const AssembledKernel &a : assembled.kernels) {
            if (a.name != k.name) {
                continue;
            }
            KernelCode kernel{k.func,
                              a,
                              {k.threads, a.registers, std::max<Bytes>(0, k.shared_bytes) + a.shared_bytes},
                              {},
                              {}};
            kernel.occupancy = k.threads > 0 ? occupancy(gpu, kernel.resources) : Occupancy();
            for (const KernelSass &s : sass.kernels) {
                kernel.sass = s.name == k.name ? s : kernel.sass;
            }
            result.kernels.push_back(kernel);
        }
    }
    return result;
}

ordered_json to_json(const KernelCode &k) {
    ordered_json loops = ordered_json::array();
    for (const std::map<std::string, int> &mix : k.sass.loops) {
        loops.push_back(as_json(mix));
    }
    const auto known = [&](const ordered_json &x) { return k.resources.threads > 0 ? x : ordered_json(); };
    return {{"name", k.assembled.name},
            {"func", k.func},
            {"threads", known(k.resources.threads)},
            {"registers", k.assembled.registers},
            {"shared_bytes", k.resources.shared_bytes},
            {"frame_bytes", k.assembled.frame_bytes},
            {"spill_store_bytes", k.assembled.spill_stores},
            {"spill_load_bytes", k.assembled.spill_loads},
            {"occupancy", known(k.occupancy.share)},
            {"instructions", k.sass.instructions},
            {"mix", as_json(k.sass.mix)},
            {"wide_loads", k.sass.wide_loads},
            {"wide_stores", k.sass.wide_stores},
            {"loops", loops},
            {"inner_mix", as_json(k.sass.inner_mix)},
            {"assembly", k.sass.inner_loop}};
}

std::string to_text(const KernelCode &k) {
    std::ostringstream out;
    out << "    kernel " << k.assembled.name << ": " << k.assembled.registers << " registers a thread, "
        << format_bytes(k.resources.shared_bytes) << " shared, "
        << format_bytes(k.assembled.spill_stores + k.assembled.spill_loads) << " spilled, a frame of "
        << format_bytes(k.assembled.frame_bytes);
    if (k.resources.threads > 0) {
        out << "; " << k.resources.threads << " threads a block, occupancy "
            << std::lround(100 * k.occupancy.share) << " %";
    }
    out << "\n";
    if (k.sass.instructions > 0) {
        out << "        " << k.sass.instructions
            << " instructions: " << as_words(k.sass.mix, k.sass.instructions);
        if (k.sass.wide_loads + k.sass.wide_stores > 0) {
            out << "; " << k.sass.wide_loads << " loads and " << k.sass.wide_stores << " stores of 128 bits";
        }
        out << "\n";
    }
    if (!k.sass.inner_loop.empty()) {
        out << "        the inner loop, " << k.sass.inner_loop.size()
            << " instructions: " << as_words(k.sass.inner_mix, static_cast<int>(k.sass.inner_loop.size()))
            << "\n";
        for (const std::string &line : k.sass.inner_loop) {
            out << "            " << line << "\n";
        }
    }
    return out.str();
}

}  // namespace eutectic
