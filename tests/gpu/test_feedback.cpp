// feedback=1 with the toolkit: what the report says is what ptxas says, and what spills is planned again. By
// default some of each kind; all of them with EUTECTIC_ALL_CASES set.

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include <nlohmann/json.hpp>

#include "base/regex.h"
#include "machine/gpu_fields.h"
#include "tests/gpu/device_program.h"
#include "tests/support/all_cases.h"

using namespace eutectic;
using namespace eutectic::test;
using Halide::Target;
using nlohmann::ordered_json;

namespace {

const char *const cuda_80 = "x86-64-linux-cuda-cuda_capability_80";

const DeviceCase &named(const std::string &name) {
    return *std::find_if(device_cases().begin(), device_cases().end(),
                         [&](const DeviceCase &c) { return c.name == name; });
}

/** What a run of ptxas that has nothing to do with the library's says of the code of `program`, compiled as
 * Halide's runtime has it compiled. */
std::string said_of(DeviceProgram &program, const std::string &name, const std::string &architecture) {
    program.device_code(name + ".feedback.ptx");
    const std::string path = device_code_path(name + ".feedback.ptx"),
                      log = device_code_path(name + ".feedback.log");
    REQUIRE(std::system((std::string(EUTECTIC_PTXAS) + " -v --maxrregcount 64 -arch=" + architecture + " '" +
                         path + "' -o /dev/null >'" + log + "' 2>&1")
                            .c_str()) == 0);
    std::ifstream file(log);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/** The largest number before `what`. */
int most(const std::string &text, const std::string &what) {
    int found = -1;
    const Regex pattern("([0-9]+) " + what);
    for (const Groups &m : pattern.all_in(text)) {
        found = std::max(found, std::stoi(m[1]));
    }
    return found;
}

/** Shared memory of the one kernel, by the program as Halide prints it. */
int shared_of(DeviceProgram &program, const std::string &name) {
    Halide::Pipeline pipeline = program.pipeline();
    const std::string path = device_code_path(name + ".stmt");
    pipeline.compile_to_lowered_stmt(path, pipeline.infer_arguments(), Halide::Text, Target(cuda_80));
    std::ifstream file(path);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    Groups m;
    // Of the launch: name, blocks, threads, then shared memory as 0 or as 0 + (elements*bytes), where the
    // size follows from no buffer.
    const size_t launch = text.find("= halide_cuda_run(");
    REQUIRE(launch != std::string::npos);
    const std::string arguments = text.substr(launch, text.find("make_struct", launch) - launch);
    return Regex("0 \\+ \\(([0-9]+)\\*([0-9]+)\\)").found_in(arguments, &m)
               ? std::stoi(m[1]) * std::stoi(m[2])
               : 0;
}

/** An A100 that gives a thread no more than `registers`, as a file. */
std::string device_of(int registers) {
    Gpu g = gpu_preset("a100");
    g.registers_per_thread = registers;
    const std::string path = device_code_path("registers_" + std::to_string(registers) + ".json");
    std::ofstream(path) << to_json(g);
    return path;
}

std::string sentences(const DeviceProgram &program) {
    std::string all;
    for (const std::string &s : program.scheduled().feedback.sentences) {
        all += s + "\n";
    }
    return all;
}

}  // namespace

TEST_CASE("the report has what ptxas says") {
    struct Device {
        const char *gpu, *architecture;
    };
    size_t number = 0;
    for (const Device &d : {Device{"a100", "sm_80"}, {"h100", "sm_90"}, {"rtx4090", "sm_89"}}) {
        for (const char *name : {"log1pexp", "softmax", "layernorm", "dense_relu", "adam"}) {
            if (number++ % 3 > 0 && !all_cases()) {  // five of each: every device and every name is there
                continue;
            }
            INFO(name << " " << d.architecture);
            DeviceProgram program(named(name), Target(cuda_80), d.gpu, true);
            const ordered_json kernels = to_json(program.scheduled().report())["kernels"];
            REQUIRE(kernels.size() == 1);
            const std::string said = said_of(program, name, d.architecture);
            INFO(said);
            CHECK(kernels[0]["estimated"] == false);
            CHECK(kernels[0]["registers"] == most(said, "registers"));
            CHECK(kernels[0]["spill_bytes"] == 0);
            const KernelPrice &estimate = program.scheduled().planned.plan.groups[0].kernels[0];
            CHECK(kernels[0]["threads"] == estimate.resources.threads);
            if (std::string(name) !=
                "dense_relu") {  // whose last tile has as much as the caller's buffer asks for
                CHECK(kernels[0]["shared_bytes"] == shared_of(program, name));
            }
            CHECK(kernels[0]["shared_bytes"] <=
                  estimate.resources.shared_bytes);  // Halide uses some of it twice
            CHECK(kernels[0]["occupancy"] ==
                  occupancy(gpu_preset(d.gpu),
                            {kernels[0]["threads"], kernels[0]["registers"], kernels[0]["shared_bytes"]})
                      .share);
            CHECK(sentences(program) == std::string("feedback: 1 kernel assembled for ") + d.architecture +
                                            ", none spills (1 compile)\n");
            CHECK(to_text(program.scheduled().report()).find("; compiled, spills 0 B") != std::string::npos);
        }
    }
}

TEST_CASE("every kernel of every plan is found in the code") {
    for (const DeviceCase &c : some_device_cases(1, 3)) {
        INFO(c.name);
        const DeviceProgram program(c, Target(cuda_80), "", true);
        const Scheduled &s = program.scheduled();
        INFO(sentences(program));
        CHECK(s.feedback.kernels.size() == program.planned_kernels());
        CHECK(s.feedback.compiles >= 1);
        for (const ordered_json &k : to_json(s.report())["kernels"]) {
            CHECK(k["estimated"] == false);
            CHECK(k["registers"] > 0);
            CHECK(k["occupancy"] > 0);
        }
        const std::string without = to_string(DeviceProgram(c, Target(cuda_80)).scheduled().planned.plan);
        CHECK((s.feedback.compiles == 1) <= (without == to_string(s.planned.plan)));  // nothing spills
    }
}

TEST_CASE("what spills is planned again") {
    // As many values at once as a thread has registers: most are the output's own, some are Funcs that a plan
    // would rather inline.
    using namespace Halide;
    Var x("x");
    ImageParam in(Float(32), 1, "in");
    in.dim(0).set_estimate(0, 1 << 20);
    std::vector<Expr> values;
    for (int k = 0; k < 38; k++) {
        values.push_back(exp(in(x) * (0.5f + static_cast<float>(k))));
    }
    for (int k = 0; k < 16; k++) {
        Func part("part" + std::to_string(k));
        part(x) = exp(in(x) * (0.25f - static_cast<float>(k)));
        values.push_back(part(x));
    }
    Expr up = 1.0f, down = 1.0f;
    for (size_t k = 0; k < values.size(); k++) {
        up = up * 0.5f + values[k];
        down = down * values[values.size() - 1 - k] + 1.0f;
    }
    Func out("out");
    out(x) = up * down;
    out.set_estimates({{0, 1 << 20}});

    Parameters p;
    p.gpu = device_of(56);
    p.feedback = true;
    const Pipeline pipeline(out);
    const Target target(cuda_80);
    const Machine machine = choose_machine(target, p);
    const Graph graph = read_graph(pipeline, target, Numerics::fast, false);
    const Feedback first = learn({pipeline, target, graph, machine},
                                 plan_greedy(graph, machine, p.rules(machine)), Replan());  // only looked at
    const Scheduled s = schedule(pipeline, target, p, true);
    std::string said;
    Bytes spilled = 0;
    for (const std::string &one : s.feedback.sentences) {
        said += one + "\n";
    }
    for (const CompiledKernel &k : s.feedback.kernels) {
        spilled += k.spill_bytes;
        CHECK(k.resources.registers <= 56);
    }
    INFO(said);
    CHECK(s.feedback.compiles > 1);
    CHECK(s.feedback.compiles <= most_compiles);
    CHECK_FALSE(s.feedback.limits.empty());
    CHECK(said.find("feedback: the kernel of out spills ") == 0);
    CHECK(said.find(" with 56 registers a thread, where ") != std::string::npos);
    CHECK(said.find("planned again with at most 1 value at once in a thread instead of 4") !=
          std::string::npos);
    CHECK(to_json(s.report())["notes"].dump().find("feedback: the kernel of out spills") !=
          std::string::npos);
    CHECK(first.compiles == 1);
    REQUIRE(first.kernels.size() == 1);
    CHECK(spilled * 4 < first.kernels[0].spill_bytes);
}
