// Rows of a fixed length in the registers of the threads that read them, run through OpenCL (PoCL: on this
// CPU), where lanes are threads, against the unfused program on the CPU. By default a third of the lengths,
// numbers and generators of rows; all of them with EUTECTIC_ALL_CASES set.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "generators/ops.h"
#include "schedules/directive.h"
#include "tests/gpu/device_program.h"
#include "tests/gpu/rows_in_registers.h"
#include "tests/gpu/same_results.h"
#include "tests/support/all_cases.h"
#include "tests/support/pipelines.h"

using namespace eutectic;
using namespace eutectic::test;
using Halide::Target;

TEST_CASE("by one warp and by several, at lengths that are no multiple of their lanes") {
    if (!has_opencl()) {
        return;
    }
    const Target host = Halide::get_jit_target_from_environment(), opencl = host.with_feature(Target::OpenCL);
    size_t one = 0, several = 0, number = 0;
    for (const int columns : {1, 5, 33, 250, 1031}) {
        for (const int rows : {40, 1}) {  // of one row a block has the warps
            for (const DeviceCase &c :
                 columns <= 32 && rows == 1 ? std::vector<DeviceCase>() : fixed_row_cases(columns, rows)) {
                if (number++ % 7 > 0 && !all_cases()) {  // every length is there, and every generator
                    continue;
                }
                DeviceProgram reference(c, host);
                for (const bool keep : rows == 1 ? std::vector<bool>{true} : std::vector<bool>{false, true}) {
                    INFO(c.name << " of " << rows << " rows" << (keep ? ", with values kept" : ""));
                    DeviceProgram device(c, opencl, [&](const Graph &g, const Machine &m) {
                        return rows_in_registers(g, m, keep);
                    });
                    INFO(device.scheduled().source);
                    const Group &g = device.scheduled().planned.plan.groups[0];
                    (to_string(g.tree.nests()[0].nest).find("d1 thread") != std::string::npos ? one
                                                                                              : several)++;
                    for (size_t s = 0; s < c.sizes.size(); s++) {
                        INFO("sizes " << s);
                        check_same(device.run(c.sizes[s], s + 1), reference.run(c.sizes[s], s + 1));
                    }
                }
            }
        }
    }
    CHECK(one > 0);
    CHECK(several > 0);
}

TEST_CASE("as plans have them, among other kernels") {
    if (!has_opencl()) {
        return;
    }
    const Target host = Halide::get_jit_target_from_environment(), opencl = host.with_feature(Target::OpenCL);
    size_t kept = 0;
    for (DeviceCase c : device_cases()) {
        if (c.name != "layernorm_backward" && c.name != "softmax_xent" && c.name != "softmax") {
            continue;
        }
        c.parameters = {{"cols", "1031"}, {"fixed_cols", "true"}, {"rows", "4096"}};
        c.sizes = {{{"c", 1031}, {"r", 70}}, {{"c", 1031}, {"r", 1}}};
        INFO(c.name);
        DeviceProgram device(c, opencl), reference(c, host);
        INFO(device.scheduled().source);
        const std::vector<Group> &groups = device.scheduled().planned.plan.groups;
        kept += static_cast<size_t>(std::count_if(
            groups.begin(), groups.end(), [](const Group &g) { return g.policy == "gpu_registers"; }));
        for (size_t s = 0; s < c.sizes.size(); s++) {
            INFO("sizes " << s);
            check_same(device.run(c.sizes[s], s + 1), reference.run(c.sizes[s], s + 1));
        }
    }
    CHECK(kept >= 3);
}

