// Scans along rows go down the columns of a transposed Func, with the values that they have as written: which
// these are, and at which sizes and of which kinds.

#include <doctest/doctest.h>

#include "Halide.h"

#include "base/user_error.h"
#include "schedules/rewrites.h"
#include "schedules/transposed_scans.h"
#include "tests/schedules/jit_check.h"
#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic;
using namespace eutectic::test;

namespace {

Var x("x"), y("y"), c("c");

std::vector<Sizes> sizes_of_image() {
    return {{{{256, 192}}, {{256, 192}}},
            {{{37, 23}}, {{37, 23}}},
            {{{9, 200}}, {{9, 200}}},
            {{{200, 9}}, {{200, 9}}},
            {{{1, 1}}, {{1, 1}}}};
}

/** The first lines of a printed schedule name what was transposed. */
bool transposes(const std::string &source, const std::string &scans) {
    return source.find("eutectic::transpose_scans(pipeline, {" + scans + "});\n") != std::string::npos;
}

/** The program with `scans` transposed, whatever is predicted of that. */
std::function<Program()> transposed(const std::function<Program()> &make,
                                    const std::vector<std::pair<int, int>> &scans) {
    return [=] {
        const Program program = make();
        transpose_scans(Pipeline(program.outputs), scans);
        return program;
    };
}

/** What would be transposed in the pipeline of `f`. */
std::vector<std::pair<int, int>> found(const Func &f, Bytes line = 64) {
    Machine machine;
    machine.line_bytes = line;
    return scans_along_rows(graph_of({f}), machine);
}

/** Sums along rows of an image, and what reads them. */
Func sums(const ImageParam &in, const Func &f) {
    const RDom r(1, max(in.dim(0).extent() - 1, 0), "r");
    f(x, y) = in(x, y);
    f(r, y) += f(r - 1, y);
    Func out("out");
    out(x, y) = f(x, y) * 2.0f;
    estimate(out, {256, 192});
    return out;
}

}  // namespace

TEST_CASE("sums along rows, there and back") {
    const auto make = [] {
        const ImageParam in = image("in", {256, 192});
        const Expr width = in.dim(0).extent();
        const RDom r(1, max(width - 1, 0), "r");
        const Expr back = width - 1 - r;
        Func f("f"), out("out");
        f(x, y) = in(x, y);
        f(r, y) = 0.5f * f(r - 1, y) + f(r, y);
        f(back, y) = 0.25f * f(back + 1, y) - f(back, y);
        out(x, y) = f(x, y) + f(max(x - 1, 0), y);
        estimate(out, {256, 192});
        return Program{{in}, {out}, {}};
    };
    const std::string source = check_same_values(make, sizes_of_image());
    INFO(source);
    CHECK(transposes(source, "{1, 1}"));
    CHECK(source.find("_transposed.update(0).vectorize(") != std::string::npos);
    CHECK(source.find("_transposed.update(1).vectorize(") != std::string::npos);
}

TEST_CASE("an output is written by one pass over what is transposed") {
    const auto make = [] {
        const ImageParam in = image("in", {256, 192}, Int(32));
        const RDom r(1, max(in.dim(0).extent() - 1, 0), "r");
        Func f("f");
        f(x, y) = in(x, y);
        f(r, y) += f(r - 1, y);
        estimate(f, {256, 192});
        return Program{{in}, {f}, {}};
    };
    const std::string source = check_same_values(transposed(make, {{1, 1}}), sizes_of_image(), 4, make);
    CHECK(source.find("_transposed") != std::string::npos);
}

TEST_CASE("a Tuple, and a condition that reads the scan") {
    const auto make = [] {
        const ImageParam in = image("in", {256, 192}, Int(32));
        RDom r(1, max(in.dim(0).extent() - 1, 0), "r");
        Func f("f"), out("out");
        f(x, y) = Tuple(in(x, y) % 7, 0);
        r.where(f(r - 1, y)[0] != 3);
        f(r, y) = Tuple(f(r - 1, y)[0] + f(r, y)[0], f(r - 1, y)[1] + 1);
        out(x, y) = f(x, y)[0] - 3 * f(x, y)[1];
        estimate(out, {256, 192});
        return Program{{in}, {out}, {}};
    };
    const std::string source = check_same_values(transposed(make, {{1, 1}}), sizes_of_image(), 4, make);
    CHECK(source.find("_transposed") != std::string::npos);
}

