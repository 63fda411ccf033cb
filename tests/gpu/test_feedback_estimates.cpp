// feedback=1 without the toolkit, and with assemblers that are made up: what is said, what is learned, and
// how often is compiled.

#include <doctest/doctest.h>

#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <nlohmann/json.hpp>

#include "schedules/gpu/ptxas.h"
#include "tests/gpu/device_program.h"

using namespace eutectic;
using namespace eutectic::test;
using Halide::Target;

namespace {

/** An environment variable, until this goes. */
class Environment {
public:
    Environment(const char *name, const std::string &value) : name_(name) {
        const char *old = std::getenv(name);
        was_ = old ? old : "";
        had_ = old;
        setenv(name, value.c_str(), 1);
    }
    ~Environment() {
        had_ ? setenv(name_, was_.c_str(), 1) : unsetenv(name_);
    }
    Environment(const Environment &) = delete;
    Environment &operator=(const Environment &) = delete;

private:
    const char *name_;
    std::string was_;
    bool had_;
};

const DeviceCase &dense() {
    return *std::find_if(device_cases().begin(), device_cases().end(),
                         [](const DeviceCase &c) { return c.name == "dense_relu"; });
}

std::string sentences(const Scheduled &s) {
    std::string all;
    for (const std::string &one : s.feedback.sentences) {
        all += one + "\n";
    }
    return all;
}

/** A program that says of a kernel that it spills `spilled` bytes if its code has more than `most`
 * instructions with `word`, and leaves a line of its arguments in `log` for each run. */
std::string made_up(const std::string &name, int spilled, const std::string &word, int most,
                    const std::string &log) {
    const std::string path = device_code_path(name);
    std::ofstream(path)
        << "#!/bin/sh\necho \"$@\" >> '" << log << "'\nfor f in \"$@\"; do case \"$f\" in *.ptx) awk '\n"
        << "function end() { if (kernel) { n = count > " << most << " ? " << spilled << " : 0\n"
        << "print \"ptxas info    : Compiling entry function \\047\" kernel \"\\047 for \\047sm_80\\047\"\n"
        << "print \"    0 bytes stack frame, \" n \" bytes spill stores, \" n \" bytes spill loads\"\n"
        << "print \"ptxas info    : Used 60 registers, used 0 barriers, 400 bytes cmem[0]\" } }\n"
        << "/\\.entry/ { end(); kernel = $3; sub(/\\(.*/, \"\", kernel); count = 0 }\n/" << word
        << "/ { count++ }\nEND { end() }' \"$f\";; esac; done\n";
    chmod(path.c_str(), 0755);
    return path;
}

std::vector<std::string> lines_of(const std::string &path) {
    std::ifstream file(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) {
        lines.push_back(line);
    }
    return lines;
}

}  // namespace

TEST_CASE("without ptxas the estimates stand, and the report says so") {
    const Environment nowhere("EUTECTIC_PTXAS", "/nowhere/ptxas");
    const DeviceProgram program(dense(), Target("x86-64-linux-cuda-cuda_capability_80"), "", true),
        plain(dense(), Target("x86-64-linux-cuda-cuda_capability_80"));
    CHECK(sentences(program.scheduled()) ==
          "feedback: EUTECTIC_PTXAS names /nowhere/ptxas, which is no program, so registers, shared memory "
          "and occupancy are estimates: install the CUDA toolkit, or name its ptxas in EUTECTIC_PTXAS\n");
    CHECK(program.scheduled().feedback.compiles == 0);
    const nlohmann::ordered_json report = to_json(program.scheduled().report());
    REQUIRE(report["kernels"].size() == 1);
    CHECK(report["kernels"][0]["estimated"] == true);
    CHECK(report["notes"].dump().find("are estimates") != std::string::npos);
    CHECK(report["kernels"] == to_json(plain.scheduled().report())["kernels"]);
}

TEST_CASE("other targets have nothing to assemble") {
    const DeviceProgram opencl(dense(), Target("x86-64-linux-opencl"), "", true);
    CHECK(sentences(opencl.scheduled()) == "feedback: the device's driver compiles kernels in OpenCL C, so "
                                           "registers, shared memory and occupancy are estimates\n");
}

