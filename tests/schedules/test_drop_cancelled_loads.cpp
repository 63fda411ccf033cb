// Definitions that read Funcs in terms that cancel are simplified before anything is planned: what nothing
// else reads is not computed, and what it would have read is computed where it is needed.

#include <doctest/doctest.h>

#include "Halide.h"

#include "base/user_error.h"
#include "schedules/autoschedule.h"
#include "schedules/rewrites.h"
#include "tests/schedules/jit_check.h"
#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic;
using namespace eutectic::test;

namespace {

Var x("x"), y("y");

/** out = sums - sums, where `sums` runs down the columns of `shared`, which the other output reads, too. */
Program cancelled(const Type &type) {
    const ImageParam in(type, 2, "in");
    Func shared("shared"), sums("sums"), unread("unread"), out("out"), other("other");
    const RDom r(1, 31);
    shared(x, y) = in(x, y) * in(x, y);
    sums(x, y) = shared(x, y);
    sums(x, r) = sums(x, r - 1) + shared(x, r);
    unread(x, y) = sums(x, y) + cast(type, 1);
    out(x, y) = unread(x, y) - unread(x, y) + in(x, y);
    other(x, y) = shared(x, y) + cast(type, 3);
    ImageParam(in).set_estimates({{0, 64}, {0, 32}});
    out.set_estimates({{0, 64}, {0, 32}});
    other.set_estimates({{0, 64}, {0, 32}});
    return {{in}, {out, other}, {}};
}

Parameters on_four_threads() {
    Parameters parameters;
    parameters.parallelism = 4;
    return parameters;
}

}  // namespace

TEST_CASE("what is read in terms that cancel is not computed, and a report says so") {
    const Program program = cancelled(Int(32));
    const Scheduled s = schedule(Pipeline(program.outputs), get_host_target(), on_four_threads(), false);
    REQUIRE(s.graph.changed.size() == 1);
    CHECK(s.graph.changed.front() ==
          "out reads in terms that cancel: it is simplified, and what nothing else reads is not computed "
          "(disable=drop_cancelled_loads leaves it as it is)");
    for (const FuncInfo &f : s.graph.funcs) {
        CHECK(f.name.find("sums") == std::string::npos);
        CHECK(f.name.find("unread") == std::string::npos);
    }
}

TEST_CASE("what is read for the indices of a Func that turns out to be constant is not computed either") {
    const auto make = [] {
        const ImageParam in = image("in", {64, 32}, Int(32));
        Func copy("copy"), moved("moved"), zero("zero"), out("out");
        copy(x, y) = in(x, y) * 3;
        moved(x, y) = copy(x, y) + copy(max(x - 1, 0), y);
        zero(x, y) = in(0, 0) - in(0, 0);
        out(x, y) = zero(x + clamp(moved(x, y), 0, 3), y) + 7;
        estimate(out, {64, 32});
        return Program{{in}, {out}, {}};
    };
    const Program program = make();
    const Scheduled s = schedule(Pipeline(program.outputs), get_host_target(), on_four_threads(), false);
    for (const FuncInfo &f : s.graph.funcs) {
        CHECK(f.name.find("moved") == std::string::npos);
    }
    check_same_values(make, {{{{64, 32}}, {{64, 32}}}, {{{5, 3}}, {{5, 3}}}});
}

TEST_CASE("strict floats do not cancel, and integers do under strict numerics, too") {
    const Target strict = get_host_target().with_feature(Target::StrictFloat);
    for (const Type &type : {Float(32), Int(32)}) {
        const Program program = cancelled(type);
        const Scheduled s = schedule(Pipeline(program.outputs), strict, on_four_threads(), false);
        CHECK(s.graph.changed.empty() == type.is_float());
    }
}

TEST_CASE("schedules with versions of their loops compile and are right") {
    for (const Type &type : {Int(32), UInt(8), Float(32)}) {
        CAPTURE(type.bits());
        const std::string source =
            check_same_values([&] { return cancelled(type); }, {{{{64, 32}}, {{64, 32}, {64, 32}}},
                                                                {{{67, 32}}, {{67, 32}, {67, 7}}},
                                                                {{{64, 32}}, {{1, 1}, {5, 3}}}});
        CHECK(source.find("eutectic::drop_cancelled_loads(pipeline, {{") != std::string::npos);
    }
}

TEST_CASE("an update that is not there is refused") {
    const Program program = cancelled(Int(32));
    Pipeline pipeline(program.outputs);
    CHECK_THROWS_WITH_AS(drop_cancelled_loads(pipeline, {{0, 7}}), doctest::Contains("leave it out"),
                         UserError);
}
