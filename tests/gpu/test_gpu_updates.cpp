// Updates of every kind on a device: each has threads along the dims that it writes at its own coordinates.
// Run through OpenCL (PoCL: on this CPU), against the serial program on the CPU.

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

constexpr int columns = 100, rows = 70, layers = 5;

Var x("x"), y("y");

Program scan_of_rows() {
    const ImageParam in = image("in", {columns, rows});
    const Expr height = in.dim(1).extent();
    const RDom r(1, max(height - 1, 0));
    Func f("f");
    f(x, y) = in(x, y);
    f(x, r) += 0.5f * f(x, r - 1);
    const Expr up = height - 1 - r;
    f(x, up) += 0.5f * f(x, up + 1);
    estimate(f, {columns, rows});
    return {{in}, {f}, {}};
}

Program recurrence_along_rows() {
    const ImageParam in = image("in", {columns, rows});
    const RDom r(2, max(in.dim(0).extent() - 2, 0));
    Func f("f");
    f(x, y) = in(x, y);
    f(r, y) += 0.5f * f(r - 1, y) - 0.25f * f(r - 2, y);
    estimate(f, {columns, rows});
    return {{in}, {f}, {}};
}

Program tuple_behind_condition() {
    const ImageParam in = image("in", {columns, rows});
    RDom r(0, layers);
    r.where(r % 3 != 1);
    Func f("f"), out("out");
    f(x, y) = Tuple(0.0f, 1.0f);
    const Expr seen = in(x, y) * f(x, y)[1] / (1 + r);
    f(x, y) = Tuple(f(x, y)[0] + seen, f(x, y)[1] - seen);
    out(x, y) = f(x, y)[0] + 0.5f * f(x, y)[1];
    estimate(out, {columns, rows});
    return {{in}, {out}, {}};
}

Program edges() {
    const ImageParam in = image("in", {columns, rows});
    Func f("f");
    f(x, y) = in(x, y) * 2;
    f(0, y) = in(0, y);
    f(x, 0) += in(x, 0);
    f(x, y) = max(f(x, y), 0.25f);
    estimate(f, {columns, rows});
    return {{in}, {f}, {}};
}

Program histogram_of_each_row() {
    const ImageParam in = image("in", {columns, rows});
    const RDom r(0, in.dim(0).extent());
    Func h("h");
    h(x, y) = 0.0f;
    h(clamp(cast<int>(in(r, y) * 16), 0, in.dim(0).extent() - 1), y) += 1.0f;
    estimate(h, {columns, rows});
    return {{in}, {h}, {}};
}

/** Terms of integers at places that they compute. `add`: how one goes to what is there. */
Program scattered(Expr (*add)(Expr, Expr), const Type &type, bool by_column = false) {
    const ImageParam in = image("in", {columns, rows});
    RDom r(0, in.dim(0).extent(), 0, in.dim(1).extent());
    r.where((r.x + r.y) % 3 != 1);
    Func h("h");
    h(x, y) = cast(type, 1);
    const Expr at = clamp(cast<int>(in(r.x, r.y) * 16), 0, in.dim(0).extent() - 1);
    const Expr row = by_column ? r.x % in.dim(1).extent() : Expr(0);
    h(at, row) = add(h(at, row), cast(type, 2 * r.x + 6 * r.y + 1));
    estimate(h, {columns, rows});
    return {{in}, {h}, {}};
}

Expr plus(Expr a, Expr b) {
    return a + b;
}
Expr largest(Expr a, Expr b) {
    return max(a, b);
}
Expr smallest(Expr a, Expr b) {
    return min(b, a);
}
Expr times(Expr a, Expr b) {
    return a * b;
}
Program sums() {
    return scattered(plus, Int(32));
}
Program sums_without_sign() {
    return scattered(plus, UInt(32), true);
}
Program maxima() {
    return scattered(largest, Int(32), true);
}
Program minima() {
    return scattered(smallest, UInt(32));
}
Program products() {
    return scattered(times, UInt(32));
}

/** A row of counts for each of the rows, and a reduction of three variables. */
Program counts_of_columns() {
    const ImageParam in = image("in", {columns, rows});
    const RDom r(0, in.dim(0).extent(), 0, 3, 0, 2);
    Func h("h");
    h(x, y) = 0;
    h(clamp(cast<int>(in(r.x, y) * 16) + r.y, 0, in.dim(0).extent() - 1), y) += r.z + 1;
    estimate(h, {columns, rows});
    return {{in}, {h}, {}};
}

Program in_bytes() {
    return scattered(plus, UInt(8));
}
Program in_floats() {
    return scattered(plus, Float(32));
}

}  // namespace

TEST_CASE("threads share the terms of integers at computed places, and add them by atomic operations") {
    const Target host = get_jit_target_from_environment(), opencl = host.with_feature(Target::OpenCL);
    for (const auto &make : {sums, sums_without_sign, maxima, minima, products, counts_of_columns}) {
        const Program reference = make();
        compute_all_at_root(reference);
        const Program program = make();
        const Scheduled s = schedule(Pipeline(program.outputs), opencl, {}, false);
        INFO(s.source);
        CHECK(s.source.find(".atomic()") != std::string::npos);
        const Group &group = s.planned.plan.groups.back();
        REQUIRE(group.kernels.size() == 2);
        CHECK(group.kernels[1].resources.threads >= 32);
        CHECK(group.kernels[1].blocks * group.kernels[1].resources.threads >= columns);
        CHECK(grade(s.graph, s.planned.plan) == Grade::exact);
        if (!has_opencl()) {
            continue;
        }
        Compiled device(make(), opencl), serial(reference, host);
        autoschedule(device.pipeline(), opencl, {});
        for (const auto &[width, height] : {std::pair(columns, rows), {37, 23}, {3, 130}, {1, 1}}) {
            const Sizes sizes{{{width, height}}, {{width, height}}};
            INFO(width << " x " << height);
            CHECK(difference(values(device.run(sizes)[0]), values(serial.run(sizes)[0])).largest == 0);
        }
    }
    for (const auto &make : {in_bytes, in_floats}) {  // no such operations; no order of its own
        const Program program = make();
        CHECK(autoschedule(Pipeline(program.outputs), opencl, {}).find(".atomic()") == std::string::npos);
    }
}

TEST_CASE("updates have threads along their own dims, and the values of the loops as they are defined") {
    if (!has_opencl()) {
        return;
    }
    const Target host = get_jit_target_from_environment(), opencl = host.with_feature(Target::OpenCL);
    for (const auto &make :
         {scan_of_rows, recurrence_along_rows, tuple_behind_condition, edges, histogram_of_each_row}) {
        const Program reference = make();
        compute_all_at_root(reference);
        Compiled device(make(), opencl), serial(reference, host);
        const std::string source = autoschedule(device.pipeline(), opencl, {});
        INFO(source);
        CHECK(source.find("one_thread") == std::string::npos);
        for (const auto &[width, height] : {std::pair(columns, rows), {37, 23}, {3, 130}}) {
            const Sizes sizes{{{width, height}}, {{width, height}}};
            INFO(width << " x " << height);
            CHECK(difference(values(device.run(sizes)[0]), values(serial.run(sizes)[0])).largest <
                  1e-5 * layers);
        }
    }
}
