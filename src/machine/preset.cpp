#include <sstream>

#include "machine/calibration.h"

namespace eutectic {

namespace {

/** The preset behind machine_from_target(). Rates are those of a mainstream server core of 2022 (AMD Zen 4 at 3.4 GHz with
 *  AVX-512 executed in two halves), from the vendor's Software Optimization Guide for the AMD Zen4 Microarchitecture (latency 4 of an
 *  FMA; two 512-bit loads, one 512-bit FMA a cycle) and, where marked (m), measured with the kernels of this repository on such a
 *  machine in November 2026. Intel server cores of the same years differ by less than a factor of two in every entry. */
Machine base_preset() {
    Machine m;
    m.hertz = 3.4e9;
    m.fma_latency_cycles = 4;
    m.division_cycles = 10;
    m.exp_cycles = 14;                   // (m) exp over an L1-resident row, 512-bit: 12 to 16
    m.l1 = {32 * 1024, 2.0e11};          // two 32-byte halves a cycle
    m.l2 = {1024 * 1024, 1.1e11};        // 32 bytes a cycle
    m.l3 = {16 * 1024 * 1024, 3.0e10};   // (m) a core's share of the shared level
    m.memory_bytes_per_second = 3.0e10;  // (m) two cores streaming
    m.usable_cache = 0.5;                // (m) a k of 4,096 in a dense layer: a panel of 3/4 of the second level runs at half the speed of one of 1/2
    return m;
}

}  // namespace

int Machine::lanes(int bytes_per_element) const {
    const int n = vector_bits / 8 / (bytes_per_element > 0 ? bytes_per_element : 1);
    return n > 1 ? n : 1;
}

Machine machine_from_target(const TargetDescription &target, int parallelism) {
    Machine m = base_preset();
    m.cores = parallelism > 0 ? parallelism : 1;
    m.vector_bits = target.vector_bits;
    m.vector_registers = (target.vector_bits >= 512 || target.arch == "arm" || target.arch == "riscv") ? 32 : 16;
    // AVX-512 is executed in two halves: one issue a cycle; narrower vectors have two.
    m.vector_ops_per_cycle = target.vector_bits >= 512 ? 1 : 2;
    m.stores_per_cycle = target.vector_bits >= 512 ? 0.5 : 1;
    if (!target.fused_multiply_add) {
        m.fma_latency_cycles = 8;  // a multiply, then an add
        m.vector_ops_per_cycle *= 0.5;
    }
    std::ostringstream name;
    name << "preset " << target.arch << " " << target.vector_bits << "-bit" << (target.fused_multiply_add ? " fma" : "") << ", parallelism "
         << m.cores;
    m.name = name.str();
    return m;
}

std::string to_string(const Machine &m) {
    std::ostringstream s;
    s.precision(10);
    for (const MachineField &f : machine_fields()) {
        s << (&f == &machine_fields().front() ? "" : ", ") << f.key << " " << f.get(m);
    }
    return s.str();
}

}  // namespace eutectic
