#include <algorithm>
#include <sstream>

#include "base/user_error.h"
#include "machine/calibration.h"
#include "machine/gpu_fields.h"

namespace eutectic {

namespace {

/** What loads cost whose addresses lie apart, on the processor of base_preset() unless a line says otherwise.
 */
void set_addresses(Machine &m) {
    m.gather_cycles_per_lane = 0.6;
    m.index_cycles_per_lane = 0.9;  // p(i(x)), f32 to u8, vectors of 256 and 512 bits: 1.9 to 2.0 cycles a
                                    // lane where columns take 0.9 to 1.15
    m.conflict_cycles_per_lane = 10;
    m.conflict_bytes = 4096;  // 32 KiB of 8 ways
    m.conflict_ways = 8;
    m.any_pitch_share =
        0.05;  // a choice: a tile that loses half its speed on such rows has to be 5 % faster on others
    m.mapped_pages = 2048;   // Zen 4 has 3072; a panel of 64 columns with a page to each row ran at 24.8
                             // cycles a row up to 1536 rows, 28 to 44 at 2048, 41 to 51 at 3072 and more
    m.unmapped_cycles = 20;  // from these
    // Tiles of 6 rows x 16 floats, 64 to 1024 rows of one operand one after the other, on a core of AMD Zen 3
    // at 3.3 GHz: rows 4,160 bytes apart took 0.42 ns a row longer than packed ones, beyond 64 of them.
    m.near_pages = 64;
    m.far_page_cycles = 1.4;
}

/** The preset behind machine_from_target(). Rates are those of a mainstream server core of 2022, AMD Zen 4
 * (AVX-512 executed in two halves): what scripts/calibrate measured on two such cores at 3.7 GHz, in a
 * virtual machine, in November 2026, rounded; per full-width vector of the target, below for 256 bits and
 *  less. Intel server cores of the same years differ by less than a factor of two in nearly every entry; a
 * machine file holds what another one measures. Sizes of caches are the processor's, a core's share of the
 * third level that of two cores. loop_cycles, usable_cache and overlap_loss are what scripts/fit found from
 * docs/accuracy/measurements.json.gz, rounded. Memory, launch, task and store rates are from runs of the same
 * kernels on the idle machine. */
Machine base_preset() {
    Machine m;
    m.hertz = 3.7e9;
    m.vector_ops_per_cycle = 2;
    m.fma_latency_cycles = 4;
    m.loads_per_cycle = 2;
    m.broadcasts_per_cycle = 2;
    m.stores_per_cycle = 1;
    m.store_forwarding_cycles = 11;
    m.division_cycles = 3;  // a reciprocal's estimate and a step of Newton's, without strict_float
    // Of 256 bits; schedules/calibration on two cores of AMD Zen 3 at 3 GHz, November 2026, rounded.
    m.typed_cycles = {2, 0.5, 0.5, 2.1, 4.1, 1, 4.2, 8.2, 127, 109, 47, 27, 4.4, 4.9, 8.3, 7, 7.2};
    m.exp_cycles = 8;
    m.libm_seconds = 4.3e-9;  // tanh 10.8, sin 2.0, double exp 3.7
    set_addresses(m);
    m.l1 = {32 * 1024, 2.2e11};
    m.l2 = {1024 * 1024, 1.2e11};
    m.l3 = {16 * 1024 * 1024, 1.0e11};
    // Tiles of 6 rows x 16 floats on a core of AMD Zen 3, as for pages: more rows of one operand than the
    // first level holds, 1,088 bytes apart, took 0.17 ns a line longer than packed ones, and 4,096 bytes
    // apart, of which it holds 8, 0.68.
    m.l2_run_seconds = 1.7e-10;
    m.l2_conflict_seconds = 5.1e-10;
    // One core adding up matrices of 12 and 64 MB with rows of 6 KB strip by strip: strips of 64 bytes
    // took 3.4 and 6.3 ns a line longer than whole rows, of 128 bytes 1.8 and 6.1, of 256 0.5 and 2.8.
    m.l3_run_seconds = 3.4e-9;
    m.memory_run_seconds = 2.9e-9;
    m.prefetched_runs = 16;  // not measured: of the prefetchers of recent cores, as their makers say
    // Fitted (least squares, none negative) to the CPU time of compiling 184 plans of the generators, unfused
    // ones among them, and 24 that keep to limits: nine in ten take 0.4 to 1.5 of what these say, the worst a
    // tenth of it (a convolution in tiles that are guarded).
    m.compile_nest_seconds = 0.036;
    m.compile_operation_seconds = 2.4e-4;
    m.compile_exp_seconds = 0.009;
    m.compile_guard_seconds = 1.2e-3;
    m.compile_load_seconds = 3.8e-3;
    m.compile_lane_seconds = 7.7e-3;
    // Eight vectors of partial results instead of one of a sum of tanh's derivatives, which save 0.7 %, take
    // LLVM four times as long, and no less time to run; of exp, which save 8 %, 5 % less.
    m.partial_result_gain = 0.01;
    m.shared_turn_seconds = 8e-9;  // of blocks of one vector of gelu_gradient, AVX-512 at 4 GHz
    m.stack_buffer_bytes = 32768;  // chosen, not measured: threads have some hundred KiB at least; with less,
                                   // more buffers are allocated anew in every turn
    m.memory_bytes_per_second = 3.4e10;  // two cores
    m.lone_core_share = 0.65;
    m.store_transfers = 1;
    m.task_seconds = 2e-8;
    m.launch_seconds = 1e-6;
    m.allocation_seconds = 1.7e-7;
    m.fresh_page_seconds = 1.7e-6;
    m.loop_cycles = 0.5;
    m.usable_cache = 0.8;
    m.overlap_loss = 0.06;
    return m;
}

/** Intel server cores since Sapphire Rapids, which execute 512 bits at once: what `eutectic calibrate`
 * measured, twice, on two such cores at 4 GHz, in a virtual machine, in November 2026, rounded. The third
 * level's rate is that of buffers of 3 to 32 MiB there, which is the part of it that two cores had to
 * themselves. Pages and ways are the processor's; what is fitted to times of plans (loop_cycles,
 * usable_cache, overlap_loss) is taken over from the other preset: tiles of 8 to 14 rows x 2 vectors, from
 * the second and the third level, ran within 6 % of the longer of multiplying and moving. */
void set_sapphire_rapids(Machine &m) {
    m.datapath_bits = 512;
    m.hertz = 4e9;
    m.vector_ops_per_cycle = 1.8;
    m.loads_per_cycle = 1.1;
    m.broadcasts_per_cycle = 1.5;
    m.stores_per_cycle = 0.95;
    m.store_forwarding_cycles = 6;
    m.division_cycles = 11;
    // Not measured there: what the lane-by-lane divisions of the other preset take, for twice the lanes; the
    // rest as A. Fog, "Instruction tables" (Ice Lake, 512 bits), gives it.
    const auto of = [&](TypedOperation operation) -> double & {
        return m.typed_cycles[static_cast<size_t>(operation)];
    };
    of(TypedOperation::multiply_32) = 2;
    of(TypedOperation::multiply_64) = 3;
    of(TypedOperation::double_divide) = 16;
    of(TypedOperation::square_root) = 19;
    of(TypedOperation::double_square_root) = 31;
    m.exp_cycles = 14;
    m.libm_seconds = 5e-9;  // tanh 9.4, sin 2.8, double exp 4.7
    m.gather_cycles_per_lane = 1;
    m.conflict_cycles_per_lane = 2.8;
    m.conflict_ways = 12;  // 48 KiB of 12 ways
    m.near_pages = 96;     // Golden Cove's first TLB, for loads
    m.l1 = {48 * 1024, 2.9e11};
    m.l2 = {2 * 1024 * 1024, 1.8e11};
    m.l3 = {16 * 1024 * 1024, 3e10};
    m.memory_bytes_per_second = 2.8e10;  // two cores
    m.lone_core_share = 0.52;
    m.store_transfers = 1.1;
    m.task_seconds = 1.3e-7;
    m.allocation_seconds = 1.1e-7;
    m.fresh_page_seconds = 1.3e-6;
}

}  // namespace

int Machine::lanes(int bytes_per_element) const {
    const int n = vector_bits / 8 / (bytes_per_element > 0 ? bytes_per_element : 1);
    return n > 1 ? n : 1;
}

bool Machine::masks(int bytes_per_element) const {
    return vector_bits >= 512 || (vector_bits == 256 && bytes_per_element >= 4);
}

Machine machine_from_target(const TargetDescription &target, int parallelism) {
    Machine m = base_preset();
    m.cores = parallelism > 0 ? parallelism : 1;
    m.vector_bits = target.vector_bits;
    m.vector_registers =
        (target.vector_bits >= 512 || target.arch == "arm" || target.arch == "riscv") ? 32 : 16;
    m.datapath_bits = std::min(256, target.vector_bits);
    const double turns = static_cast<double>(m.vector_bits) / m.datapath_bits;
    for (double *rate : {&m.vector_ops_per_cycle, &m.loads_per_cycle, &m.stores_per_cycle}) {
        *rate /= turns;
    }
    for (double *cycles : {&m.division_cycles, &m.exp_cycles}) {
        *cycles *= turns;
    }
    for (size_t i = 0; i < m.typed_cycles.size(); i++) {
        m.typed_cycles[i] *= info(static_cast<TypedOperation>(i)).by_lane ? m.vector_bits / 256.0 : turns;
    }
    if (!target.fused_multiply_add) {
        m.fma_latency_cycles = 8;  // a multiply, then an add
        m.vector_ops_per_cycle *= 0.5;
    }
    if (target.family == "sapphire rapids" && m.vector_bits == 512) {
        set_sapphire_rapids(m);
    }
    std::ostringstream name;
    name << "preset " << target.arch << " " << target.vector_bits << "-bit"
         << (target.fused_multiply_add ? " fma" : "") << (target.family.empty() ? "" : ", " + target.family)
         << ", parallelism " << m.cores;
    m.name = name.str();
    return m;
}

std::string to_string(const Machine &m) {
    std::ostringstream s;
    s.precision(10);
    for (const MachineField &f : machine_fields()) {
        s << (&f == &machine_fields().front() ? "" : ", ") << f.key << " " << f.get(m);
    }
    return m.gpu ? s.str() + ", gpu: " + to_string(*m.gpu) : s.str();
}

Machine with_gpu(Machine m, const TargetDescription &target, const std::string &gpu) {
    if (target.gpu.empty()) {
        if (!gpu.empty()) {
            throw UserError("The GPU " + gpu +
                            " was asked for, but the target has no kernels for one: add -cuda or -opencl to "
                            "the target, or leave the GPU out.");
        }
        return m;
    }
    m.gpu = choose_gpu(gpu.empty() ? default_gpu : gpu);
    m.gpu->warp_shuffles = target.gpu == "cuda";
    if (target.gpu == "cuda") {
        m.gpu->registers_per_thread = std::min(m.gpu->registers_per_thread, m.gpu->cuda_runtime_registers);
    }
    m.name += ", " + target.gpu + " on " + m.gpu->name;
    return m;
}

}  // namespace eutectic
