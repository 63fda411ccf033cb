// What each index of a load is as plain data: its scale, its shift, what is around it, and where its loop
// begins.

#include "graph_text.h"

#include <doctest/doctest.h>

#include "Halide.h"

#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic;
using namespace eutectic::test;

namespace {

Var x("x"), y("y");

}  // namespace

TEST_CASE("indices: shifted, scaled, rounded, clamped, loaded, repeated") {
    const ImageParam in = image("in", {1000}), labels = image("labels", {100}, Int(32));
    Func sum("sum");
    sum(x) = in(x + 3) + in(2 * x) + in(x / 8) + in(x % 8) + in(clamp(x - 1, 0, 99)) +
             in(clamp(labels(x), 0, 999)) + in(5) + in(0) + in(99 - x) + in(x) + 2 * in(x);
    estimate(sum, {100});
    CHECK(text_of({sum}) == "func 0 [1000] 4 B input\n"
                            "func 1 [100] 4 B input\n"
                            "func 2 [100] 4 B output\n"
                            "  stage 0 pure gather (100) flops 11 div 0 exp 0 libm 0 clamps\n"
                            "    reads 0(d0 ~0)\n"
                            "    reads 0(2*d0)\n"
                            "    reads 0(0.125*d0 ~1)\n"
                            "    reads 0(d0 ~0 %8)\n"
                            "    reads 0(d0 ~0)\n"
                            "    reads 0(?)\n"
                            "    reads 1(d0)\n"
                            "    reads 0(c ~0)\n"
                            "    reads 0(c)\n"
                            "    reads 0(-1*d0 ~0)\n"
                            "    reads 0(d0)\n");
}

TEST_CASE("an index that several loads share is still read as what it is") {
    const ImageParam a = image("a", {64, 16}), b = image("b", {32, 64});
    const RDom k(0, 64);
    const Expr i = clamp(x - 1, 0, 31), j = clamp(k - 1, 0, 63);
    Func pointwise("pointwise"), mm("mm");
    pointwise(x) = b(i, 0) + a(i, 0) * 2;
    mm(x, y) += a(j, y) * b(x, j);
    estimate(pointwise, {32});
    estimate(mm, {32, 16});
    CHECK(text_of({pointwise}) == "func 0 [31 x 1] 4 B input\n"
                                  "func 1 [31 x 1] 4 B input\n"
                                  "func 2 [32] 4 B output\n"
                                  "  stage 0 pure pointwise (32) flops 2 div 0 exp 0 libm 0 clamps\n"
                                  "    reads 0(d0 ~0, c)\n"
                                  "    reads 1(d0 ~0, c)\n");
    CHECK(text_of({mm}) == "func 0 [63 x 16] 4 B input\n"
                           "func 1 [32 x 63] 4 B input\n"
                           "func 2 [32 x 16] 4 B output\n"
                           "  stage 0 pure pointwise (32, 16) flops 0 div 0 exp 0 libm 0\n"
                           "  stage 1 update contraction (32, 16, r:64) flops 2 div 0 exp 0 libm 0\n"
                           "    reads 0(d2 ~0, d1)\n"
                           "    reads 1(d0, d2 ~0)\n");
}

TEST_CASE("a gather of one column a row") {
    const ImageParam in = image("in", {10, 128}), labels = image("labels", {128}, Int(32));
    Func picked("picked"), out("out");
    picked(y) = in(clamp(labels(y), 0, 9), y);
    out(y) = -log(picked(y));
    estimate(out, {128});
    CHECK(text_of({out}) == "func 0 [10 x 128] 4 B input\n"
                            "func 1 [128] 4 B input\n"
                            "func 2 [128] 4 B\n"
                            "  stage 0 pure gather (128) flops 0 div 0 exp 0 libm 0\n"
                            "    reads 0(?, d0)\n"
                            "    reads 1(d0)\n"
                            "func 3 [128] 4 B output\n"
                            "  stage 1 pure pointwise (128) flops 1 div 0 exp 1 libm 0\n"
                            "    reads 2(d0)\n");
}

TEST_CASE("views: a transpose, a reshape") {
    const ImageParam in = image("in", {32, 16});
    Func t("t"), flat("flat"), out("out");
    t(x, y) = in(y, x);
    flat(x) = t(x % 16, x / 16);
    out(x) = flat(x) + 1;
    estimate(out, {512});
    CHECK(text_of({out}) == "func 0 [32 x 16] 4 B input\n"
                            "func 1 [16 x 32] 4 B\n"
                            "  stage 0 pure view (16, 32) flops 0 div 0 exp 0 libm 0\n"
                            "    reads 0(d1, d0)\n"
                            "func 2 [512] 4 B\n"
                            "  stage 1 pure view (512) flops 0 div 0 exp 0 libm 0\n"
                            "    reads 1(d0 ~0 %16, 0.0625*d0 ~1)\n"
                            "func 3 [512] 4 B output\n"
                            "  stage 2 pure pointwise (512) flops 1 div 0 exp 0 libm 0\n"
                            "    reads 2(d0)\n");
}

