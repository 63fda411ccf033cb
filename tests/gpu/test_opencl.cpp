// Every generator that has schedules for GPUs, planned for OpenCL and run on whatever device there is (PoCL:
// this CPU), against the unfused program on the CPU. By default two or three of each kind; all of them with
// EUTECTIC_ALL_CASES set.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "tests/gpu/device_program.h"
#include "tests/gpu/same_results.h"
#include "tests/support/all_cases.h"
#include "tests/support/occurrences.h"

using namespace eutectic;
using namespace eutectic::test;
using Halide::Target;

TEST_CASE("on the device as on the CPU") {
    if (!has_opencl()) {
        return;
    }
    const Target host = Halide::get_jit_target_from_environment(), opencl = host.with_feature(Target::OpenCL);
    for (const DeviceCase &c : some_device_cases(0, 3)) {
        INFO(c.name);
        DeviceProgram device(c, opencl), reference(c, host);
        INFO(device.scheduled().source);
        if (c.kernels > 0) {
            CHECK(device.planned_kernels() == static_cast<size_t>(c.kernels));
        }
        CHECK(static_cast<size_t>(occurrences(device.device_code(c.name + ".cl"),
                                              "__kernel void _kernel_")) == device.kernels_in_code());
        CHECK(to_json(device.scheduled().report()).at("kernels").size() == device.planned_kernels());
        CHECK(to_text(device.scheduled().report()).find("kernel: ") != std::string::npos);
        for (size_t s = 0; s < c.sizes.size(); s++) {
            INFO("sizes " << s);
            check_same(device.run(c.sizes[s], s + 1), reference.run(c.sizes[s], s + 1));
        }
    }
}

TEST_CASE("rows by warps, whose lanes are threads here") {
    if (!has_opencl()) {
        return;
    }
    const Target host = Halide::get_jit_target_from_environment(), opencl = host.with_feature(Target::OpenCL);
    size_t one = 0, several = 0, number = 0;
    for (const DeviceCase &c : row_cases()) {
        // Of each generator a short row and a long one; or of one the one, of the next the other.
        const size_t of_four = number++ % 4;
        if (!all_cases() && (of_four == 0 || of_four == 3)) {
            continue;
        }
        INFO(c.name);
        DeviceProgram device(c, opencl, slow_barriers(1e-6)), reference(c, host);
        INFO(device.scheduled().source);
        REQUIRE(device.planned_kernels() == 1);
        const Group &g = device.scheduled().planned.plan.groups[0];
        CHECK(g.policy == "gpu_warps");
        (to_string(g.tree.nests()[0].nest).find("d1 thread") != std::string::npos ? one : several)++;
        for (size_t s = 0; s < c.sizes.size(); s++) {
            INFO("sizes " << s);
            check_same(device.run(c.sizes[s], s + 1), reference.run(c.sizes[s], s + 1));
        }
    }
    CHECK(one > 0);
    CHECK(several > 0);
}

TEST_CASE("chunks of which each thread sums up one point") {
    if (!has_opencl()) {
        return;
    }
    const Target host = Halide::get_jit_target_from_environment();
    DeviceCase c = *std::find_if(device_cases().begin(), device_cases().end(),
                                 [](const DeviceCase &d) { return d.name == "log_softmax"; });
    c.disable = {"sum_online"};  // which saves one of the sums
    DeviceProgram device(c, host.with_feature(Target::OpenCL), slow_barriers(1e-5)), reference(c, host);
    const std::vector<Group> &groups = device.scheduled().planned.plan.groups;
    CHECK(std::any_of(groups.begin(), groups.end(),
                      [](const Group &g) { return g.policy == "gpu_split_sum"; }));
    for (size_t s = 0; s < c.sizes.size(); s++) {
        check_same(device.run(c.sizes[s], s + 1), reference.run(c.sizes[s], s + 1));
    }
}

