// How many kernels the plans of well-known pipelines launch at their default sizes, on every preset, for both
// languages; and how long planning takes. By default each preset in one of the languages; all of them with
// EUTECTIC_ALL_CASES set.

#include <doctest/doctest.h>

#include <algorithm>

#include "base/user_error.h"
#include "schedules/gpu/on_device.h"
#include "tests/gpu/device_program.h"
#include "tests/support/all_cases.h"

using namespace eutectic;
using namespace eutectic::test;
using Halide::Target;

TEST_CASE("kernels launched") {
    struct Expected {
        const char *generator;
        size_t most;
        std::map<std::string, std::string> parameters = {};
    };
    size_t number = 0;
    for (const Expected &e : {Expected{"dense", 1},
                              {"softmax", 1},
                              {"log_softmax", 1},
                              {"layernorm", 1},
                              {"rmsnorm", 1},
                              {"softmax_xent", 2},
                              {"softmax_xent_backward", 1},
                              {"mlp_loss_backward", 9},
                              {"adam", 1},
                              {"log1pexp", 1},
                              {"attention", 2},
                              {"attention", 2, {{"causal", "true"}}},
                              {"layernorm", 1, {{"rows", "1024"}, {"cols", "65536"}}},
                              {"softmax", 1, {{"rows", "1024"}, {"cols", "16384"}}},
                              {"softmax_xent", 2, {{"rows", "1024"}, {"cols", "100000"}}},
                              {"softmax_xent", 2, {{"rows", "64"}, {"cols", "262144"}}},
                              // In one kernel by price or in two, of which the first reads the row once for
                              // its maximum and its sum.
                              {"softmax", 2, {{"rows", "1024"}, {"cols", "65536"}}},
                              {"softmax", 2, {{"rows", "64"}, {"cols", "262144"}}},
                              {"log_softmax", 2, {{"rows", "1024"}, {"cols", "65536"}}},
                              {"log_softmax", 2, {{"rows", "64"}, {"cols", "262144"}}}}) {
        number++;  // the other language than of the pipeline before
        for (const char *language : {"cuda-cuda_capability_80", "opencl"}) {
            size_t preset = number++;
            for (const std::string &gpu : gpu_preset_names()) {
                if (preset++ % 2 > 0 && !all_cases()) {
                    continue;
                }
                const DeviceCase c{e.generator, e.generator, e.parameters, {}, {}, {}, 0, false};
                const DeviceProgram program(c, Target("x86-64-linux-avx2-fma-" + std::string(language)), gpu);
                INFO(std::string(e.generator) << " " << std::string(language) << " " << gpu << "\n"
                                              << to_text(program.scheduled().report()));
                CHECK(program.planned_kernels() <= e.most);
                CHECK(program.planned_kernels() > 0);
                CHECK(program.scheduled().seconds() < 10);  // what explodes takes minutes
                CHECK(program.scheduled().machine.gpu->name == "preset " + gpu);
            }
        }
    }
}

TEST_CASE("of rows that no first level holds, memory is read once for the maximum and its sum") {
    struct Expected {
        const char *generator;
        int columns, rows;
        double passes;  // over the rows, those that write them among them
    };
    for (const Expected &e : {Expected{"softmax", 65536, 1024, 3},
                              {"softmax", 262144, 64, 3},
                              {"log_softmax", 65536, 1024, 3},
                              {"softmax_xent", 65536, 1024, 1},
                              {"softmax_xent", 262144, 64, 1}}) {
        for (const char *gpu : {"a100", "h100"}) {
            const DeviceCase c{e.generator,
                               e.generator,
                               {{"rows", std::to_string(e.rows)}, {"cols", std::to_string(e.columns)}},
                               {},
                               {},
                               {},
                               0,
                               false};
            const DeviceProgram program(c, Target("x86-64-linux-avx2-fma-cuda-cuda_capability_80"), gpu);
            double bytes = 0;
            for (const Group &g : program.scheduled().planned.plan.groups) {
                for (const KernelPrice &k : g.kernels) {
                    bytes += k.dram_bytes;
                }
            }
            INFO(std::string(e.generator)
                 << " " << e.columns << " x " << e.rows << " on " << std::string(gpu));
            CHECK(bytes / (4.0 * e.columns * e.rows) == doctest::Approx(e.passes).epsilon(0.01));
            CHECK(program.scheduled().seconds() < 1);
        }
    }
}

