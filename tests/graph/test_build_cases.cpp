// Definitions that choose by a dim of few points, updates that are taken at some iterations, operations by
// type.

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

TEST_CASE("operations are told apart by type where their price is one of the type") {
    const auto first_line = [](const Expr &value) {
        Func f("f");
        f(x) = value;
        estimate(f, {64});
        const std::string text = text_of({f}), key = "libm 0";
        const size_t at = text.find(key) + key.size();
        return text.substr(at, text.find('\n', at) - at);
    };
    const auto of = [&](const Type &type, const char *name) {
        ImageParam in(type, 1, name);
        in.dim(0).set_estimate(0, 64);
        return Expr(in(x));
    };
    const Expr u8 = of(UInt(8), "u8"), i32 = of(Int(32), "i32"), i64 = of(Int(64), "i64"),
               f32 = of(Float(32), "f32"), f64 = of(Float(64), "f64"), f16 = of(Float(16), "f16");
    CHECK(first_line(u8 * u8) == " multiply_8 1");
    CHECK(first_line(u8 * cast<uint8_t>(4)).empty());  // a shift
    CHECK(first_line(cast<uint16_t>(u8) * cast<uint16_t>(u8 + cast<uint8_t>(1))) == " multiply_16 1");
    CHECK(first_line(cast<int64_t>(i32) * cast<int64_t>(i32 + 1)).empty());  // vectors have it
    CHECK(first_line(i64 * i64) == " multiply_64 1");
    CHECK(first_line(i32 / 7 + i32 % 5 + i32 / 8) == " divide_by_constant_32 2");
    CHECK(first_line(u8 / (u8 | cast<uint8_t>(1))) == " integer_divide_8 1");
    CHECK(first_line(i64 % (i64 | cast<int64_t>(1))) == " integer_divide_64 1");
    CHECK(first_line(f32 / (f32 + 1.0f)).empty());
    CHECK(first_line(f64 / (f64 + 1)) == " double_divide 1");
    CHECK(first_line(sqrt(f32) + cast<float>(sqrt(f64))) == " square_root 1 double_square_root 1");
    CHECK(first_line(f16 + f16 * f16) == " half_float 2");
    CHECK(first_line(cast<double>(i64) + cast<double>(i32)) == " long_conversion 1");
}