TEST_CASE("transposes go through shared memory, at every size") {
    using namespace Halide;
    if (!has_opencl()) {
        return;
    }
    const Target opencl = get_jit_target_from_environment().with_feature(Target::OpenCL);
    for (const bool batched : {false, true}) {
        Var i("i"), j("j"), s("s");
        ImageParam x(Float(32), batched ? 3 : 2, "x");
        Func y("y");
        if (batched) {
            y(j, s, i) = 2 * x(i, s, j) + 1;
            y.set_estimates({{0, 3000}, {0, 4}, {0, 2000}});
            x.set_estimates({{0, 2000}, {0, 4}, {0, 3000}});
        } else {
            y(j, i) = 2 * x(i, j) + 1;
            y.set_estimates({{0, 3000}, {0, 2000}});
            x.set_estimates({{0, 2000}, {0, 3000}});
        }
        const Scheduled scheduled = schedule(Pipeline(y), opencl, Parameters(), false);
        CHECK(scheduled.planned.plan.groups.back().policy == "gpu_turned");
        for (const auto &[columns, rows] :
             std::vector<std::pair<int, int>>{{1, 1}, {3, 70}, {32, 32}, {33, 31}, {257, 65}}) {
            const int middle = batched ? 2 : 1;
            Buffer<float> in = batched ? Buffer<float>(rows, middle, columns) : Buffer<float>(rows, columns);
            Buffer<float> out = batched ? Buffer<float>(columns, middle, rows) : Buffer<float>(columns, rows);
            in.for_each_element([&](const int *at) {
                in(at) = static_cast<float>(at[0] + 1000 * at[1] + (batched ? 7 * at[2] : 0));
            });
            in.set_host_dirty();
            x.set(in);
            y.realize(out, opencl);
            out.copy_to_host();
            size_t wrong = 0;
            out.for_each_element([&](const int *at) {
                const float expected = 2 * (batched ? in(at[2], at[1], at[0]) : in(at[1], at[0])) + 1;
                wrong += out(at) == expected ? 0 : 1;
            });
            INFO(columns << " columns, " << rows << " rows");
            CHECK(wrong == 0);
        }
    }
}

TEST_CASE("rows of which a mask leaves a part aside are one kernel, at every size") {
    using namespace Halide;
    if (!has_opencl()) {
        return;
    }
    const Target opencl = get_jit_target_from_environment().with_feature(Target::OpenCL);
    for (const bool warps : {false, true}) {
        Var i("i"), j("j");
        ImageParam x(Float(32), 2, "x");
        const RDom all(x.dim(0).min(), x.dim(0).extent(), "all");
        Func masked("masked"), largest("largest"), e("e"), sum("sum"), y("y");
        masked(j, i) = select(j <= i, x(j, i), -1e9f);
        largest(i) = -1e30f;
        largest(i) = max(largest(i), masked(all, i));
        e(j, i) = exp(masked(j, i) - largest(i));
        sum(i) = 0.0f;
        sum(i) += e(all, i);
        y(j, i) = e(j, i) / sum(i);
        const int longest = warps ? 30 : 16384;
        y.set_estimates({{0, longest}, {0, 40}});
        x.set_estimates({{0, longest}, {0, 40}});
        Parameters parameters;
        parameters.gpu = warps ? slow_barriers(1e-6) : "";
        parameters.disable = {"sum_online"};  // warps have no pairs
        const Scheduled scheduled = schedule(Pipeline(y), opencl, parameters, false);
        REQUIRE(scheduled.planned.plan.groups.size() == 1);
        CHECK(scheduled.planned.plan.groups[0].policy == (warps ? "gpu_warps" : "gpu_block"));
        for (const auto &[columns, rows] :
             std::vector<std::pair<int, int>>{{1, 1}, {3, 70}, {32, 32}, {257, 65}}) {
            Buffer<float> in(columns, rows), out(columns, rows);
            in.for_each_element(
                [&](int c, int r) { in(c, r) = static_cast<float>((7 * c + 3 * r) % 11) / 11; });
            in.set_host_dirty();
            x.set(in);
            y.realize(out, opencl);
            out.copy_to_host();
            double worst = 0;
            out.for_each_element([&](int c, int r) {
                double total = 0;
                for (int k = 0; k <= r && k < columns; k++) {
                    total += std::exp(static_cast<double>(in(k, r)));
                }
                const double expected = c <= r ? std::exp(static_cast<double>(in(c, r))) / total : 0;
                worst = std::max(worst, std::abs(out(c, r) - expected));
            });
            INFO(columns << " columns, " << rows << " rows, by warps: " << warps);
            CHECK(worst <= 1e-5);
        }
    }
}

