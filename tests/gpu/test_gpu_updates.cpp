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

/** Whether a term counts, data say, of the whole row. */
Program behind_data() {
    const ImageParam in = image("in", {columns, rows});
    RDom r(0, layers);
    r.where(in(0, y) > 0.1f * r);
    Func f("f"), out("out");
    f(x, y) = Tuple(in(x, y), 1);
    f(x, y) = Tuple(f(x, y)[0] * 0.5f + r, f(x, y)[1] + f(x, y)[1] / 2);
    out(x, y) = f(x, y)[0] + f(x, y)[1];
    estimate(out, {columns, rows});
    return {{in}, {out}, {}};
}
Program counted_where_data_say() {
    const ImageParam in = image("in", {columns, rows});
    RDom r(0, in.dim(0).extent(), 0, in.dim(1).extent());
    r.where(in(r.x, r.y) > 0.0f);
    Func h("h");
    h(x) = 0;
    h(clamp(cast<int>(in(r.x, r.y) * 16), 0, 15)) += r.x;
    estimate(h, {16});
    return {{in}, {h}, {}};
}

Program behind_data_of_each_point() {
    const ImageParam in = image("in", {columns, rows});
    RDom r(0, layers);
    r.where(in(x, y) > 0.1f * r && r != 2);
    Func f("f");
    f(x, y) = in(x, y);
    f(x, y) = f(x, y) * 0.5f + r;
    estimate(f, {columns, rows});
    return {{in}, {f}, {}};
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

/** Of each row, or of all rows together: the first smallest value and its place. */
Program place_of_least(int rows_of, bool together) {
    const ImageParam in = image("in", {8 * columns, rows_of});
    const RDom r =
        together ? RDom(0, in.dim(0).extent(), 0, in.dim(1).extent()) : RDom(0, in.dim(0).extent());
    Func best("best"), out("out");
    best(y) = Tuple(10.0f, -1, -1);
    const Expr v = floor(in(r.x, together ? Expr(r[r.dimensions() - 1]) : Expr(y)) * 5),
               better = v < best(y)[0];
    best(y) = Tuple(select(better, v, best(y)[0]), select(better, r.x, best(y)[1]),
                    select(better, r[r.dimensions() - 1], best(y)[2]));
    out(y) = best(y)[0] + 10 * best(y)[1] + 10000 * best(y)[2];
    estimate(out, {together ? 1 : rows_of});
    return {{in}, {out}, {}};
}
Program place_of_least_in_rows() {
    return place_of_least(rows, false);
}
Program place_of_least_of_all() {
    return place_of_least(rows, true);
}
Program moments() {
    const ImageParam in = image("in", {8 * columns, rows});
    const RDom r(0, in.dim(0).extent());
    Func sums("sums"), out("out");
    sums(y) = Tuple(0.0f, 0.0f, 1);
    const Expr v = in(r, y);
    sums(y) = Tuple(sums(y)[0] + v, sums(y)[1] + v * v, sums(y)[2] + 1);
    out(y) = (sums(y)[1] - sums(y)[0] * sums(y)[0] / sums(y)[2]) / sums(y)[2];
    estimate(out, {rows});
    return {{in}, {out}, {}};
}

/** Floats at places that they compute: counts of all, rows of a table, Tuples. */
Program weights_of_all() {
    const ImageParam in = image("in", {8 * columns, rows});
    const RDom r(0, in.dim(0).extent(), 0, in.dim(1).extent());
    Func h("h");
    h(x) = 1.0f;
    h(clamp(cast<int>(in(r.x, r.y) * 16), 0, 15)) += in(r.x, r.y);
    estimate(h, {16});
    return {{in}, {h}, {}};
}
Program rows_of_table() {
    const ImageParam in = image("in", {columns, 32 * rows});
    const RDom r(0, in.dim(1).extent());
    Func h("h");
    h(x, y) = 0.0f;
    h(x, clamp(cast<int>(in(0, r) * 16), 0, 15)) += in(x, r);
    estimate(h, {columns, 16});
    return {{in}, {h}, {}};
}
Program short_counts() {
    const ImageParam in = image("in", {8 * columns, rows});
    const RDom r(0, in.dim(0).extent(), 0, in.dim(1).extent());
    Func h("h");
    h(x) = Tuple(cast<uint16_t>(0), 1.0f);
    const Expr at = clamp(cast<int>(in(r.x, r.y) * 16), 0, 15);
    h(at) = Tuple(h(at)[0] + cast<uint16_t>(1), h(at)[1] + in(r.x, r.y));
    Func out("out");
    out(x) = h(x)[0] + 100 * h(x)[1];
    estimate(out, {16});
    return {{in}, {out}, {}};
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

TEST_CASE("reductions of Tuples, and floats at computed places, have threads for their terms") {
    const Target host = get_jit_target_from_environment(), opencl = host.with_feature(Target::OpenCL);
    struct Case {
        Program (*make)();
        const char *mechanism;
        std::vector<Sizes> sizes;
        int64_t threads = 4 * rows;  // of one kernel, at least
    };
    const auto all = [](std::vector<std::pair<int, int>> inputs, std::vector<int> out) {
        std::vector<Sizes> sizes;
        for (const auto &[width, height] : inputs) {
            const std::vector<int> of_rows = out.empty() ? std::vector<int>{height} : out;
            sizes.push_back({{{width, height}}, {of_rows}});
        }
        return sizes;
    };
    const std::vector<std::pair<int, int>> shapes = {{8 * columns, rows}, {37, 23}, {300, 3}, {1, 1}};
    for (const Case &c : {Case{place_of_least_in_rows, "reduce_in_lanes", all(shapes, {})},
                          Case{place_of_least_of_all, "reduce_in_lanes", all(shapes, {1}), 64},
                          Case{moments, "reduce_in_lanes", all(shapes, {})},
                          Case{weights_of_all, ".rfactor(", all(shapes, {16})},
                          Case{short_counts, ".rfactor(", all(shapes, {16})},
                          Case{rows_of_table, ".rfactor(", all({{columns, 32 * rows}, {5, 77}}, {5, 16})}}) {
        const Program reference = c.make();
        compute_all_at_root(reference);
        const Program program = c.make();
        const Scheduled s = schedule(Pipeline(program.outputs), opencl, {}, false);
        INFO(s.source);
        CHECK(s.source.find(c.mechanism) != std::string::npos);
        int64_t most = 0;
        for (const Group &group : s.planned.plan.groups) {
            for (const KernelPrice &k : group.kernels) {
                most = std::max<int64_t>(most, static_cast<int64_t>(k.blocks) * k.resources.threads);
            }
        }
        CHECK(most >= c.threads);
        if (!has_opencl()) {
            continue;
        }
        Compiled device(c.make(), opencl), serial(reference, host);
        autoschedule(device.pipeline(), opencl, {});
        for (const Sizes &sizes : c.sizes) {
            INFO(sizes.inputs[0][0] << " x " << sizes.inputs[0][1]);
            check_same(values(device.run(sizes)[0]), values(serial.run(sizes)[0]));
        }
    }
}

TEST_CASE("what a condition reads is inside the data, whatever is left of the last block") {
    if (!has_opencl()) {
        return;
    }
    const Target host = get_jit_target_from_environment(), opencl = host.with_feature(Target::OpenCL);
    const Program reference = counted_where_data_say();
    compute_all_at_root(reference);
    Compiled device(counted_where_data_say(), opencl), serial(reference, host);
    INFO(autoschedule(device.pipeline(), opencl, {}));
    for (const auto &[width, height] : {std::pair(columns, rows), {37, 23}, {3, 130}, {1, 1}}) {
        const Sizes sizes{{{width, height}}, {{16}}};
        INFO(width << " x " << height);
        CHECK(difference(values(device.run(sizes)[0]), values(serial.run(sizes)[0])).largest == 0);
    }
}

TEST_CASE("updates have threads along their own dims, and the values of the loops as they are defined") {
    if (!has_opencl()) {
        return;
    }
    const Target host = get_jit_target_from_environment(), opencl = host.with_feature(Target::OpenCL);
    for (const auto &make : {scan_of_rows, recurrence_along_rows, tuple_behind_condition, behind_data,
                             behind_data_of_each_point, edges, histogram_of_each_row}) {
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
