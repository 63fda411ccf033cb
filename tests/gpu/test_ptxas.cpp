// The plans for CUDA, compiled and assembled: as many kernels as the plan says, none of which spills.

#include <doctest/doctest.h>

#include <algorithm>

#include "schedules/gpu/ptxas.h"
#include "tests/gpu/device_program.h"

using namespace eutectic;
using namespace eutectic::test;
using Halide::Target;

TEST_CASE("no plan spills") {
    const Target cuda("x86-64-linux-cuda-cuda_capability_80");
    for (const DeviceCase &c : device_cases()) {
        INFO(c.name);
        DeviceProgram program(c, cuda);
        if (c.kernels > 0) {
            CHECK(program.planned_kernels() == static_cast<size_t>(c.kernels));
        }
        const std::string code = program.device_code(c.name + ".ptx");
        for (const char *architecture : {"sm_80", "sm_90"}) {
            const Assembled assembled = assemble(EUTECTIC_PTXAS, code, architecture);
            CHECK(assembled.failure == "");
            CHECK(assembled.kernels.size() == program.kernels_in_code());
            for (const AssembledKernel &k : assembled.kernels) {
                INFO(k.name);
                CHECK(k.spill_stores == 0);
                CHECK(k.spill_loads == 0);
                CHECK(k.registers > 0);
            }
            // Only the version of a tile for sizes that are not whole tiles may keep it outside its registers.
            const auto has_frame = [](const AssembledKernel &k) { return k.frame_bytes > 0; };
            CHECK(std::count_if(assembled.kernels.begin(), assembled.kernels.end(), has_frame) <= static_cast<std::ptrdiff_t>(program.kernels_in_code() - program.planned_kernels()));
            for (const AssembledKernel &k : assembled.kernels) {
                CHECK(k.frame_bytes <= 256);
            }
        }
    }
}
