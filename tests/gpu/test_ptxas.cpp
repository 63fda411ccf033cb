// The plans for CUDA, compiled and assembled: as many kernels as the plan says, none of which spills. By
// default some of each kind; all of them with EUTECTIC_ALL_CASES set.

#include <doctest/doctest.h>

#include <algorithm>

#include "schedules/gpu/ptxas.h"
#include "tests/gpu/device_program.h"
#include "tests/gpu/no_spills.h"
#include "tests/gpu/rows_in_registers.h"
#include "tests/support/all_cases.h"
#include "tests/support/occurrences.h"

using namespace eutectic;
using namespace eutectic::test;
using Halide::Target;

TEST_CASE("warps hand each other what their lanes have") {
    const Target cuda("x86-64-linux-cuda-cuda_capability_80");
    size_t number = 0;
    for (const DeviceCase &c : row_cases()) {
        // Of each generator a short row and a long one; or of one the one, of the next the other.
        const size_t of_four = number++ % 4;
        if (!all_cases() && (of_four == 1 || of_four == 2)) {
            continue;
        }
        INFO(c.name);
        DeviceProgram program(c, cuda, slow_barriers(1e-6));
        REQUIRE(program.planned_kernels() == 1);
        const Group &g = program.scheduled().planned.plan.groups[0];
        CHECK(g.policy == "gpu_warps");
        const std::string code = program.device_code(c.name + ".ptx");
        CHECK(code.find("shfl.sync") != std::string::npos);
        // A row of one warp needs no barrier.
        const bool one_warp = to_string(g.tree.nests()[0].nest).find("d1 thread") != std::string::npos;
        CHECK((code.find("bar.sync") == std::string::npos) == one_warp);
        for (const char *architecture : {"sm_80", "sm_90"}) {
            const Assembled assembled = assemble(EUTECTIC_PTXAS, code, architecture);
            REQUIRE(assembled.kernels.size() == 1);
            CHECK(assembled.kernels[0].spill_stores == 0);
            CHECK(assembled.kernels[0].frame_bytes == 0);
        }
        CHECK(program.launched_threads() ==
              std::vector<std::string>{std::to_string(g.kernels[0].resources.threads)});
    }
}

TEST_CASE("no plan spills") {
    const Target cuda("x86-64-linux-cuda-cuda_capability_80");
    for (const DeviceCase &c : some_device_cases(0, 3)) {
        INFO(c.name);
        DeviceProgram program(c, cuda);
        if (c.kernels > 0) {
            CHECK(program.planned_kernels() == static_cast<size_t>(c.kernels));
        }
        const std::string code = program.device_code(c.name + ".ptx");
        for (const char *architecture : {"sm_80", "sm_90"}) {
            const Assembled assembled = assemble(EUTECTIC_PTXAS, code, architecture);
            check_no_spills(assembled, program.kernels_in_code());
            // Only the version of a tile for sizes that are not whole tiles may keep it outside its
            // registers.
            const auto has_frame = [](const AssembledKernel &k) { return k.frame_bytes > 0; };
            CHECK(std::count_if(assembled.kernels.begin(), assembled.kernels.end(), has_frame) <=
                  static_cast<std::ptrdiff_t>(program.kernels_in_code() - program.planned_kernels()));
            for (const AssembledKernel &k : assembled.kernels) {
                CHECK(k.frame_bytes <= 256);
            }
        }
    }
}

