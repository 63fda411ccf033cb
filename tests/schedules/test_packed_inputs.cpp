// Inputs that are handed over in panels: the values of the program that takes them as they are, compiled just
// in time, at sizes that fill the last panel and at sizes that do not.

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

#include "Halide.h"

#include "base/user_error.h"
#include "report/report.h"
#include "schedules/autoschedule.h"
#include "schedules/rewrites.h"
#include "tests/schedules/jit_run.h"
#include "tests/support/all_cases.h"
#include "tests/support/pipelines.h"
#include "tests/support/random.h"

using namespace Halide;
using namespace eutectic;
using namespace eutectic::test;

namespace {

Var i("i"), j("j"), n("n");

Target target(bool strict) {
    const Target host = get_jit_target_from_environment();
    return strict ? host.with_feature(Target::StrictFloat) : host;
}

Scheduled scheduled(const Pipeline &pipeline, const std::vector<std::string> &packed, const Target &t) {
    Parameters p;
    p.parallelism = 2;
    p.packed = packed;
    return schedule(pipeline, t, p, false);
}

Buffer<> filled(Type type, const std::vector<int> &extents, uint64_t seed) {
    Buffer<> buffer(type, extents);
    Random random(seed);
    const auto fill = [&](auto of) {
        Buffer<decltype(of)> typed = buffer;
        typed.for_each_value(
            [&](auto &x) { x = static_cast<decltype(of)>(random.below(2001) - 1000) / 1000; });
    };
    type == Float(64) ? fill(double()) : fill(float());
    return buffer;
}

/** The parameter that the Func of an input loads now: its panels, where it is read in those. */
Parameter loaded(const ImageParam &input) {
    return Func(input).function().definition().values()[0].as<Internal::Call>()->param;
}

/** What pack_panels() makes of the buffer of `input`. */
Buffer<> packed_buffer(const ImageParam &input, const PackedArgument &as, const std::vector<int> &extents) {
    const std::vector<int> order(as.panels.order.begin(), as.panels.order.end());
    const int columns = static_cast<int>(as.panels.columns),
              step = columns * static_cast<int>(as.panels.at_once);
    std::vector<int> sizes = {columns};
    for (size_t d = 1; d < order.size(); d++) {
        sizes.push_back(extents[order[d]]);
    }
    sizes.push_back((extents[order[0]] + step - 1) / step * static_cast<int>(as.panels.at_once));
    Buffer<> packed(input.type(), sizes);
    pack_panels(input.parameter(), order, columns, std::gcd(columns, 8)).realize(packed, target(false));
    return packed;
}

/** A program that takes some of its inputs in panels, compiled once for all sizes. */
class Packed {
public:
    Packed(const std::function<Program()> &make, const std::vector<std::string> &packed, bool strict)
        : program_(make()),
          pipeline_(program_.outputs),
          target_(target(strict)),
          scheduled_(scheduled(pipeline_, packed, target_)) {
        REQUIRE(scheduled_.packed.size() == packed.size());
        const bool reads = scheduled_.source.find("eutectic::read_panels(pipeline, ") != std::string::npos;
        CHECK(reads == !packed.empty());
    }

    /** Outputs of two calls with the same panels, which are the same. */
    std::vector<double> run(const Sizes &sizes) {
        for (size_t input = 0; input < program_.inputs.size(); input++) {
            ImageParam &p = program_.inputs[input];
            p.set(filled(p.type(), sizes.inputs[input], input + 1));
            for (const PackedArgument &as : scheduled_.packed) {
                if (as.input == p.name()) {
                    loaded(p).set_buffer(packed_buffer(p, as, sizes.inputs[input]));
                }
            }
        }
        const std::vector<double> first = realized(sizes);
        CHECK(realized(sizes) == first);
        return first;
    }

private:
    Program program_;
    Pipeline pipeline_;
    Target target_;
    Scheduled scheduled_;