TEST_CASE("at most three compiles") {
    const std::string log = device_code_path("made_up.log");
    std::remove(log.c_str());
    const Environment spills("EUTECTIC_PTXAS", made_up("ptxas_that_spills", 400, "fma", -1, log));
    const DeviceProgram program(dense(), Target("x86-64-linux-cuda-cuda_capability_80"), "h100", true);
    const Feedback &feedback = program.scheduled().feedback;
    INFO(sentences(program.scheduled()));
    const std::vector<std::string> runs = lines_of(log);
    CHECK(runs.size() == 3);
    CHECK(feedback.compiles == 3);
    CHECK(feedback.limits.empty());  // no plan spills less than the first
    CHECK(sentences(program.scheduled())
              .find("800 B spilled in all: of the plans tried, none is better (3 compiles)") !=
          std::string::npos);
    CHECK(feedback.kernels.at(0).spill_bytes == 800);
    // Each in a folder of its own, which is gone.
    for (const std::string &run : runs) {
        CHECK(run.find("-arch=sm_90 ") != std::string::npos);
        std::istringstream words(run);
        for (std::string word; words >> word;) {
            CHECK_FALSE((word.find(".ptx") != std::string::npos && std::ifstream(word).good()));
        }
    }
}

TEST_CASE("what spills is tiled otherwise") {
    const DeviceCase large{
        "matmul", "matmul", {{"m", "1024"}, {"k", "1024"}, {"n", "1024"}, {"epilogue", "none"}}, {}, {}, {},
        0,        false};
    const Target cuda("x86-64-linux-cuda-cuda_capability_80");
    const std::string log = device_code_path("tiled.log");
    std::remove(log.c_str());
    const DeviceProgram estimated(large, cuda);
    const Environment some("EUTECTIC_PTXAS", made_up("ptxas_of_small_tiles", 252, "fma", 63, log));
    const DeviceProgram program(large, cuda, "", true);
    INFO(sentences(program.scheduled()));
    const auto kernel = [](const DeviceProgram &p) {
        return p.scheduled().planned.plan.groups.at(0).kernels.at(0);
    };
    const Feedback &feedback = program.scheduled().feedback;
    REQUIRE(kernel(estimated).tile_points >= 32);
    CHECK(lines_of(log).size() > 1);
    CHECK(feedback.compiles == static_cast<int>(lines_of(log).size()));
    CHECK(kernel(program).tile_points < kernel(estimated).tile_points);
    CHECK(program.planned_kernels() == estimated.planned_kernels());
    CHECK(feedback.kernels.at(0).spill_bytes == 0);
    CHECK(feedback.limits.size() == static_cast<size_t>(feedback.compiles) - 1);
    CHECK(sentences(program.scheduled())
              .find(" spills 504 B with 60 registers a thread, where " +
                    std::to_string(kernel(estimated).needed_registers) +
                    " were estimated: planned again with at most ") != std::string::npos);
    CHECK(sentences(program.scheduled())
              .find("none spills (" + std::to_string(lines_of(log).size()) + " compiles)") !=
          std::string::npos);
    const nlohmann::ordered_json report = to_json(program.scheduled().report());
    CHECK(report["notes"].dump().find(" spills 504 B") != std::string::npos);
    CHECK(std::any_of(report["steps"].begin(), report["steps"].end(),
                      [](const auto &s) { return s["step"] == "feedback"; }));
}