TEST_CASE("rows of a fixed length are read once, into registers") {
    const Target cuda("x86-64-linux-cuda-cuda_capability_80");
    size_t number = 0;
    for (const int columns : {5, 40, 1000, 1024, 4096, 8192}) {
        for (const DeviceCase &c : fixed_row_cases(columns, 4096)) {
            if (number++ % 3 > 0 &&
                !all_cases()) {  // five of each length: every length and generator is there
                continue;
            }
            INFO(c.name);
            DeviceProgram program(
                c, cuda, [&](const Graph &g, const Machine &m) { return rows_in_registers(g, m, true); });
            const Group &g = program.scheduled().planned.plan.groups[0];
            const KernelPrice &estimate = g.kernels[0];
            const std::string code = program.device_code(c.name + ".ptx");
            const bool one_warp = to_string(g.tree.nests()[0].nest).find("d1 thread") != std::string::npos;
            const int threads = one_warp ? 32 : estimate.resources.threads,
                      each = (columns + threads - 1) / threads;
            int matrices = 0, vectors = 0;  // rows of their own; scale and bias, which each row reads
            for (const auto &[name, dims] : c.inputs) {
                (dims.size() == 2 ? matrices : vectors)++;
            }
            CHECK(occurrences(code, "ld.global") == each * (matrices + vectors));
            CHECK((code.find("bar.sync") == std::string::npos) == one_warp);
            CHECK(estimate.dram_bytes <= 4.0 * columns * ((matrices + 1) * 4096.0 + vectors) * 1.01);
            for (const char *architecture : {"sm_80", "sm_90"}) {
                const Assembled assembled = assemble(EUTECTIC_PTXAS, code, architecture);
                check_no_spills(assembled, 1);
                REQUIRE(assembled.kernels.size() == 1);
                CHECK(assembled.kernels[0].frame_bytes == 0);
                CHECK(assembled.kernels[0].registers <= 1.1 * estimate.resources.registers);
                CHECK((columns < 1000 ||
                       assembled.kernels[0].registers >=
                           0.6 * estimate.resources
                                     .registers));  // of a few values, the estimate is that of addresses
            }
            CHECK(program.launched_threads() ==
                  std::vector<std::string>{std::to_string(estimate.resources.threads)});
        }
    }
}

TEST_CASE("logits of a fixed number are read once for their maximum and its sum, into registers") {
    DeviceCase c = *std::find_if(device_cases().begin(), device_cases().end(),
                                 [](const DeviceCase &d) { return d.name == "softmax_xent"; });
    c.parameters = {{"cols", "1000"}, {"fixed_cols", "true"}, {"rows", "4096"}};
    DeviceProgram program(c, Target("x86-64-linux-cuda-cuda_capability_80"));
    const std::vector<Group> &groups = program.scheduled().planned.plan.groups;
    REQUIRE(groups.size() == 2);
    CHECK(groups[0].policy == "gpu_registers");
    CHECK(groups[0].kernels[0].dram_bytes <= 1.01 * 4 * 4096 * 1003);
    const std::string code = program.device_code("xent_of_fixed_1000.ptx");
    const Assembled assembled = assemble(EUTECTIC_PTXAS, code, "sm_80");
    check_no_spills(assembled, 2);
    for (const AssembledKernel &k : assembled.kernels) {
        CHECK(k.frame_bytes == 0);
        CHECK(k.registers <= groups[0].kernels[0].resources.registers);
    }
}

TEST_CASE("long rows, read once for their maximum and its sum") {
    const Target cuda("x86-64-linux-cuda-cuda_capability_80");
    size_t number = 0;
    for (const DeviceCase &c : long_row_cases()) {
        for (const std::string &gpu : {std::string("a100"), slow_launches(1e-3)}) {
            const size_t of_four = number++ % 4;
            if (!all_cases() && (of_four == 1 || of_four == 2)) {
                continue;
            }
            INFO(c.name << " on " << gpu);
            DeviceProgram program(c, cuda, gpu);
            CHECK(program.scheduled().source.find("eutectic::sum_online(") != std::string::npos);
            const std::string code = program.device_code(c.name + ".ptx");
            for (const char *architecture : {"sm_80", "sm_90"}) {
                const Assembled assembled = assemble(EUTECTIC_PTXAS, code, architecture);
                check_no_spills(assembled, program.kernels_in_code());
                for (const AssembledKernel &k : assembled.kernels) {
                    CHECK(k.frame_bytes == 0);
                    CHECK(k.registers <= 64);
                }
            }
        }
    }
}
