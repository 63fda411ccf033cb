// Pipelines whose products a library takes, where that is predicted faster, compiled just in time.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "Halide.h"

#include "base/user_error.h"
#include "fusion/plan/grade.h"
#include "graph/read/product.h"
#include "library/product.h"
#include "report/report.h"
#include "schedules/autoschedule.h"
#include "schedules/rewrites.h"
#include "tests/library/library_machine.h"
#include "tests/schedules/jit_run.h"
#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic;
using namespace eutectic::test;

namespace {

std::string machine_with(const std::string &name, double call_seconds, double peak_share) {
    const std::string file = name + ".json";
    write_machine(file, peak_share, 1e12, call_seconds);
    return file;
}

Target target() {
    Target t("x86-64-linux-avx-avx2-f16c-fma-sse41");
    return t.with_feature(Target::JIT);
}

bool runs_here() {
    // Pulled in, so that what is compiled just in time finds it in this program.
    static auto *const volatile product = &eutectic_eigen_product;
    static auto *const volatile convolution = &eutectic_eigen_convolution;
    return product != nullptr && convolution != nullptr && get_host_target().has_feature(Target::AVX2);
}

Scheduled scheduled(const Pipeline &pipeline, const std::string &machine, int parallelism = 2,
                    std::optional<Numerics> numerics = {}, Target t = target()) {
    Parameters p;
    p.parallelism = parallelism;
    p.machine_file = machine;
    p.library = Library::eigen;
    p.numerics = numerics;
    return schedule(pipeline, t, p, false);
}

bool says(const Scheduled &s, const std::string &text) {
    return std::any_of(s.graph.changed.begin(), s.graph.changed.end(),
                       [&](const std::string &sentence) { return sentence.find(text) != std::string::npos; });
}

Var i("i"), j("j"), n("n");

/** relu(a * b + bias), where b starts at a bias of its own if so asked. */
Program layer(Type type, bool a_transposed, bool b_transposed, bool from_bias, int m = 128, int k = 96,
              int columns = 64) {
    ImageParam a(type, 2, "a"), b(type, 2, "b"), bias(type, 1, "bias");
    Func c("c"), y("y");
    const RDom r(0, a.dim(a_transposed ? 1 : 0).extent(), "r");
    c(j, i) = from_bias ? bias(j) : cast(type, 0);
    c(j, i) += (a_transposed ? a(i, r) : a(r, i)) * (b_transposed ? b(r, j) : b(j, r));
    y(j, i) = max(from_bias ? c(j, i) : c(j, i) + bias(j), cast(type, 0));
    a.dim(0).set_estimate(0, a_transposed ? m : k);
    a.dim(1).set_estimate(0, a_transposed ? k : m);
    b.dim(0).set_estimate(0, b_transposed ? k : columns);
    b.dim(1).set_estimate(0, b_transposed ? columns : k);
    bias.dim(0).set_estimate(0, columns);
    estimate(y, {columns, m});
    return {{a, b, bias}, {y}, {}};
}

Sizes sizes_of(bool a_transposed, bool b_transposed, int m, int k, int columns) {
    const auto matrix = [](bool transposed, int rows, int along) {
        return transposed ? std::vector<int>{rows, along} : std::vector<int>{along, rows};
    };
    return {{matrix(a_transposed, m, k), matrix(b_transposed, k, columns), {columns}}, {{columns, m}}};
}

Sizes convolution_sizes(bool planar, int stride, int channels, int results, int width, int height) {
    const auto image = [&](int k, int u, int v) {
        return planar ? std::vector<int>{u, v, k} : std::vector<int>{k, u, v};
    };
    return {{image(channels, width, height), {results, channels, 3, 3}},
            {image(results, (width - 1) / stride + 1, (height - 1) / stride + 1)}};
}

/** relu(conv(x, w)) of 3 × 3 windows, zero outside of the image. */
Program convolution(bool planar, int stride) {
    ImageParam x(Float(32), 3, "x"), w(Float(32), 4, "w");
    Func padded("padded"), c("c"), y("y");
    Var k("k"), u("u"), v("v");
    const RDom r(0, x.dim(planar ? 2 : 0).extent(), 0, 3, 0, 3, "r");
    const auto extent = [&](int d) { return x.dim(d).extent(); };
    const auto at = [&](const Expr &channel, const Expr &across, const Expr &down) {
        return planar ? std::vector<Expr>{across, down, channel} : std::vector<Expr>{channel, across, down};
    };
    const int across = planar ? 0 : 1;
    const Expr inside = u >= 0 && u < extent(across) && v >= 0 && v < extent(across + 1);
    padded(at(k, u, v)) = select(
        inside, likely(x(at(k, clamp(u, 0, extent(across) - 1), clamp(v, 0, extent(across + 1) - 1)))), 0.0f);
    c(at(k, u, v)) = 0.0f;
    c(at(k, u, v)) += padded(at(r.x, u * stride + r.y - 1, v * stride + r.z - 1)) * w(k, r.x, r.y, r.z);
    y(at(k, u, v)) = max(c(at(k, u, v)), 0.0f);
    const Sizes sizes = convolution_sizes(planar, stride, 16, 24, 20, 14);
    for (int d = 0; d < 3; d++) {
        x.dim(d).set_estimate(0, sizes.inputs[0][d]);
    }
    w.set_estimates({{0, 24}, {0, 16}, {0, 3}, {0, 3}});
    estimate(y, sizes.outputs[0]);
    return {{x, w}, {y}, {}};
}

/** The same values, at each of the sizes, as all in memory has. */
void check_values(Program program, Program reference, const std::string &machine,
                  const std::vector<Sizes> &sizes, int parallelism, const std::string &call) {
    Compiled by_library(program, target()), plain(reference, target());
    compute_all_at_root(reference);
    const Scheduled s = scheduled(by_library.pipeline(), machine, parallelism);
    CAPTURE(s.source);
    CHECK(s.source.find(call) != std::string::npos);
    for (const Sizes &at : sizes) {
        const std::vector<double> got = values(by_library.run(at)[0]), want = values(plain.run(at)[0]);
        double most = 0;
        for (size_t p = 0; p < want.size(); p++) {
            most = std::max(most, std::abs(got[p] - want[p]));
        }
        CHECK(most < 1e-4);
    }
}

}  // namespace