TEST_CASE("what spills is taken apart") {
    using namespace Halide;
    Var x("x");
    ImageParam in(Float(32), 1, "in");
    in.dim(0).set_estimate(0, 1 << 20);
    Expr sum = 0.0f;
    for (int k = 0; k < 12; k++) {
        Func part("part" + std::to_string(k));
        part(x) = exp(in(x) * (0.25f + static_cast<float>(k)));
        sum = sum * 0.5f + part(x);
    }
    Func out("out");
    out(x) = sum;
    out.set_estimates({{0, 1 << 20}});
    const std::string log = device_code_path("apart.log");
    std::remove(log.c_str());
    const Environment some("EUTECTIC_PTXAS", made_up("ptxas_of_few_exps", 252, "ex2.approx", 10, log));
    Parameters p;
    p.feedback = true;
    const Scheduled s = schedule(Pipeline(out), Target("x86-64-linux-cuda-cuda_capability_80"), p, true);
    INFO(sentences(s));
    CHECK(s.feedback.compiles > 1);
    CHECK(s.planned.plan.groups.size() > 1);
    CHECK(s.feedback.kernels.size() == s.planned.plan.groups.size());
    for (const CompiledKernel &k : s.feedback.kernels) {
        CHECK(k.spill_bytes == 0);
    }
    CHECK(sentences(s).find(" spills 504 B") != std::string::npos);
}

TEST_CASE("an assembler that fails leaves the estimates") {
    const Environment fails("EUTECTIC_PTXAS", "/bin/false");
    const DeviceProgram program(dense(), Target("x86-64-linux-cuda-cuda_capability_80"), "", true);
    CHECK(sentences(program.scheduled()) == "feedback: /bin/false failed for sm_80 (exit status 1), so "
                                            "registers, shared memory and occupancy are estimates\n");
    CHECK(program.scheduled().feedback.kernels.empty());
}

TEST_CASE("ptxas's words") {
    const std::vector<AssembledKernel> kernels =
        parse_ptxas("ptxas info    : 0 bytes gmem\n"
                    "ptxas info    : Compiling entry function '_kernel_y' for 'sm_80'\n"
                    "ptxas info    : Function properties for _kernel_y\n"
                    "    16 bytes stack frame, 12 bytes spill stores, 24 bytes spill loads\n"
                    "ptxas info    : Used 255 registers, used 1 barriers, 16 bytes stack, 4096 bytes smem, "
                    "400 bytes cmem[0]\n"
                    "ptxas info    : Compile time = 87.223 ms\n"
                    "ptxas info    : Compiling entry function '_kernel_z' for 'sm_80'\n"
                    "ptxas info    : Used 8 registers, used 0 barriers, 400 bytes cmem[0]\n");
    REQUIRE(kernels.size() == 2);
    CHECK(kernels[0].name == "_kernel_y");
    CHECK(kernels[0].registers == 255);
    CHECK(kernels[0].spill_stores == 12);
    CHECK(kernels[0].spill_loads == 24);
    CHECK(kernels[0].shared_bytes == 4096);
    CHECK(kernels[1].name == "_kernel_z");
    CHECK(kernels[1].registers == 8);
    CHECK(kernels[1].spill_stores == 0);
    CHECK(parse_ptxas("ptxas fatal   : Unresolved extern function 'f'\n").empty());
}

