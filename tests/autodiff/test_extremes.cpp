// The shortest form of index expressions with minima and maxima: the same value, and no longer than it need
// be.

#include "autodiff/extremes.h"

#include "autodiff/bounds.h"

#include <Halide.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <sstream>
#include <string>

using namespace eutectic;
using namespace Halide;
using namespace Halide::Internal;

namespace {

const Var a("a"), b("b"), c("c");

Expr random_index(std::mt19937 &random, int depth) {
    const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    if (depth == 0) {
        const int leaf = pick(4);
        return leaf == 0 ? Expr(a) : leaf == 1 ? Expr(b) : leaf == 2 ? Expr(c) : Expr(pick(13) - 6);
    }
    const Expr x = random_index(random, depth - 1), y = random_index(random, depth - 1);
    switch (pick(6)) {
    case 0:
    case 1: return min(x, y);
    case 2:
    case 3: return max(x, y);
    case 4: return pick(2) ? x + y : x - y;
    default: return x * (pick(5) - 2);
    }
}

int value_at(const Expr &e, int x, int y, int z) {
    const std::map<std::string, Expr> point{{a.name(), x}, {b.name(), y}, {c.name(), z}};
    return static_cast<int>(*as_const_int(simplify(substitute(point, e))));
}

int extremes_in(const Expr &e) {
    if (const Min *op = e.as<Min>()) {
        return 1 + extremes_in(op->a) + extremes_in(op->b);
    }
    if (const Max *op = e.as<Max>()) {
        return 1 + extremes_in(op->a) + extremes_in(op->b);
    }
    if (const Add *op = e.as<Add>()) {
        return extremes_in(op->a) + extremes_in(op->b);
    }
    return 0;
}

}  // namespace

TEST_CASE("the shortest form has the same value everywhere") {
    for (unsigned seed = 0; seed < 60; seed++) {
        std::mt19937 random(seed);
        const Expr e = random_index(random, 5), shorter = with_fewest_extremes(e);
        for (int n = 0; n < 12; n++) {
            const auto some = [&] { return static_cast<int>(random() % 41) - 20; };
            const int x = some(), y = some(), z = some();
            CAPTURE(seed);
            CHECK(value_at(e, x, y, z) == value_at(shorter, x, y, z));
        }
    }
}

TEST_CASE("what others decide is left out") {
    const auto text = [](const Expr &e) {
        std::ostringstream out;
        out << simplify(with_fewest_extremes(e));
        return out.str();
    };
    CHECK(text(max(min(a, 5), min(a, 9))) == text(min(a, 9)));
    CHECK(text(min(max(min(max(a, 0), b) + 2, 0), max(min(a, b), 0) + 3)) ==
          text(min(max(a, 0), max(b, -2)) + 2));
    CHECK(text(max(min(a, b), min(a, c))) == text(min(a, max(b, c))));
    CHECK(text(min(max(a, b), max(a + 1, b + 2))) == text(max(a, b)));
    const Expr shortest = max(min(a, 5), b);
    CHECK(with_fewest_extremes(shortest).same_as(shortest));
}

TEST_CASE("orders that follow from the form, and those that do not") {
    const ImageParam image(Float(32), 1, "image");
    const Expr low = whole_buffer(image.parameter())[0].min, high = whole_buffer(image.parameter())[0].max;
    CHECK(never_above(low, high));
    CHECK(!never_above(high, low));
    CHECK(never_above(min(a, max(b, c)), max(min(a, b), min(a, c))));
    CHECK(never_above(max(min(low - 1, 5), 0), max(min(high, 5), 0)));
    CHECK(!never_above(max(a, b), max(a, c)));
    CHECK(never_above(a + b - 2 * c, max(a - c, c) + max(b - c, c)));
}

TEST_CASE("regions that widen by one, layer after layer, and are cut to the same range keep their size") {
    Expr first = a, last = b;
    int largest = 0;
    for (int layer = 0; layer < 64; layer++) {
        // Of what reads one element to either side, within [0, 100] and within [c, c + 10]; and what the
        // layers before read of it.
        const Expr low = clamp(first - 1, 0, 100), high = clamp(last + 1, 0, 100);
        first = simplify_index(min(low, min(max(first, c) - 1, high)));
        last = simplify_index(max(high, max(min(last, c + 10) + 1, low)));
        largest = std::max({largest, extremes_in(first), extremes_in(last)});
    }
    CHECK(largest <= 24);
}