TEST_CASE("of three dims, the first that fills a line comes to the front") {
    const auto make = [] {
        const ImageParam in = image("in", {128, 3, 96});
        const RDom r(1, max(in.dim(0).extent() - 1, 0), "r");
        Func f("f"), g("g"), out("out");
        f(x, c, y) = in(x, c, y);
        f(r, c, y) = max(f(r, c, y), f(r - 1, c, y));
        g(c, x, y) = f(x, c, y) + f(x, 2 - c, y);
        out(c, x, y) = g(c, x, y) * 0.5f;
        estimate(out, {3, 128, 96});
        return Program{{in}, {out}, {}};
    };
    const std::string source = check_same_values(
        transposed(make, {{1, 2}}),
        {{{{128, 3, 96}}, {{3, 128, 96}}}, {{{21, 3, 17}}, {{3, 21, 17}}}, {{{2, 3, 1}}, {{3, 2, 1}}}}, 4,
        make);
    CHECK(source.find("_transposed") != std::string::npos);
}

TEST_CASE("several in one pipeline, one behind the other") {
    const auto make = [] {
        const ImageParam in = image("in", {256, 192});
        const Expr width = in.dim(0).extent(), height = in.dim(1).extent();
        Func rows("rows"), turned("turned"), out("out");
        rows(x, y) = in(x, y);
        const RDom r(1, max(width - 1, 0), "r"), s(1, max(height - 1, 0), "s");
        rows(r, y) += 0.5f * rows(r - 1, y);
        turned(x, y) = rows(y, x);
        turned(s, y) += 0.5f * turned(s - 1, y);
        out(x, y) = turned(y, x) - rows(x, y);
        estimate(out, {256, 192});
        return Program{{in}, {out}, {}};
    };
    CHECK(transposes(check_same_values(make, sizes_of_image()), "{1, 1}, {2, 1}"));
}

TEST_CASE("running sums of an image go along rows as written, where that is predicted faster") {
    // What is read a row away twice, along both dims, as a blur by sums has it.
    const auto make = [] {
        const ImageParam in = image("in", {1024, 768}, Int(32));
        const RDom r(1, max(in.dim(0).extent() - 1, 0), "r");
        Func f("f"), out("out");
        f(x, y) = 0;
        f(r, y) = f(r - 1, y) + in(r, y);
        out(x, y) = f(max(x, 2), y) - f(max(x, 2) - 2, y);
        estimate(out, {1024, 768});
        return Program{{in}, {out}, {}};
    };
    const std::string source =
        check_same_values(make, {{{{1024, 768}}, {{1024, 768}}}, {{{37, 23}}, {{37, 23}}}});
    INFO(source);
    CHECK(source.find("transpose_scans(") == std::string::npos);
}

TEST_CASE("which scans go along rows") {
    const ImageParam in = image("in", {256, 192});
    const auto scan = [&](const std::function<void(Func)> &update) {
        Func f("f"), out("out");
        f(x, y) = in(x, y);
        update(f);
        out(x, y) = f(x, y) * 2.0f;
        estimate(out, {256, 192});
        return found(out);
    };
    using Scans = std::vector<std::pair<int, int>>;
    const RDom r(1, 255, "r"), s(1, 191, "s");
    CHECK(scan([&](Func f) { f(r, y) += f(r - 1, y); }) == Scans{{1, 1}});
    CHECK(scan([&](Func f) { f(x, s) += f(x, s - 1); }) == Scans{});
    // Every point depends on others of its row, and of its column.
    CHECK(scan([&](Func f) {
              f(r, y) += f(r - 1, y);
              f(x, s) += f(x, s - 1);
          }) == Scans{});
    // A column that is set, where all else is one pass.
    CHECK(scan([&](Func f) { f(0, y) = 1.0f; }) == Scans{});
    // A histogram of each row: where it writes is not known.
    CHECK(scan([&](Func f) { f(clamp(cast<int>(in(r, y)), 0, 255), y) += 1.0f; }) == Scans{});
    // As many rows as a line holds, and fewer.
    CHECK(found(sums(in, Func("g")), 4 * 192) == Scans{{1, 1}});
    CHECK(found(sums(in, Func("g")), 4 * 193) == Scans{});
    // Whoever scheduled it has decided.
    Func own("own");
    const Func out = sums(in, own);
    own.compute_root().parallel(y);
    CHECK(found(out) == Scans{});
}

TEST_CASE("an argument that there is not") {
    const ImageParam in = image("in", {256, 192});
    const Func out = sums(in, Func("f"));
    CHECK_THROWS_WITH_AS(transpose_scans(Pipeline(out), {{1, 2}}),
                         doctest::Contains("was to come first, but it has 2: count from 0."), UserError);
}