    std::vector<double> realized(const Sizes &sizes) {
        const Buffer<> out(program_.outputs[0].type(), sizes.outputs[0]);
        pipeline_.realize(Realization({out}), target_);
        return values(out);
    }
};

struct Case {
    const char *name;
    std::function<Program()> make;
    std::vector<std::string> packed;
    std::vector<Sizes> sizes;
};

/** relu(x w + b); `transposed`: of w(k, j). */
Program layer(Type type, bool transposed, int m, int k, int columns) {
    ImageParam x(type, 2, "x"), w(type, 2, "w"), b(type, 1, "b");
    Func c("c"), y("y");
    const RDom r(x.dim(0).min(), x.dim(0).extent(), "r");
    c(j, i) = cast(type, 0);
    c(j, i) += x(r, i) * (transposed ? w(r, j) : w(j, r));
    y(j, i) = max(c(j, i) + b(j), cast(type, 0));
    x.set_estimates({{0, k}, {0, m}});
    w.set_estimates(transposed ? Halide::Region{{0, k}, {0, columns}} : Halide::Region{{0, columns}, {0, k}});
    b.set_estimates({{0, columns}});
    estimate(y, {columns, m});
    return {{x, w, b}, {y}, {}};
}

Sizes layer_sizes(bool transposed, int m, int k, int columns) {
    return {{{k, m}, transposed ? std::vector<int>{k, columns} : std::vector<int>{columns, k}, {columns}},
            {{columns, m}}};
}

std::vector<Sizes> sizes_of_layer(bool transposed) {
    std::vector<Sizes> all;
    for (const auto &[m, k, columns] : {std::array<int, 3>{128, 784, 256},
                                        {1, 1, 1},
                                        {13, 7, 33},
                                        {5, 300, 1000},
                                        {17, 64, 255},
                                        {2, 3, 48}}) {
        all.push_back(layer_sizes(transposed, m, k, columns));
    }
    return all;
}

/** The sum itself is the output. */
Program sum() {
    ImageParam x(Float(32), 2, "x"), w(Float(32), 2, "w");
    Func c("c");
    const RDom r(w.dim(1).min(), w.dim(1).extent(), "r");  // a size of w's that its panels tell
    c(j, i) = 0.0f;
    c(j, i) += x(r, i) * w(j, r);
    x.set_estimates({{0, 300}, {0, 64}});
    w.set_estimates({{0, 200}, {0, 300}});
    estimate(c, {200, 64});
    return {{x, w}, {c}, {}};
}

/** Two layers, of which each has a weight of its own. */
Program perceptron() {
    ImageParam x(Float(32), 2, "x"), v(Float(32), 2, "v"), w(Float(32), 2, "w");
    Func c("c"), h("h"), d("d"), y("y");
    const RDom r(x.dim(0).min(), x.dim(0).extent(), "r"), s(w.dim(1).min(), w.dim(1).extent(), "s");
    c(j, i) = 0.0f;
    c(j, i) += x(r, i) * v(j, r);
    h(j, i) = max(c(j, i), 0.0f);
    d(j, i) = 0.0f;
    d(j, i) += h(s, i) * w(j, s);
    y(j, i) = tanh(d(j, i));
    x.set_estimates({{0, 64}, {0, 128}});
    v.set_estimates({{0, 256}, {0, 64}});
    w.set_estimates({{0, 100}, {0, 256}});
    estimate(y, {100, 128});
    return {{x, v, w}, {y}, {}};
}

/** A weight for each product of a batch. */
Program batch() {
    ImageParam x(Float(32), 3, "x"), w(Float(32), 3, "w");
    Func c("c"), y("y");
    const RDom r(x.dim(0).min(), x.dim(0).extent(), "r");
    c(j, i, n) = 0.0f;
    c(j, i, n) += x(r, i, n) * w(j, r, n);
    y(j, i, n) = c(j, i, n) * 2.0f;
    x.set_estimates({{0, 64}, {0, 64}, {0, 16}});
    w.set_estimates({{0, 64}, {0, 64}, {0, 16}});
    estimate(y, {64, 64, 16});
    return {{x, w}, {y}, {}};
}

/** A filter of 3 x 3 points, zero outside of the image. */
Program convolution() {
    ImageParam x(Float(32), 3, "x"), w(Float(32), 4, "w");
    Func c("c"), y("y");
    const Func image = BoundaryConditions::constant_exterior(
        x, 0.0f, {{Expr(), Expr()}, {0, x.dim(1).extent()}, {0, x.dim(2).extent()}});
    const RDom r(0, x.dim(0).extent(), 0, 3, 0, 3, "r");
    c(j, i, n) = 0.0f;
    c(j, i, n) += image(r.x, i + r.y - 1, n + r.z - 1) * w(j, r.x, r.y, r.z);
    y(j, i, n) = max(c(j, i, n), 0.0f);
    x.set_estimates({{0, 64}, {0, 56}, {0, 56}});
    w.set_estimates({{0, 64}, {0, 64}, {0, 3}, {0, 3}});
    estimate(y, {64, 56, 56});
    return {{x, w}, {y}, {}};
}

std::vector<Case> cases() {
    return {
        {"a layer", [] { return layer(Float(32), false, 128, 784, 256); }, {"w"}, sizes_of_layer(false)},
        {"transposed", [] { return layer(Float(32), true, 128, 784, 256); }, {"w"}, sizes_of_layer(true)},
        {"doubles", [] { return layer(Float(64), false, 128, 784, 256); }, {"w"}, sizes_of_layer(false)},
        {"in chunks", [] { return layer(Float(32), false, 64, 16384, 256); }, {"w"}, sizes_of_layer(false)},
        {"large", [] { return layer(Float(32), false, 1024, 1024, 1024); }, {"w"}, sizes_of_layer(false)},
        {"one row", [] { return layer(Float(32), false, 1, 4096, 4096); }, {"w"}, sizes_of_layer(false)},
        {"few columns", [] { return layer(Float(32), false, 128, 64, 10); }, {"w"}, sizes_of_layer(false)},
        {"the sum itself",
         sum,
         {"w"},
         {{{{300, 64}, {200, 300}}, {{200, 64}}}, {{{7, 5}, {19, 7}}, {{19, 5}}}}},
        {"two layers",
         perceptron,
         {"v", "w"},
         {{{{64, 128}, {256, 64}, {100, 256}}, {{100, 128}}}, {{{5, 3}, {29, 5}, {11, 29}}, {{11, 3}}}}},
        {"a batch",
         batch,
         {"w"},
         {{{{64, 64, 16}, {64, 64, 16}}, {{64, 64, 16}}}, {{{9, 5, 3}, {21, 9, 3}}, {{21, 5, 3}}}}},
        {"a convolution",
         convolution,
         {"w"},
         {{{{64, 56, 56}, {64, 64, 3, 3}}, {{64, 56, 56}}}, {{{5, 9, 7}, {19, 5, 3, 3}}, {{19, 9, 7}}}}},
    };
}

void check_refused(const std::function<Program()> &make, const std::vector<std::string> &packed,
                   const std::string &sentence, const Target &t = target(false)) {
    const Program program = make();
    CHECK_THROWS_WITH_AS(scheduled(Pipeline(program.outputs), packed, t), sentence.c_str(), UserError);
}

}  // namespace

