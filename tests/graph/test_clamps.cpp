// Which coordinates are marked as usually inside the range that they are kept in.

#include <doctest/doctest.h>

#include <sstream>

#include "Halide.h"

#include "graph/read/clamps.h"
#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic;
using namespace eutectic::test;

namespace {

const Var x("x"), y("y");

bool marks(const Expr &value) {
    return has_bare_clamps(value, {x.name(), y.name()});
}

std::string marked(const Expr &value) {
    std::ostringstream text;
    text << with_likely_clamps(value, {x.name(), y.name()});
    return text.str();
}

}  // namespace

TEST_CASE("a clamp of a coordinate that moves with the Func's own arguments, one-sided or not") {
    const ImageParam in = image("in", {64, 64}), labels = image("labels", {64}, Int(32));
    const Expr last = in.dim(0).extent() - 1;
    const RDom r(0, 3, "r");
    CHECK(marks(in(clamp(x, 0, last), y)));
    CHECK(marks(in(max(x - 1, 0), y)));
    CHECK(marks(in(x, min(2 * y + 1, last)) * 2.0f));
    CHECK(marks(in(clamp((x - 3) / 2 + r, 0, last), y)));
    CHECK_FALSE(marks(in(x, y)));
    CHECK_FALSE(marks(in(clamp(r, 0, last), y)));            // by the terms of a sum
    CHECK_FALSE(marks(in(clamp(labels(x), 0, last), y)));    // by data
    CHECK_FALSE(marks(in(clamp(likely(x), 0, last), y)));    // said already
    CHECK_FALSE(marks(max(in(x, y), 0.0f)));                 // no coordinate
    CHECK_FALSE(marks(select(max(x, 3) > y, in(x, y), 0)));  // nothing is loaded there
    CHECK_FALSE(marks(in(clamp(last, 0, 7), y)));            // does not move
    const Func edge = BoundaryConditions::repeat_edge(in);
    CHECK_FALSE(marks(edge.function().values()[0]));
}

TEST_CASE("what is marked is the coordinate, once, inside both ends of its range") {
    const ImageParam in = image("in", {64, 64});
    const std::string text = marked(in(clamp(x + 1, 0, 63), y));
    CHECK(text.find("max(min(likely(x + 1), 63), 0)") != std::string::npos);
    CHECK(marked(in(max(y, 2), x)).find("max(likely(y), 2)") != std::string::npos);
    CHECK(marked(in(min(63, x), y)).find("min(63, likely(x))") != std::string::npos);
    // Once more changes nothing.
    const Expr once = with_likely_clamps(in(clamp(x + 1, 0, 63), y), {x.name(), y.name()});
    std::ostringstream first;
    first << once;
    CHECK(marked(once) == first.str());
    CHECK_FALSE(marks(once));
}