TEST_CASE("values of a layer: transposed operands, odd sizes, floats and doubles, on blocks and as a whole") {
    if (!runs_here()) {
        return;
    }
    const std::string machine = machine_with("library_wins", 1e-9, 2);
    for (int transposed = 0; transposed < 4; transposed++) {
        const bool a = (transposed & 1) != 0, b = (transposed & 2) != 0;
        for (const int parallelism : {1, 2}) {
            CAPTURE(transposed);
            CAPTURE(parallelism);
            const Type type = transposed == 3 ? Float(64) : Float(32);
            check_values(layer(type, a, b, transposed == 1), layer(type, a, b, transposed == 1), machine,
                         {sizes_of(a, b, 128, 96, 64), sizes_of(a, b, 1, 1, 1), sizes_of(a, b, 37, 5, 71),
                          sizes_of(a, b, 3, 200, 9)},
                         parallelism, "eutectic::multiply_by_eigen(pipeline, {");
        }
    }
}

TEST_CASE("values of a batch, each of whose products is a call inside a parallel loop") {
    if (!runs_here()) {
        return;
    }
    const auto make = [] {
        ImageParam a(Float(32), 3, "a"), b(Float(32), 3, "b");
        Func c("c"), y("y");
        const RDom r(0, a.dim(0).extent(), "r");
        c(j, i, n) = 0.0f;
        c(j, i, n) += a(r, i, n) * b(j, r, n);
        y(j, i, n) = tanh(c(j, i, n));
        for (const ImageParam &of : {a, b}) {
            for (int d = 0; d < 3; d++) {
                ImageParam(of).dim(d).set_estimate(0, 64);
            }
        }
        estimate(y, {64, 64, 64});
        return Program{{a, b}, {y}, {}};
    };
    check_values(make(), make(), machine_with("library_wins", 1e-9, 2),
                 {{{{64, 64, 64}, {64, 64, 64}}, {{64, 64, 64}}}, {{{5, 3, 7}, {9, 5, 7}}, {{9, 3, 7}}}}, 2,
                 ", 1}});");
}

TEST_CASE("an operand that is a Func is computed before; products one after the other") {
    if (!runs_here()) {
        return;
    }
    const auto make = [] {
        ImageParam x(Float(32), 2, "x"), w(Float(32), 2, "w"), v(Float(32), 2, "v");
        Func h("h"), a("a"), y("y");
        const RDom r(0, x.dim(0).extent(), "r"), s(0, w.dim(0).extent(), "s");
        h(j, i) = 0.0f;
        h(j, i) += x(r, i) * w(j, r);
        a(j, i) = max(h(j, i), 0.0f);
        y(j, i) = 0.0f;
        y(j, i) += a(s, i) * v(j, s);
        x.set_estimates({{0, 64}, {0, 128}});
        w.set_estimates({{0, 96}, {0, 64}});
        v.set_estimates({{0, 80}, {0, 96}});
        estimate(y, {80, 128});
        return Program{{x, w, v}, {y}, {}};
    };
    check_values(make(), make(), machine_with("library_wins", 1e-9, 2),
                 {{{{64, 128}, {96, 64}, {80, 96}}, {{80, 128}}}, {{{7, 13}, {11, 7}, {3, 11}}, {{3, 13}}}},
                 2, "eutectic::multiply_by_eigen(pipeline, {");
}