TEST_CASE("several heads of attention: each block computes what its product needs of its rows") {
    using namespace Halide;
    if (!has_opencl()) {
        return;
    }
    const Target opencl = get_jit_target_from_environment().with_feature(Target::OpenCL);
    Var j("j"), i("i"), h("h");
    ImageParam x(Float(32), 3, "x"),
        v(Float(32), 3, "v");  // scores (key, query, head), values (column, key, head)
    const RDom keys(x.dim(0).min(), x.dim(0).extent(), "keys");
    Func largest("largest"), e("e"), sum("sum"), c("c"), y("y");
    largest(i, h) = -1e30f;
    largest(i, h) = max(largest(i, h), x(keys, i, h));
    e(j, i, h) = exp(x(j, i, h) - largest(i, h));
    sum(i, h) = 0.0f;
    sum(i, h) += e(keys, i, h);
    c(j, i, h) = 0.0f;
    c(j, i, h) += e(keys, i, h) / sum(i, h) * v(j, keys, h);
    y(j, i, h) = 2 * c(j, i, h);
    x.set_estimates({{0, 512}, {0, 512}, {0, 8}});
    v.set_estimates({{0, 64}, {0, 512}, {0, 8}});
    y.set_estimates({{0, 64}, {0, 512}, {0, 8}});
    const Scheduled scheduled = schedule(Pipeline(y), opencl, Parameters(), false);
    REQUIRE(scheduled.planned.plan.groups.size() == 1);
    CHECK(scheduled.planned.plan.groups[0].policy == "gpu_shared_tile");
    struct Size {
        int columns, queries, keys, heads;
    };
    for (const Size &s :
         {Size{64, 64, 130, 2}, {65, 67, 128, 1}, {1, 1, 1, 1}, {7, 9, 200, 3}, {70, 3, 65, 2}}) {
        Buffer<float> scores(s.keys, s.queries, s.heads), values(s.columns, s.keys, s.heads),
            out(s.columns, s.queries, s.heads);
        scores.for_each_element([&](int k, int q, int n) {
            scores(k, q, n) = static_cast<float>((7 * k + 3 * q + 5 * n) % 13) / 4;
        });
        values.for_each_element([&](int d, int k, int n) {
            values(d, k, n) = static_cast<float>((5 * d + 11 * k + n) % 17) / 17;
        });
        scores.set_host_dirty();
        values.set_host_dirty();
        x.set(scores);
        v.set(values);
        y.realize(out, opencl);  // throws when it would read beside its inputs
        out.copy_to_host();
        double worst = 0;
        out.for_each_element([&](int d, int q, int n) {
            double weights = 0, weighted = 0;
            for (int k = 0; k < s.keys; k++) {
                const double w = std::exp(static_cast<double>(scores(k, q, n)));
                weights += w;
                weighted += w * static_cast<double>(values(d, k, n));
            }
            worst = std::max(worst, std::abs(static_cast<double>(out(d, q, n)) - 2 * weighted / weights));
        });
        INFO(s.columns << " columns, " << s.queries << " queries, " << s.keys << " keys, " << s.heads
                       << " heads");
        CHECK(worst <= 1e-5);
    }
}
