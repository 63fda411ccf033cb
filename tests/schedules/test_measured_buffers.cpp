// Buffers of which a pipeline knows the size and reads no element, as derivatives do: their sizes tell how
// long loops are at least.

#include <doctest/doctest.h>

#include "Halide.h"

#include "tests/schedules/jit_check.h"
#include "tests/support/occurrences.h"
#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic::test;

namespace {

Var x("x"), y("y");

/** A product that is read where `shape` has points alone: nothing else tells the loops over it their ends. */
Program product_of_the_shape_of(int readers) {
    const ImageParam a = image("a", {96, 80}), b = image("b", {64, 96}), shape = image("shape", {64, 80}),
                     row = image("row", {64});
    RDom k(0, a.dim(0).extent(), "k");
    Func mm("mm"), out("out");
    mm(x, y) += a(k, y) * b(x, k);
    const Expr column = clamp(x, 0, shape.dim(0).extent() - 1), line = clamp(y, 0, shape.dim(1).extent() - 1);
    out(x, y) = mm(column, line) + 1.0f;
    if (readers > 1) {
        out(x, y) = mm(column, line) * row(clamp(x, 0, row.dim(0).extent() - 1));
    }
    estimate(out, {64, 80});
    return {{a, b, shape, row}, {out}, {}};
}

const std::vector<Sizes> sizes = {{{{96, 80}, {64, 96}, {64, 80}, {64}}, {{64, 80}}},
                                  {{{33, 41}, {71, 33}, {71, 41}, {71}}, {{71, 41}}},
                                  {{{96, 80}, {64, 96}, {9, 5}, {64}}, {{64, 80}}},
                                  {{{5, 3}, {7, 5}, {7, 3}, {7}}, {{7, 3}}},
                                  {{{1, 1}, {1, 1}, {1, 1}, {1}}, {{1, 1}}}};

}  // namespace

TEST_CASE("a product of which the size of an unread input tells how large it is has tiles of several rows") {
    for (const int readers : {1, 2}) {
        INFO(readers);
        const std::string schedule =
            check_same_values([=] { return product_of_the_shape_of(readers); }, sizes);
        CHECK(occurrences(schedule, "Halide::Func shape = eutectic::measured_buffers(pipeline)[0]") == 1);
        CHECK(occurrences(schedule, "eutectic::input_extent(shape, 1)") > 0);
    }
}
