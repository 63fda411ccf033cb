// Products of 16-bit floats with sums of 32 bits: what is widened has a Func of its own, once for all
// products, and values are those of the program as written.

#include <doctest/doctest.h>

#include "Halide.h"

#include "base/user_error.h"
#include "schedules/autoschedule.h"
#include "schedules/rewrites.h"
#include "tests/schedules/jit_check.h"
#include "tests/support/occurrences.h"
#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic;
using namespace eutectic::test;

namespace {

Var x("x"), y("y");

/** A product of matrices that are stored as floats of `type`. */
Program product(const Type &type) {
    const ImageParam a = image("a", {96, 64}), b = image("b", {64, 96});
    const RDom k(0, a.dim(0).extent());
    Func short_a("short_a"), short_b("short_b"), mm("mm"), out("out");
    short_a(x, y) = cast(type, a(x, y));
    short_b(x, y) = cast(type, b(x, y));
    mm(x, y) += cast<float>(short_a(k, y)) * cast<float>(short_b(x, k));
    out(x, y) = max(mm(x, y), 0.0f);
    estimate(out, {64, 64});
    return {{a, b}, {out}, {}};
}

}  // namespace

TEST_CASE("products of 16-bit floats widen each once") {
    for (const Type type : {BFloat(16), Float(16)}) {
        INFO(type);
        const std::string schedule =
            check_same_values([=] { return product(type); }, {{{{96, 64}, {64, 96}}, {{64, 64}}},
                                                              {{{7, 3}, {33, 7}}, {{33, 3}}},
                                                              {{{1, 1}, {1, 1}}, {{1, 1}}}});
        CHECK(occurrences(schedule, "eutectic::widen_factors(pipeline, {{") == 1);
        CHECK(occurrences(schedule, "_wide") > 0);
    }
}

TEST_CASE("which are widened: factors that a loop of the sum uses again") {
    const ImageParam a(BFloat(16), 2, "a"), v(BFloat(16), 1, "v"), f32(Float(32), 2, "f32");
    const RDom k(0, 10, "k");
    const auto widens = [&](const Expr &term) {
        Func f("f");
        f(y) = 0.0f;
        f(y) += term;
        return widens_factors(f.function(), 0);
    };
    CHECK(widens(cast<float>(a(k, y)) * cast<float>(v(k))));
    CHECK(!widens(cast<float>(a(k, y)) * f32(k, y)));          // each of a's is used once
    CHECK(!widens(f32(k, y) * f32(0, k)));                     // nothing is narrow
    CHECK(!widens(cast<float>(a(k, y)) + cast<float>(v(k))));  // no product
    CHECK(!widens(cast<float>(a(k, y) * v(k))));               // a product of 16 bits
}

TEST_CASE("a call that has nothing to work on says so") {
    const ImageParam a(Float(32), 2, "a");
    const RDom k(0, 10, "k");
    Func f("f");
    f(y) = 0.0f;
    f(y) += a(k, y) * 2.0f;
    const Pipeline pipeline(f);
    const int index = Pipeline(pipeline).get_func(0).name() == f.name() ? 0 : 1;
    CHECK_THROWS_WITH_AS(widen_factors(pipeline, {{index, 0}}),
                         doctest::Contains("multiplies no 16-bit floats several times: leave it out"),
                         UserError);
    CHECK_THROWS_WITH_AS(widen_factors(pipeline, {{index, 1}}), doctest::Contains("Factors in update 1"),
                         UserError);
}