TEST_CASE("a view is looked through, and what scales all terms scales the sum") {
    enum { of_input, of_view, of_func, scaled, divided, by_row, most };
    const auto make = [](int kind) {
        ImageParam x(Float(32), 2, "x"), w(Float(32), 2, "w"), s(Float(32), 1, "s");
        Func h("h"), view("view"), again("again"), c("c"), y("y");
        const RDom r(0, w.dim(1).extent(), "r");
        h(j, i) = exp(x(j, i));
        view(j, i) = kind == of_func ? h(i, j) : kind == of_view ? x(j, i) : x(i, j);
        again(j, i) = view(i, j);
        const Expr a = kind == of_view ? again(r, i) : view(r, i), b = w(j, r);
        c(j, i) = s(i);
        c(j, i) += kind == scaled    ? 0.25f * a * b
                   : kind == divided ? a * (b / 3)
                   : kind == by_row  ? a * s(i) * b * 2.0f
                                     : a * b;
        y(j, i) = max(c(j, i), 0.0f);
        x.set_estimates({{0, 64}, {0, 96}});
        w.set_estimates({{0, 80}, {0, 96}});
        s.set_estimates({{0, 64}});
        estimate(y, {80, 64});
        return std::pair(Program{{x, w, s}, {y}, {}}, c);
    };
    const std::string machine = machine_with("library_wins", 1e-9, 2);
    for (int kind = 0; kind < most; kind++) {
        CAPTURE(kind);
        const auto [program, c] = make(kind);
        const std::optional<MatrixProduct> product = matrix_product(c.function());
        REQUIRE(product);
        CHECK(product->a.load->name.substr(0, 1) == (kind == of_func ? "h" : "x"));
        CHECK(Internal::is_const_one(product->scale) == (kind < scaled));
        if (runs_here()) {
            check_values(program, make(kind).first, machine,
                         {{{{64, 96}, {80, 96}, {64}}, {{80, 64}}},
                          {{{5, 7}, {3, 7}, {5}}, {{3, 5}}},
                          {{{1, 1}, {1, 1}, {1}}, {{1, 1}}}},
                         2, "eutectic::multiply_by_eigen(pipeline, {");
        }
    }
}

TEST_CASE("views whose rows do not lie side by side, and Funcs that compute, are stored") {
    ImageParam x(Float(32), 3, "x"), w(Float(32), 3, "w");
    const RDom r(0, 16, "r");
    Func view("view"), doubled("doubled"), updated("updated"), c("c"), d("d"), e("e");
    view(j, i, n) = x(n, j, i);  // the batch innermost
    c(j, i, n) = 0.0f;
    c(j, i, n) += view(r, i, n) * w(j, r, n);
    CHECK(matrix_product(c.function())->a.load->name == view.name());
    doubled(j, i, n) = x(j, i, n) * 2;
    d(j, i, n) = 0.0f;
    d(j, i, n) += doubled(r, i, n) * w(j, r, n);
    CHECK(matrix_product(d.function())->a.load->name == doubled.name());
    updated(j, i, n) = x(j, i, n);
    updated(0, i, n) = 1.0f;
    e(j, i, n) = 0.0f;
    e(j, i, n) += updated(r, i, n) * w(j, r, n);
    CHECK(matrix_product(e.function())->a.load->name == updated.name());
    Func constant("constant");
    constant(j) = 0.0f;
    constant(j) += 2.0f + 0 * cast<float>(j);
    CHECK(!matrix_product(constant.function()));
}

TEST_CASE("a library that is predicted slower is not called, and the report has both times") {
    Program program = layer(Float(32), false, false, false);
    const Scheduled s = scheduled(Pipeline(program.outputs), machine_with("library_loses", 1, 1e-3));
    CHECK(s.source.find("multiply_by") == std::string::npos);
    CHECK(s.graph.prepared.empty());
    CHECK(says(s, "c is left to loops: with eigen, "));
    CHECK(says(s, " instead of "));
    CHECK(to_text(s.report()).find("c is left to loops: with eigen, ") != std::string::npos);
}

