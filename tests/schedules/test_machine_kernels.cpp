// The kernels that calibration times, compiled and timed briefly. Ranges are wide: this machine may be any,
// and busy.

#include <doctest/doctest.h>

#include "base/user_error.h"
#include "machine/measure.h"
#include "schedules/calibration/kernels.h"

using namespace eutectic;

TEST_CASE("a quick calibration gives rates that a CPU can have") {
    const MachineKernels kernels = machine_kernels(Halide::get_host_target(), 2);
    MeasureOptions options;
    options.seconds_per_probe = 0.01;
    const Calibration c = measure_machine(kernels, options);
    const Machine &m = c.machine;
    INFO(to_json(c));
    CHECK(c.seconds < 30);
    CHECK(m.hertz > 3e8);
    CHECK(m.hertz < 1e10);
    // One multiply-add a vector: between one every ten cycles and six a cycle. A chain of them waits for
    // each.
    CHECK(m.vector_ops_per_cycle > 0.1);
    CHECK(m.vector_ops_per_cycle < 6);
    CHECK(m.fma_latency_cycles > 1);
    CHECK(m.fma_latency_cycles < 30);
    CHECK(m.fma_latency_cycles * m.vector_ops_per_cycle > 1.2);
    CHECK(m.loads_per_cycle > 0.1);
    CHECK(m.loads_per_cycle < 8);
    CHECK(m.broadcasts_per_cycle > 0.1);
    CHECK(m.stores_per_cycle > 0.05);
    CHECK(m.stores_per_cycle < 6);
    CHECK(m.store_forwarding_cycles > 0.1);
    // A vector of exponentials is many operations; a division is more than one.
    CHECK(m.exp_cycles * m.vector_ops_per_cycle > 4);
    CHECK(m.exp_cycles < 1000);
    CHECK(m.division_cycles * m.vector_ops_per_cycle > 1);
    // Of every operation that has a price by its type; a lane is divided alone, by no less than an addition.
    for (size_t i = 0; i < typed_operation_count; i++) {
        const TypedOperationInfo &of = info(static_cast<TypedOperation>(i));
        INFO(of.key);
        CHECK(c.origins.at(of.key) == Origin::measured);
        CHECK(m.typed_cycles[i] * m.vector_ops_per_cycle > 0.2);
        CHECK(m.typed_cycles[i] < 2000);
        CHECK((!of.by_lane || m.typed_cycles[i] > m.lanes(of.bytes) * 0.5));
    }
    CHECK(m.libm_seconds > 3e-10);
    CHECK(m.libm_seconds < 1e-6);
    CHECK(m.gather_cycles_per_lane < 100);
    CHECK(m.l1.bytes_per_second > m.memory_bytes_per_second / m.cores / 2);
    CHECK(m.memory_bytes_per_second > 2e8);
    CHECK(m.memory_bytes_per_second < 1e13);
    CHECK(m.lone_core_share <= 1);
    CHECK(m.allocation_seconds < 1e-4);
    // A page takes longer to get than its share of a small buffer that is there already.
    CHECK(m.fresh_page_seconds > 1e-8);
    CHECK(m.fresh_page_seconds < 1e-3);
    CHECK(c.origins.at("hertz") == Origin::measured);
    CHECK(c.origins.at("vector_ops_per_cycle") == Origin::measured);
    CHECK(to_string(parse_calibration(to_json(c), "m.json").machine) !=
          to_string(machine_from_target(kernels.description, 2)));
}

TEST_CASE("a target that this program cannot time is refused") {
    CHECK_THROWS_WITH_AS(machine_kernels(Halide::Target("x86-64-linux-cuda"), 2),
                         "The target x86-64-linux-cuda asks for GPU kernels, but calibration measures a CPU: "
                         "use a CPU target.",
                         UserError);
    CHECK_THROWS_WITH_AS(
        machine_kernels(Halide::Target("arm-64-osx"), 2),
        "The target arm-64-osx cannot be run on this machine: calibrate on a machine that it is for.",
        UserError);
}