TEST_CASE("in panels all has the bits that it has otherwise, with fast numerics but for roundings of sums") {
    size_t number = 0;
    for (const Case &c : cases()) {
        if (number++ % 3 > 0 && !all_cases()) {
            continue;
        }
        Packed plain(c.make, {}, true), strict(c.make, c.packed, true), fast(c.make, c.packed, false);
        for (const Sizes &sizes : c.sizes) {
            INFO(c.name << ", " << sizes.outputs[0][0] << " columns");
            const std::vector<double> want = plain.run(sizes), got = fast.run(sizes);
            CHECK(strict.run(sizes) == want);
            double largest = 0, error = 0;
            for (size_t p = 0; p < want.size(); p++) {
                largest = std::max(largest, std::abs(want[p]));
                error = std::max(error, std::abs(want[p] - got[p]));
            }
            CHECK(error <= 1e-4 * std::max(1.0, largest));
        }
    }
}

TEST_CASE("what cannot be in panels is refused with the reason") {
    const auto dense = [] { return layer(Float(32), false, 128, 784, 256); };
    check_refused(dense, {"v"},
                  "The input v was asked for in panels (packed=v), but the pipeline reads no buffer of that "
                  "name (it reads x, w, b): leave v out of what is packed.");
    check_refused(dense, {"b"},
                  "The input b was asked for in panels (packed=b), but y, which reads it, is no product that "
                  "sums it up: leave b out of what is packed.");
    check_refused(
        dense, {"w"},
        "The input w was asked for in panels (packed=w), but kernels for a device copy their tiles of it "
        "to shared memory: leave w out of what is packed.",
        Target("x86-64-linux-avx2-cuda-cuda_capability_75"));
}

TEST_CASE("what no tile has for its columns is refused with what the policies say") {
    check_refused(
        [] { return layer(Float(32), false, 128, 784, 256); }, {"x"},
        "The input x was asked for in panels (packed=x), but no plan computes c in tiles of registers "
        "along it (register_tile has no tile whose columns are a panel's, with nothing else read along "
        "them): leave x out of what is packed.");
    // Along the columns a tile at an edge would read a start that is not there.
    check_refused(
        [] {
            ImageParam x(Float(32), 2, "x"), w(Float(32), 2, "w"), b(Float(32), 1, "b");
            Func c("c"), y("y");
            const RDom r(x.dim(0).min(), x.dim(0).extent(), "r");
            c(j, i) = b(j);
            c(j, i) += x(r, i) * w(j, r);
            y(j, i) = c(j, i) * 2.0f;
            x.set_estimates({{0, 64}, {0, 64}});
            w.set_estimates({{0, 64}, {0, 64}});
            b.set_estimates({{0, 64}});
            estimate(y, {64, 64});
            return Program{{x, w, b}, {y}, {}};
        },
        {"w"},
        "The input w was asked for in panels (packed=w), but no plan computes c in tiles of registers along "
        "it "
        "(register_tile has no tile whose columns are a panel's, with nothing else read along them): leave w "
        "out of what is packed.");
    // Panels do not tell how many columns there are.
    check_refused(
        [] {
            ImageParam x(Float(32), 2, "x"), w(Float(32), 2, "w");
            Func c("c"), y("y");
            const RDom r(x.dim(0).min(), x.dim(0).extent(), "r");
            c(j, i) = 0.0f;
            c(j, i) += x(r, i) * w(j, r);
            y(j, i) = c(j, i) / cast<float>(w.dim(0).extent());
            x.set_estimates({{0, 64}, {0, 64}});
            w.set_estimates({{0, 64}, {0, 64}});
            estimate(y, {64, 64});
            return Program{{x, w}, {y}, {}};
        },
        {"w"},
        "The input w cannot be read in panels, because the pipeline asks for its extent in dimension 0, "
        "which "
        "panels do not tell: leave it as it is.");
}
