// Definitions that choose by a dim of few points, and updates that are taken at some iterations.

#include "graph_text.h"

#include <doctest/doctest.h>

#include "Halide.h"

#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic;
using namespace eutectic::test;

namespace {

Var x("x"), y("y"), c("c");

}  // namespace

TEST_CASE("what chooses by a dim of few points says what is left of it, and what it reads, in each case") {
    const ImageParam a = image("a", {64, 16}), b = image("b", {64, 16, 3});
    Func out("out");
    out(x, y, c) = mux(c, {a(x, y) * 2.0f + 1.0f, b(x, y, c), b(x, y, 0) * b(x, y, 1)});
    estimate(out, {64, 16, 3});
    CHECK(text_of({out}) ==
          "func 0 [64 x 16] 4 B input\n"
          "func 1 [64 x 16 x 3] 4 B input\n"
          "func 2 [64 x 16 x 3] 4 B output\n"
          "  stage 0 pure pointwise (64, 16, 3) flops 5 div 0 exp 0 libm 0 cases d2 (2 0 1)\n"
          "    reads 0(d0, d1) at 1 0 0\n"
          "    reads 1(d0, d1, d2) at 0 1 0\n"
          "    reads 1(d0, d1, c) at 0 0 1\n"
          "    reads 1(d0, d1, c ~0) at 0 1 1\n");
}

TEST_CASE("what chooses by remainders says what is left of it in each phase, and what is read in which") {
    const ImageParam a = image("a", {64, 64}), b = image("b", {64, 64});
    Func rows("rows");
    rows(x, y) = select(y % 2 == 0, a(x, y) * 2.0f + 1.0f, b(x, y));
    estimate(rows, {64, 64});
    const std::string text = text_of({rows});
    INFO(text);
    CHECK(text.find(" phases d1%2 0.2") != std::string::npos);  // of 6: remainder, test and choice, too
    CHECK(text.find("reads 1(d0, d1) in d1%2 0.5") != std::string::npos);

    Func sites("sites");  // a condition that is used twice, and a mask instead of a remainder
    const Expr even = x % 2 == 0;
    sites(x, y) = select((y & 3) == 0, select(even, a(x, y), b(x, y)), select(even, b(x, y), a(x, y)));
    estimate(sites, {64, 64});
    const std::string all = text_of({sites});
    CHECK(all.find(" phases d0%2 ") != std::string::npos);
    CHECK(all.find(" d1%4 ") != std::string::npos);

    Func several("several");  // by two periods: by none
    several(x, y) = select(x % 2 == 0, a(x, y), x % 3 == 0, b(x, y), 0.0f);
    estimate(several, {64, 64});
    CHECK(text_of({several}).find("phases") == std::string::npos);
}

TEST_CASE("an update whose condition one value of a reduction variable meets is taken so often") {
    const ImageParam code = image("code", {6}), top = image("top", {64, 6});
    RDom r(0, 4, 0, 6);
    r.where(r.x == cast<int>(code(r.y)));
    Func over("over");
    over(x) = 0.0f;
    over(x) = select(r.x < 2, over(x) + top(x, r.y), over(x) * top(x, r.y));
    estimate(over, {64});
    CHECK(text_of({over}).find("taken d1 0.25") != std::string::npos);
    CHECK(text_of({over}).find("cases d1 (1 1 1 1)") != std::string::npos);
}
