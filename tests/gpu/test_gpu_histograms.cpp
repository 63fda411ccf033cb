// Integers added at a few computed places: each block of threads has a copy of all results in its shared
// memory. Run through OpenCL (PoCL: on this CPU), against the serial program on the CPU.

#include <doctest/doctest.h>

#include "fusion/plan/grade.h"
#include "schedules/autoschedule.h"
#include "tests/gpu/device_program.h"
#include "tests/gpu/same_results.h"
#include "tests/schedules/jit_run.h"
#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic;
using namespace eutectic::test;

namespace {

constexpr int columns = 1000, rows = 600;

Var x("x"), y("y"), c("c");

Expr bin(const Expr &value, int bins) {
    return clamp(cast<int>(value * bins), 0, bins - 1);
}

Program histogram() {
    const ImageParam in = image("in", {columns, rows});
    const RDom r(0, in.dim(0).extent(), 0, in.dim(1).extent());
    Func h("h");
    h(x) = 0;
    h(bin(in(r.x, r.y), 256)) += 1;
    h.bound(x, 0, 256);
    estimate(h, {256});
    return {{in}, {h}, {}};
}

/** Of neighbours, as texture features have it: pairs of levels; counted twice at the diagonal. */
Program pairs_of_neighbours() {
    const ImageParam in = image("in", {columns, rows});
    const RDom r(0, max(in.dim(0).extent() - 1, 0), 0, in.dim(1).extent());
    Func h("h");
    h(x, y) = 1;
    h(bin(in(r.x, r.y), 16), bin(in(r.x + 1, r.y), 16)) += 1;
    h.bound(x, 0, 16).bound(y, 0, 16);
    estimate(h, {16, 16});
    return {{in}, {h}, {}};
}

/** One for each of three functions of the image: a dim of the update's own. */
Program of_three() {
    const ImageParam in = image("in", {columns, rows});
    const RDom r(0, in.dim(0).extent(), 0, in.dim(1).extent());
    Func h("h");
    h(x, c) = cast<uint32_t>(0);
    h(bin(in(r.x, r.y) * (c + 1) / 3, 32), c) += cast<uint32_t>(1 + c);
    h.bound(x, 0, 32).bound(c, 0, 3);
    estimate(h, {32, 3});
    return {{in}, {h}, {}};
}

Program largest_column() {
    const ImageParam in = image("in", {columns, rows});
    const RDom r(0, in.dim(0).extent(), 0, in.dim(1).extent());
    Func h("h");
    h(x) = -1;
    const Expr at = bin(in(r.x, r.y), 64);
    h(at) = max(h(at), r.x);
    h.bound(x, 0, 64);
    estimate(h, {64});
    return {{in}, {h}, {}};
}

/** In the middle of a pipeline, of one long row: the sum of all bins up to each. */
Program cumulated() {
    const ImageParam in = image("in", {columns * rows});
    const RDom r(0, in.dim(0).extent());
    Func h("h"), sums("sums");
    h(x) = 0;
    h(bin(in(r), 128)) += 1;
    const RDom up(1, 127);
    sums(x) = h(x);
    sums(up) += sums(up - 1);
    h.bound(x, 0, 128);
    sums.bound(x, 0, 128);
    estimate(sums, {128});
    return {{in}, {sums}, {}};
}

/** As many results as there are columns. */
Program of_any_size() {
    const ImageParam in = image("in", {columns, rows});
    const RDom r(0, in.dim(0).extent(), 0, in.dim(1).extent());
    Func h("h");
    h(x) = 0;
    h(clamp(cast<int>(in(r.x, r.y) * 16), 0, in.dim(0).extent() - 1)) += 1;
    estimate(h, {columns});
    return {{in}, {h}, {}};
}

/** More than a block has room for. */
Program of_many() {
    const ImageParam in = image("in", {columns, rows});
    const RDom r(0, in.dim(0).extent(), 0, in.dim(1).extent());
    Func h("h");
    h(x) = 0;
    h(bin(in(r.x, r.y), 100000)) += 1;
    h.bound(x, 0, 100000);
    estimate(h, {100000});
    return {{in}, {h}, {}};
}

/** What the policy said of the group that writes the last Func. */
std::string refusal(const Scheduled &s, const std::string &policy) {
    for (const Group &group : s.planned.plan.groups) {
        for (const std::string &sentence : group.refused) {
            if (sentence.rfind(policy, 0) == 0) {
                return sentence;
            }
        }
    }
    return "";
}

}  // namespace

TEST_CASE("integers at a few computed places are added up in each block's shared memory first") {
    const Target host = get_jit_target_from_environment(), opencl = host.with_feature(Target::OpenCL);
    struct Case {
        Program (*make)();
        std::vector<int> out;
    };
    for (const Case &k :
         {Case{histogram, {256}}, {pairs_of_neighbours, {16, 16}}, {of_three, {32, 3}}, {cumulated, {128}}}) {
        const Program reference = k.make();
        compute_all_at_root(reference);
        const Program program = k.make();
        const bool row = program.inputs[0].dimensions() == 1;
        const Scheduled s = schedule(Pipeline(program.outputs), opencl, {}, false);
        INFO(s.source);
        INFO(refusal(s, "gpu_shared_copies"));
        const auto &groups = s.planned.plan.groups;
        const auto group = std::find_if(groups.begin(), groups.end(),
                                        [](const Group &g) { return g.policy == "gpu_shared_copies"; });
        REQUIRE(group != groups.end());
        REQUIRE(group->kernels.size() == 2);
        CHECK(group->kernels[1].resources.threads >= 128);
        CHECK(group->kernels[1].blocks > 1);
        CHECK(grade(s.graph, s.planned.plan) == Grade::exact);
        if (!has_opencl()) {
            continue;
        }
        Compiled device(k.make(), opencl), serial(reference, host);
        autoschedule(device.pipeline(), opencl, {});
        for (const auto &[width, height] :
             {std::pair(columns, rows), {37, 23}, {3, 130}, {1500, 1}, {1, 1}, {1, 700}}) {
            const std::vector<int> in =
                row ? std::vector<int>{width * height} : std::vector<int>{width, height};
            INFO(width << " x " << height);
            const Sizes sizes{{in}, {k.out}};
            CHECK(difference(values(device.run(sizes)[0]), values(serial.run(sizes)[0])).largest == 0);
        }
    }
}

TEST_CASE("where there is no room for all results, at every size, it says so") {
    const Target opencl = get_jit_target_from_environment().with_feature(Target::OpenCL);
    const auto said = [&](Program (*make)()) {
        const Program program = make();
        return refusal(schedule(Pipeline(program.outputs), opencl, {}, false), "gpu_shared_copies");
    };
    CHECK(said(of_any_size) ==
          "gpu_shared_copies keeps all of h in a block's shared memory, and how many they are depends on the "
          "caller's buffers: bound() them, or set_bounds() of an output");
    CHECK(said(largest_column) ==
          "gpu_shared_copies updates shared memory atomically, which in this language are "
          "additions alone, and the update of h is none");
    const Program program = largest_column();
    const Target cuda = get_jit_target_from_environment().with_feature(Target::CUDA);
    CHECK(schedule(Pipeline(program.outputs), cuda, {}, false).planned.plan.groups.back().policy ==
          "gpu_shared_copies");
    CHECK(said(of_many) ==
          "gpu_shared_copies keeps all of h in a block's shared memory, which has room for 49152 "
          "bytes, and they are 400000");
}
