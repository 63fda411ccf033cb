// GPUs by name. Sources, by column of the table below:
//   sms, clock (boost), float32 rate, DRAM bandwidth, L2: NVIDIA A100 Tensor Core GPU Architecture (2020), table 4, SXM4 40 GB; NVIDIA H100 Tensor Core GPU Architecture (2022), tables 3 and 4, SXM5;
//     NVIDIA H200 datasheet (2023), whose compute part is the H100's; NVIDIA Ada GPU Architecture (2022), appendix A, GeForce RTX 4090.
//   threads, blocks, registers and shared memory of an SM and a block: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability" (8.0, 9.0, 8.9); what is reserved for a
//     block and the granularities: cuda_occupancy.h.
//   fmas_per_cycle, special_per_cycle: the same, "Throughput of Native Arithmetic Instructions".
//   l1_bytes_per_sm, access_bytes_per_cycle: the tuning guides of Ampere, Hopper and Ada (192, 256 and 128 KiB together with shared memory; 128 B a cycle).
//   l2_bytes_per_second: A100: 5120 B a clock (the white paper); H100 the same by its own clock; RTX 4090: about 5 times its DRAM, an estimate.
//   latencies, launch: estimates of their order (DRAM 0.5 to 0.8 us, shared memory some 30 cycles, 2 to 5 us a launch); no measurement of ours. A file replaces them.

#include <algorithm>
#include <sstream>

#include "base/user_error.h"
#include "machine/gpu.h"
#include "machine/gpu_fields.h"

namespace eutectic {

namespace {

constexpr Bytes KiB = 1024, MiB = 1024 * KiB;

/** What the three architectures have in common. */
Gpu common() {
    Gpu g;
    g.shared_bytes_per_block = 48 * KiB;
    g.shared_reserved_bytes = KiB;
    g.shared_granularity_bytes = 128;
    g.special_per_cycle = 16;
    g.access_bytes_per_cycle = 128;
    return g;
}

Gpu a100() {
    Gpu g = common();
    g.name = "preset a100";
    g.capability = 80;
    g.sms = 108;
    g.hertz = 1.41e9;
    g.fmas_per_cycle = 64;
    g.shared_bytes_per_sm = 164 * KiB;
    g.l1_bytes_per_sm = 192 * KiB;
    g.l2_bytes = 40 * MiB;
    g.dram_bytes_per_second = 1.555e12;
    g.l2_bytes_per_second = 7.2e12;
    return g;
}

Gpu h100() {
    Gpu g = common();
    g.name = "preset h100";
    g.capability = 90;
    g.sms = 132;
    g.hertz = 1.83e9;
    g.fmas_per_cycle = 128;
    g.shared_bytes_per_sm = 228 * KiB;
    g.l1_bytes_per_sm = 256 * KiB;
    g.l2_bytes = 50 * MiB;
    g.dram_bytes_per_second = 3.35e12;
    g.l2_bytes_per_second = 9.4e12;
    return g;
}

Gpu h200() {
    Gpu g = h100();
    g.name = "preset h200";
    g.dram_bytes_per_second = 4.8e12;
    return g;
}

Gpu rtx4090() {
    Gpu g = common();
    g.name = "preset rtx4090";
    g.capability = 89;
    g.sms = 128;
    g.hertz = 2.52e9;
    g.threads_per_sm = 1536;
    g.blocks_per_sm = 24;
    g.fmas_per_cycle = 128;
    g.shared_bytes_per_sm = 100 * KiB;
    g.l1_bytes_per_sm = 128 * KiB;
    g.l2_bytes = 72 * MiB;
    g.dram_bytes_per_second = 1.008e12;
    g.l2_bytes_per_second = 5e12;
    return g;
}

struct Preset {
    const char *name;
    Gpu (*make)();
};
constexpr Preset presets[] = {{"a100", a100}, {"h100", h100}, {"h200", h200}, {"rtx4090", rtx4090}};

}  // namespace

const std::vector<std::string> &gpu_preset_names() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all;
        for (const Preset &p : presets) {
            all.emplace_back(p.name);
        }
        return all;
    }();
    return names;
}

Gpu gpu_preset(const std::string &name) {
    std::string known;
    for (const Preset &p : presets) {
        if (name == p.name) {
            return p.make();
        }
        known += (known.empty() ? "" : ", ") + std::string(p.name);
    }
    throw UserError("The GPU \"" + name + "\" is unknown: known ones are " + known + ".");
}

std::string to_string(const Gpu &gpu) {
    std::ostringstream s;
    s.precision(10);
    for (const GpuField &f : gpu_fields()) {
        s << (&f == &gpu_fields().front() ? "" : ", ") << f.key << " " << f.get(gpu);
    }
    return s.str();
}

}  // namespace eutectic
