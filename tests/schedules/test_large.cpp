// Pipelines of many Funcs are scheduled, and definitions that share their parts rewritten, without a walk of
// every path.

#include <doctest/doctest.h>

#include "Halide.h"

#include "base/user_error.h"
#include "graph/read/shared.h"
#include "schedules/autoschedule.h"
#include "schedules/rewrites.h"
#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic;
using namespace eutectic::test;

namespace {

Var x("x"), y("y");

size_t occurrences(const std::string &text, const std::string &word) {
    size_t n = 0;
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
        n++;
    }
    return n;
}

std::string unfused_schedule(const Func &output) {
    Parameters parameters;
    parameters.unfused = true;
    return autoschedule(Pipeline(output), Target("x86-64-linux-avx2-fma"), parameters);
}

}  // namespace

TEST_CASE("a chain of a thousand Funcs is emitted, printed and applied") {
    const ImageParam in = image("in", {64, 64});
    std::vector<Func> chain(1000);
    for (size_t i = 0; i < chain.size(); i++) {
        chain[i](x, y) = (i == 0 ? Expr(in(x, y)) : Expr(chain[i - 1](x, y))) * 2.f + 1.f;
    }
    estimate(chain.back(), {64, 64});
    CHECK(occurrences(unfused_schedule(chain.back()), ".compute_root();") == chain.size());
    for (const Func &f : chain) {
        LoopLevel level = f.function().schedule().compute_level();
        level.lock();
        REQUIRE(level.is_root());
    }
}

TEST_CASE("a reciprocal in a definition that shares its parts") {
    Buffer<float> in(8, 4), scale(4);
    in.for_each_element([&](int i, int j) { in(i, j) = 1.f + static_cast<float>(i + 8 * j) / 32.f; });
    scale.for_each_element([&](int j) { scale(j) = 1.f + static_cast<float>(j); });
    Func s("s"), f("f");
    s(y) = scale(y);
    Expr e = in(x, y);
    for (int i = 0; i < 24; i++) {
        e = e / s(y) + e * .25f;
    }
    f(x, y) = e;
    multiply_by_reciprocal(f).compute_root();
    CHECK(is_small(f.function().definition().values()[0]));
    const Buffer<float> result = f.realize({8, 4});
    for (int j = 0; j < 4; j++) {
        for (int i = 0; i < 8; i++) {
            double expected = in(i, j);
            for (int k = 0; k < 24; k++) {
                expected = expected / scale(j) + expected * .25;
            }
            CHECK(result(i, j) == doctest::Approx(expected).epsilon(1e-5));
        }
    }
}

TEST_CASE("integer quotients in a definition that shares its parts") {
    Param<int> width("width");
    Func f("f"), expected("expected");
    Expr e = x;
    for (int i = 0; i < 24; i++) {
        e = (e + e / width) % 1000 + i;
    }
    f(x) = e;
    expected(x) = e;
    multiply_for_quotients(f);
    CHECK(is_small(f.function().definition().values()[0]));
    width.set(7);
    const Buffer<int> result = f.realize({256}), reference = expected.realize({256});
    for (int i = 0; i < 256; i++) {
        CHECK(result(i) == reference(i));
    }
}

TEST_CASE("a Func that reads another, or does not, through more paths than can be walked") {
    const ImageParam in = image("in", {64, 64});
    Func other("other"), before("before"), last("last");
    other(x, y) = in(x, y) + 1.f;
    before(x, y) = in(x, y);
    last(x, y) = before(x, y) * 2.f;
    for (int i = 0; i < 60; i++) {
        Func next("next");
        next(x, y) = before(x, y) + last(x + 1, y);
        before = last;
        last = next;
    }
    CHECK_THROWS_AS(recompute(other, last), UserError);
}