TEST_CASE("the cross entropy of rows, whose logits are in registers but for that of the label") {
    using namespace Halide;
    if (!has_opencl()) {
        return;
    }
    const Target opencl = get_jit_target_from_environment().with_feature(Target::OpenCL);
    for (const int columns :
         all_cases() ? std::vector<int>{1, 5, 33, 250, 1031} : std::vector<int>{33, 1031}) {
        const ImageParam z = image("z", {columns, 40}), labels = image("labels", {40}, Int(32));
        Func loss = row_cross_entropy(z, RDom(z.dim(0).min(), z.dim(0).extent(), "c"), labels);
        const int first = columns == 33 ? 2 : 0;
        ImageParam(z).dim(0).set_bounds(first, columns);
        estimate(loss, {40});
        const Graph graph = read_graph(Pipeline(loss), opencl, Numerics::fast, false);
        const FusionPlan plan = rows_in_registers(graph, choose_machine(opencl, Parameters()), false);
        const Schedule directives = emit(graph, plan);
        INFO(print(directives));
        CHECK(print(directives).find(".in({row_max") != std::string::npos);
        apply(directives, Pipeline(loss));
        for (const int rows : {40, 1, 67}) {
            Buffer<float> in(columns, rows), out(rows);
            Buffer<int32_t> at(rows);
            in.set_min(first, 0);
            in.for_each_element(
                [&](int c, int r) { in(c, r) = static_cast<float>((7 * c + 3 * r) % 23) / 4; });
            at.for_each_element([&](int r) { at(r) = first + (5 * r) % (columns + 2) - 1; });  // some outside
            in.set_host_dirty();
            at.set_host_dirty();
            ImageParam(z).set(in);
            ImageParam(labels).set(at);
            loss.realize(out, opencl);
            out.copy_to_host();
            double worst = 0;
            for (int r = 0; r < rows; r++) {
                double sum = 0;
                for (int c = first; c < first + columns; c++) {
                    sum += std::exp(static_cast<double>(in(c, r)));
                }
                const double expected =
                    std::log(sum) - static_cast<double>(in(std::clamp(at(r), first, first + columns - 1), r));
                worst =
                    std::max(worst, std::isfinite(out(r)) ? std::abs(static_cast<double>(out(r)) - expected)
                                                          : HUGE_VAL);
            }
            INFO(columns << " columns, " << rows << " rows");
            CHECK(worst <= 1e-5);
        }
    }
}

TEST_CASE("rows whose number is known, too") {
    using namespace Halide;
    if (!has_opencl()) {
        return;
    }
    const Target opencl = get_jit_target_from_environment().with_feature(Target::OpenCL);
    const int columns = 33;
    for (const int rows : {1, 7, 40}) {
        ImageParam x = image("x", {columns, rows});
        Func y("y");
        define_softmax(y, x, RDom(x.dim(0).min(), x.dim(0).extent(), "c"));
        x.dim(0).set_bounds(0, columns).dim(1).set_bounds(0, rows);
        y.output_buffer().dim(0).set_bounds(0, columns).dim(1).set_bounds(0, rows);
        const Graph graph = read_graph(Pipeline(y), opencl, Numerics::fast, false);
        const Schedule directives =
            emit(graph, rows_in_registers(graph, choose_machine(opencl, Parameters()), true));
        INFO(print(directives));
        apply(directives, Pipeline(y));
        Buffer<float> in(columns, rows), out(columns, rows);
        in.for_each_element([&](int c, int r) { in(c, r) = static_cast<float>((7 * c + 3 * r) % 23) / 4; });
        in.set_host_dirty();
        x.set(in);
        y.realize(out, opencl);
        out.copy_to_host();
        double worst = 0;
        out.for_each_element([&](int c, int r) {
            double sum = 0;
            for (int k = 0; k < columns; k++) {
                sum += std::exp(static_cast<double>(in(k, r)));
            }
            const double expected = std::exp(static_cast<double>(in(c, r))) / sum;
            worst =
                std::max(worst, std::isfinite(out(c, r)) ? std::abs(static_cast<double>(out(c, r)) - expected)
                                                         : HUGE_VAL);
        });
        INFO(rows << " rows");
        CHECK(worst <= 1e-6);
    }
}