TEST_CASE("blocks have the threads that are planned") {
    for (const DeviceCase &c : some_device_cases(2, 3)) {
        DeviceProgram program(c, Target("x86-64-linux-avx2-fma-cuda-cuda_capability_80"));
        std::vector<std::string> planned, launched = program.launched_threads();
        std::string plan = c.name + " plans";
        for (const Group &g : program.scheduled().planned.plan.groups) {
            for (const KernelPrice &k : g.kernels) {
                planned.push_back(std::to_string(k.resources.threads));
            }
            plan += " " + g.policy;
        }
        for (const std::string &t : planned) {
            plan += " " + t;
        }
        plan += ", launches";
        for (const std::string &t : launched) {
            plan += " " + t;
        }
        INFO(plan);
        CHECK(launched.size() == program.kernels_in_code());
        // What has a version for whole tiles is launched with one block or the other, of the same size.
        planned.erase(std::unique(planned.begin(), planned.end()), planned.end());
        launched.erase(std::unique(launched.begin(), launched.end()), launched.end());
        CHECK(launched == planned);
    }
}

TEST_CASE("doubles need a feature of targets for OpenCL") {
    using namespace Halide;
    Var x("x");
    const auto plan = [&](const char *target) {
        Func fine("fine"), out("out");
        fine(x) = cast<double>(x) / 3;
        out(x) = cast<float>(fine(x));
        out.set_estimates({{0, 100}});
        return schedule(Pipeline(out), Target(target), Parameters(), false);
    };
    CHECK_THROWS_WITH_AS(plan("x86-64-linux-opencl"), doctest::Contains("add -cl_doubles to the target"),
                         UserError);
    CHECK_NOTHROW(plan("x86-64-linux-opencl-cl_doubles"));
    CHECK_NOTHROW(plan("x86-64-linux-cuda-cuda_capability_80"));
    CHECK_NOTHROW(plan("x86-64-linux"));
}

TEST_CASE("what cannot be on the device is named") {
    using namespace Halide;
    Var x("x");
    Func input("input"), taken("taken");
    input(x) = cast<float>(x);
    taken.define_extern("some_function", {input}, Float(32), 1);
    taken.set_estimates({{0, 100}});
    try {
        schedule(Pipeline(taken), Target("x86-64-linux-opencl"), Parameters(), false);
        FAIL("accepted");
    } catch (const UserError &e) {
        CHECK(std::string(e.what()) ==
              "The target x86-64-linux-opencl asks for GPU kernels, but taken is an extern stage, which runs "
              "on the CPU: use a CPU target for this pipeline.");
    }
}

TEST_CASE("calls that may have effects are for CPUs, and the refusal says which") {
    using namespace Halide;
    Var x("x");
    Func told("told"), y("y");
    told(x) = print(cast<float>(x), "is computed");
    y(x) = told(x) * 2;
    y.set_estimates({{0, 100}});
    CHECK_THROWS_WITH_AS(
        schedule(Pipeline(y), Target("x86-64-linux-opencl"), Parameters(), false),
        doctest::Contains("asks for GPU kernels, but told runs on the CPU, because it calls "), UserError);
}

TEST_CASE("what no policy has loops for is told with why") {
    Graph graph;
    graph.funcs.resize(1);
    graph.funcs[0].name = "c";
    FusionPlan plan;
    plan.placements.resize(1);
    plan.groups.resize(1);
    plan.groups[0].root = 0;
    CHECK(on_device(graph, plan).reason() == "no policy has loops for c");
    plan.groups[0].refused = {
        "gpu_block would keep 2.00 MiB or more in shared memory, of which a block has 163 KiB",
        "gpu_shared_tile has tiles of two dims: c has 1"};
    CHECK(on_device(graph, plan).reason() ==
          "no policy has loops for c, because gpu_block would keep 2.00 MiB or more in shared memory, of "
          "which a block has 163 KiB, and gpu_shared_tile has tiles of two dims: c has 1");
}
