// Loads that differ by constants, as one that spans them.

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "graph/patterns/taps.h"
#include "tests/support/graphs.h"

using namespace eutectic;
using namespace eutectic::test;

namespace {

using Offsets = std::vector<std::pair<int, int>>;

/** y(d0, d1) reads x at `offsets`. */
Graph reading(const Offsets &offsets, double scale = 1) {
    Sketch s;
    const FuncId x = s.input("x", {64, 64});
    std::vector<Read> reads;
    for (const auto &[across, down] : offsets) {
        reads.push_back({x, {tap(0, across, scale), tap(1, down, scale)}});
    }
    s.output(s.pointwise("y", {32, 32}, reads));
    return s.graph();
}

Offsets box(int radius) {
    Offsets offsets;
    for (int j = -radius; j <= radius; j++) {
        for (int i = -radius; i <= radius; i++) {
            offsets.push_back({i, j});
        }
    }
    return offsets;
}

}  // namespace

TEST_CASE("taps that fill at least half of what they span are one edge") {
    struct Row {
        std::string what;
        Graph graph;
        std::vector<int> taps;  // of each edge that is left
    };
    const Row rows[] = {
        {"one point", reading({{0, 0}}), {1}},
        {"3 across", reading({{-1, 0}, {0, 0}, {1, 0}}), {2, 1}},
        {"3 across, from right to left", reading({{1, 0}, {0, 0}, {-1, 0}}), {2, 1}},
        {"a box", reading(box(2)), {24, 1}},
        {"two of every two", reading({{0, 0}, {1, 0}, {0, 1}, {1, 1}}, 2), {1, 3}},
        {"a cross", reading({{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}}), {1, 3, 1}},
        {"rows far apart", reading({{0, -9}, {0, 0}, {0, 9}}), {1, 1, 1}},
        {"two pieces far apart", reading({{3, 0}, {4, 0}, {20, 0}, {21, 0}}), {2, 2}},
        {"along a diagonal", reading({{1, 1}, {2, 2}, {3, 3}}), {2, 1}},
    };
    for (const Row &row : rows) {
        INFO(row.what);
        const Graph merged = with_taps_together(row.graph);
        std::vector<int> taps;
        for (const EdgeId e : merged.stages.back().edges) {
            taps.push_back(merged.edges[e].taps);
        }
        CHECK(taps == row.taps);
        int loads = 0;
        for (const Edge &e : merged.edges) {
            loads += e.loads;
        }
        CHECK(loads == static_cast<int>(row.graph.edges.size()));
    }
}

TEST_CASE("the span of a box, and what an iteration reads of it") {
    const Graph merged = with_taps_together(reading(box(1)));
    REQUIRE(merged.edges.size() == 2);
    CHECK(merged.edges[1].access.indices[0].exact);
    for (const Index &i : merged.edges[0].access.indices) {
        CHECK(i.offset == -1.0);
        CHECK(i.halo == 2);
        CHECK_FALSE(i.exact);
    }
    CHECK(positions(merged.edges[0].access) == 9);
}

TEST_CASE("nothing joins what is not known to lie beside it") {
    Sketch s;
    const FuncId x = s.input("x", {64});
    s.output(s.pointwise("y", {32}, {{x, {at(0)}}, {x, {unknown()}}, {x, {scaled(0, 0.5)}}, {x, {fixed()}}}));
    CHECK(with_taps_together(s.graph()).edges.size() == 4);
}

TEST_CASE("an update keeps each of its loads: what may be packed is one operand") {
    Sketch s;
    const FuncId x = s.input("x", {64});
    s.output(s.reduction("sum", {32}, {8}, {{x, {tap(0, 0)}}, {x, {tap(0, 1)}}}));
    CHECK(with_taps_together(s.graph()).edges.size() == 2);
}
