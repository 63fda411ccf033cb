// Recurrences along rows: which reduction variable they go along, and what is computed between one point and
// the next.

#include <doctest/doctest.h>

#include <functional>

#include "Halide.h"

#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic;
using namespace eutectic::test;

namespace {

Var x("x"), y("y");

/** "along 2 after 1 of floats", of the update that is made of f, which is an image at first; "none". */
std::string chain(const std::function<void(Func)> &update, Type type = Float(32)) {
    const ImageParam in = image("in", {256, 192}, type);
    Func f("f"), out("out");
    f(x, y) = in(x, y);
    update(f);
    out(x, y) = f(x, y) + f(max(x - 1, 0), y);
    estimate(out, {256, 192});
    const Graph graph = graph_of({out});
    for (const eutectic::Stage &stage : graph.stages) {
        if (stage.chain) {
            return "along " + std::to_string(stage.chain->dim) + " after " +
                   std::to_string(stage.chain->operations) +
                   (stage.chain->integers ? " of integers" : " of floats");
        }
    }
    return "none";
}

}  // namespace

TEST_CASE("sums along rows, forwards and backwards") {
    const RDom r(1, 255, "r"), both(0, 192, 1, 255, "both");
    CHECK(chain([&](Func f) { f(r, y) += f(r - 1, y); }) == "along 2 after 1 of floats");
    CHECK(chain([&](Func f) { f(r, y) += f(r - 1, y); }, Int(32)) == "along 2 after 1 of integers");
    CHECK(chain([&](Func f) { f(255 - r, y) += f(256 - r, y); }) == "along 2 after 1 of floats");
    CHECK(chain([&](Func f) { f(both.y, both.x) += f(both.y - 1, both.x); }) == "along 3 after 1 of floats");
}

TEST_CASE("operations between one point and the next, and no others") {
    const RDom r(2, 254, "r");
    CHECK(chain([&](Func f) { f(r, y) = 0.5f * f(r - 1, y) + 0.5f * f(r, y); }) ==
          "along 2 after 2 of floats");
    CHECK(chain([&](Func f) { f(r, y) = max(f(r - 1, y), f(r, y) * 2.0f + 1.0f); }) ==
          "along 2 after 1 of floats");
    // What is further behind has long been there.
    CHECK(chain([&](Func f) { f(r, y) = f(r, y) - f(r - 1, y) + sqrt(cast<float>(r)) * f(r - 2, y); }) ==
          "along 2 after 2 of floats");
}

TEST_CASE("what is no such recurrence") {
    const RDom r(2, 190, "r");
    CHECK(chain([&](Func f) { f(x, r) += f(x, r - 1); }) == "none");
    CHECK(chain([&](Func f) { f(r, y) += f(r - 2, y); }) == "none");
    CHECK(chain([&](Func f) { f(2 * r, y) += f(2 * r - 1, y); }) == "none");
    // A function, a quotient: they wait for longer than one operation.
    CHECK(chain([&](Func f) { f(r, y) = sqrt(f(r - 1, y)) + f(r, y); }) == "none");
    CHECK(chain([&](Func f) { f(r, y) = 1.0f / (f(r - 1, y) + 2.0f); }) == "none");
    // Of a Tuple, or under a condition, a compiler keeps nothing.
    RDom some(1, 255, "some");
    some.where(some % 3 != 0);
    CHECK(chain([&](Func f) { f(some, y) += f(some - 1, y); }) == "none");
}
