// Every generator at its default sizes, compiled for CUDA and assembled: none of the plans that it would get
// there spills or cannot be launched. By default every third of the joint pipelines, which have both passes
// and all their outputs in one; with EUTECTIC_ALL_CASES set, all.

#include <doctest/doctest.h>

#include "schedules/gpu/ptxas.h"
#include "tests/gpu/device_program.h"
#include "tests/gpu/no_spills.h"
#include "tests/support/all_cases.h"

using namespace eutectic;
using namespace eutectic::test;
using Halide::Target;

TEST_CASE("every generator at its default sizes") {
    const Target cuda("x86-64-linux-avx2-fma-cuda-cuda_capability_80");
    const std::string joint = "_gradient";
    size_t found = 0;
    for (const std::string &name : Halide::Internal::GeneratorRegistry::enumerate()) {
        const bool is_joint =
            name.size() > joint.size() && name.compare(name.size() - joint.size(), joint.size(), joint) == 0;
        const bool third = is_joint && found++ % 3 == 1;  // attention, bottleneck, dense, embedding, …
        if (!third && !all_cases()) {
            continue;
        }
        INFO(name);
        DeviceProgram program({name, name, {}, {}, {}, {}}, cuda);
        const Assembled assembled =
            assemble(EUTECTIC_PTXAS, program.device_code(name + "_default.ptx"), "sm_80");
        check_no_spills(assembled, program.kernels_in_code());
    }
    CHECK(found > 20);
}