TEST_CASE("run-time sizes: a loop knows the buffer dimension that bounds it from below") {
    const ImageParam a = image("a", {64, 16}), b = image("b", {32, 64});
    RDom k(0, a.dim(0).extent());
    Func mm("mm"), out("out");
    mm(x, y) += a(k, y) * b(x, k);
    out(x, y) = max(mm(x, y), 0);
    estimate(out, {32, 16});
    const Graph g = graph_of({out});
    REQUIRE(g.funcs.size() == 4);
    const eutectic::Stage &update = g.last_stage(2);
    REQUIRE(update.dims.size() == 3);
    CHECK(update.dims[0].at_least == BufferDim{3, 0});
    CHECK(update.dims[1].at_least == BufferDim{3, 1});
    CHECK(update.dims[2].at_least == BufferDim{0, 0});
}

TEST_CASE(
    "a sum over all that either of two buffers has is as long as each; what it reads of them is clamped "
    "to them, whichever operand comes first") {
    const ImageParam a = image("a", {64, 16}), b = image("b", {32, 60});
    const Expr first = min(a.dim(0).min(), b.dim(1).min()),
               end = max(a.dim(0).min() + a.dim(0).extent(), b.dim(1).min() + b.dim(1).extent());
    const RDom k(first, end - first);
    const auto clamped = [&](const Halide::Internal::Dimension &of, bool bound_first) {
        const Expr last = of.min() + of.extent() - 1;
        return bound_first ? max(of.min(), min(last, k)) : max(min(k, last), of.min());
    };
    for (const bool bound_first : {false, true}) {
        Func mm("mm");
        mm(x, y) += a(clamped(a.dim(0), bound_first), y) * b(x, clamped(b.dim(1), bound_first));
        estimate(mm, {32, 16});
        const Graph g = graph_of({mm});
        const eutectic::Stage &update = g.last_stage(2);
        CHECK(update.dims[2].extent == 64);
        REQUIRE(update.dims[2].at_least);
        CHECK(update.dims[2].at_least->func < 2);
        REQUIRE(update.edges.size() == 2);
        const Index &of_a = g.edges[update.edges[0]].access.indices[0],
                    &of_b = g.edges[update.edges[1]].access.indices[1];
        CHECK(of_a.clamped_dim == 2);
        CHECK(of_a.clamped_to == BufferDim{0, 0});
        CHECK(of_b.clamped_dim == 2);
        CHECK(of_b.clamped_to == BufferDim{1, 1});
    }
    // Where a buffer is constrained to begin, it is clamped to a constant.
    ImageParam from_zero = image("from_zero", {64, 16});
    from_zero.dim(0).set_min(0);
    Func held("held");
    held(x) = from_zero(max(min(from_zero.dim(0).extent() - 1, x - 32), 0), 1) +
              from_zero(clamp(x, 0, from_zero.dim(0).extent() - 2), 1);
    estimate(held, {128});
    const Graph of_held = graph_of({held});
    REQUIRE(of_held.edges.size() == 2);
    CHECK(of_held.edges[0].access.indices[0].clamped_dim == -1);  // not the loop itself
    CHECK(of_held.edges[1].access.indices[0].clamped_dim == -1);  // not the whole range
    Func kept("kept");
    kept(x) = from_zero(max(min(from_zero.dim(0).extent() - 1, x), 0), 1);
    estimate(kept, {128});
    const Graph of_kept = graph_of({kept});
    REQUIRE(of_kept.edges.size() == 1);
    CHECK(of_kept.edges[0].access.indices[0].clamped_dim == 0);
    CHECK(of_kept.edges[0].access.indices[0].clamped_to == BufferDim{0, 0});
    // Less than the union, and the extent of neither.
    const RDom some(first, end - first - 1);
    Func less("less");
    less(x, y) += a(some, y) * b(x, some);
    estimate(less, {32, 16});
    CHECK(!graph_of({less}).last_stage(2).dims[2].at_least);
}

TEST_CASE("a remainder beside a quotient is points on either side of it, not another stride") {
    const ImageParam in = image("in", {64});
    Func up("up");
    up(x) = in(x / 2 - 1 + 2 * (x % 2)) + in(x / 2);
    estimate(up, {128});
    const Graph g = graph_of({up});
    REQUIRE(g.edges.size() == 2);
    const Index &either = g.edges[0].access.indices[0], &own = g.edges[1].access.indices[0];
    CHECK(either.affine);
    CHECK(either.scale == std::vector<double>{0.5});
    CHECK(either.offset == -1.0);
    CHECK(either.halo == 2);
    CHECK(either.rounding == 1);
    CHECK(own.scale == std::vector<double>{0.5});
    CHECK(own.offset == 0.0);
    CHECK(own.halo == 0);
}

TEST_CASE("where a reduction variable begins is a part of what it reads") {
    const ImageParam in = image("in", {64});
    Func sum("sum");
    const RDom r(-3, 7);
    sum(x) += in(2 * x + r);
    estimate(sum, {16});
    const Graph g = graph_of({sum});
    REQUIRE(g.edges.size() == 1);
    CHECK(g.edges[0].access.indices[0].offset == -3.0);
}