TEST_CASE("what a kernel teaches") {
    const DeviceProgram program(dense(), Target("x86-64-linux-cuda-cuda_capability_80"));
    const Scheduled &s = program.scheduled();
    const Group &g = s.planned.plan.groups[0];
    Gpu gpu = *s.machine.gpu;
    gpu.registers_per_thread = 255;
    KernelPrice estimate = g.kernels[0];
    estimate.resources = {512, 100, 20000};
    estimate.needed_registers = 100;
    estimate.tile_points = 16;
    const auto learned = [&](const KernelResources &needs, Bytes spilled) {
        return lesson(s.graph, gpu, g, estimate, {g.root, 0, needs, spilled, occupancy(gpu, needs)});
    };
    CHECK(learned({512, 100, 20000}, 0).sentence.empty());
    CHECK(learned({512, 128, 20000}, 0).sentence.empty());
    // 255 registers and 85 more, a store and a load each: three quarters of the values, of two registers
    // each.
    const Lesson spill = learned({256, 255, 20000}, 680);
    CHECK(spill.limit.registers == 92);
    CHECK(spill.limit.threads == -1);
    CHECK(spill.limit.most_members == 3);
    CHECK(spill.sentence ==
          "feedback: the kernel of y spills 680 B with 255 registers a thread, where 100 were estimated: "
          "planned again with at most 12 values at once in a thread instead of 16");
    CHECK(learned({256, 255, 20000}, 4).limit.registers == 98);
    // One value at once cannot be fewer.
    estimate.tile_points = 1;
    const Lesson apart = learned({256, 255, 20000}, 680);
    CHECK(apart.limit.registers == 100);
    CHECK(apart.limit.most_members == 1);
    CHECK(apart.sentence == "feedback: the kernel of y spills 680 B with 255 registers a thread, where 100 "
                            "were estimated: planned again with at most 1 of its 3 Funcs");
    CHECK(learned({256, 255, 20000}, 8).limit.most_members == 2);
    Group alone = g;
    alone.members = {g.root};
    CHECK(
        lesson(s.graph, gpu, alone, estimate, {g.root, 0, {256, 255, 0}, 680, occupancy(gpu, {256, 255, 0})})
            .sentence.empty());
    // 65536 registers: 512 threads of 200 are too many.
    const Lesson threads = learned({512, 200, 20000}, 0);
    CHECK(threads.limit.threads == 256);
    CHECK(threads.limit.registers == -1);
    estimate.resources.threads = 128;
    CHECK(learned({512, 200, 20000}, 0).limit.threads == 64);
    CHECK(threads.sentence == "feedback: the kernel of y needs 200 registers for each of the 512 threads of "
                              "a block, more than an SM has: planned again with at most 256 threads");
    const Lesson shared = learned({256, 100, 98304}, 0);
    CHECK(shared.limit.shared_bytes == 10000);
    CHECK(shared.sentence == "feedback: the kernel of y has 96.0 KiB of shared memory in a block, more than "
                             "48.0 KiB: planned again with an estimate of at most 9.77 KiB");
}

TEST_CASE("limits are of groups in the loops of one of the Funcs") {
    Machine m = DeviceProgram(dense(), Target("x86-64-linux-cuda-cuda_capability_80")).scheduled().machine;
    m.gpu->registers_per_thread = 255;
    const std::vector<KernelLimit> limits = {{{2, 3, 5}, 3, 60, -1, -1}, {{3, 5}, 2, -1, 128, 1000}};
    CHECK(within_limits(m, limits, 5, {1, 2, 3, 5}).gpu->registers_per_thread == 60);
    CHECK(within_limits(m, limits, 5, {1, 2, 3, 5}).gpu->threads_per_block == 128);
    CHECK(within_limits(m, limits, 5, {1, 2, 3, 5}).gpu->shared_bytes_per_block == 1000);
    CHECK(within_limits(m, limits, 5, {2, 5}).gpu->registers_per_thread == 62);  // one value is loaded
    CHECK(within_limits(m, limits, 2, {2}).gpu->registers_per_thread == 64);
    CHECK(within_limits(m, limits, 2, {2}).gpu->threads_per_block == 1024);
    CHECK(within_limits(m, limits, 6, {2, 3, 5, 6}).gpu->registers_per_thread == 255);
    const std::vector<KernelLimit> half = {{{1, 2, 3, 9}, 2, 40, -1, -1}};
    CHECK(within_limits(m, half, 9, {1, 3, 9}).gpu->registers_per_thread == 0);
    CHECK(within_limits(m, half, 9, {3, 4, 5, 9}).gpu->registers_per_thread == 44);
    // What is spare lets a thread need more than it has: here, 60 and 62 of what 50 are there for.
    m.gpu->registers_per_thread = 50;
    m.gpu->spare_registers = 20;
    CHECK(within_limits(m, limits, 5, {1, 2, 3, 5}).gpu->registers_per_thread == 50);
    CHECK(within_limits(m, limits, 5, {1, 2, 3, 5}).gpu->spare_registers == 10);
    CHECK(within_limits(m, limits, 5, {2, 5}).gpu->spare_registers == 12);
    CHECK(within_limits(m, limits, 6, {2, 3, 5, 6}).gpu->spare_registers == 20);
    CHECK(within_limits(m, half, 9, {3, 4, 5, 9}).gpu->spare_registers == 0);
}