TEST_CASE("one that is predicted faster is, and the report has both times") {
    Program program = layer(Float(32), false, false, false);
    const Scheduled s = scheduled(Pipeline(program.outputs), machine_with("library_wins", 1e-9, 2));
    CHECK(says(s, "c is multiplied by eigen, "));
    CHECK(says(s, " instead of "));
    REQUIRE(s.graph.prepared.size() == 1);
    CHECK(s.graph.prepared[0].call == "multiply_by_eigen");
    CHECK(grade(s.graph, s.planned.plan) == Grade::reassociating);
    const auto choices = to_json(s.report())["library"];
    REQUIRE(choices.size() == 1);
    CHECK(choices[0]["library"] == "eigen");
    CHECK(choices[0]["taken"] == true);
    CHECK(choices[0]["seconds_with"] < choices[0]["seconds_without"]);
}

TEST_CASE("values of convolutions: padded, with strides, planar or channels innermost, of one dimension") {
    if (!runs_here()) {
        return;
    }
    const std::string machine = machine_with("library_wins", 1e-9, 2);
    for (const bool planar : {false, true}) {
        for (const int stride : {1, 2}) {
            for (const int parallelism : {1, 2}) {
                CAPTURE(planar);
                CAPTURE(stride);
                CAPTURE(parallelism);
                check_values(convolution(planar, stride), convolution(planar, stride), machine,
                             {convolution_sizes(planar, stride, 16, 24, 20, 14),
                              convolution_sizes(planar, stride, 1, 1, 1, 1),
                              convolution_sizes(planar, stride, 5, 7, 9, 3)},
                             parallelism, "eutectic::multiply_by_eigen(pipeline, {");
            }
        }
    }
    const auto line = [] {
        ImageParam a(Float(32), 2, "a"), b(Float(32), 2, "b");
        Func c("c"), y("y");
        const RDom r(0, 16, "r");
        c(j, i) = 0.0f;
        c(j, i) += a(r + i, 0) * b(j, r);
        y(j, i) = max(c(j, i), 0.0f);
        a.set_estimates({{0, 512 + 15}, {0, 1}});
        b.set_estimates({{0, 64}, {0, 16}});
        estimate(y, {64, 512});
        return Program{{a, b}, {y}, {}};
    };
    CAPTURE("one row of an image, at a place that is no variable");
    Program program = line();
    CHECK(scheduled(Pipeline(program.outputs), machine).graph.prepared.empty());
}

TEST_CASE("what is no product of matrices is left") {
    const std::string machine = machine_with("library_wins", 1e-9, 2);
    const ImageParam a(Float(32), 2, "a"), b(Float(32), 2, "b");
    const RDom r(0, 16, "r"), both(0, 4, 0, 4, "both");
    const Expr at_r[] = {cast<int>(a(r, 0)),  // data tell
                         r * r, i - r, i % 4 + r};
    for (const Expr &at : at_r) {
        Func c("c");
        c(j, i) = 0.0f;
        c(j, i) += a(at, i) * b(j, r);
        estimate(c, {64, 64});
        CAPTURE(at);
        CHECK(!matrix_product(c.function()));
    }
    Func each("each");  // a convolution of every channel by itself has no columns
    each(j, i) = 0.0f;
    each(j, i) += a(j, i + r) * b(j, r);
    estimate(each, {64, 64});
    const Scheduled s = scheduled(Pipeline(each), machine);
    CHECK(s.graph.prepared.empty());
    CHECK(says(s, "library=eigen finds no product of matrices, and no convolution, of floats or doubles "
                  "whose rows lie side by side"));
    Func two("two");  // two variables that are no windows
    two(j) = 0.0f;
    two(j) += a(both.x, both.y) * ImageParam(Float(32), 3, "w")(j, both.x, both.y);
    CHECK(!matrix_product(two.function()));
}

TEST_CASE("refusals") {
    Program program = layer(Float(32), false, false, false);
    const std::string machine = machine_with("library_wins", 1e-9, 2);
    CHECK_THROWS_WITH_AS(scheduled(Pipeline(program.outputs), machine, 2, Numerics::strict,
                                   target().with_feature(Target::StrictFloat)),
                         "The library eigen was asked for, but numerics are strict, and a library adds up "
                         "the terms of a product "
                         "in an order of its own: leave library out, or plan with fast numerics.",
                         UserError);
    CHECK_THROWS_WITH_AS(
        parse_parameters({{"library", "mkl"}}),
        "The library \"mkl\" was asked for, which is unknown: give none, onednn, openblas or "
        "eigen.",
        UserError);
    CHECK(!parse_parameters({{"library", "none"}}).library);
    CHECK_THROWS_WITH_AS(multiply_by_eigen(Pipeline(program.outputs), {{4, 1}}),
                         doctest::Contains("is not the sum of products of two Funcs"), UserError);
}
