#include <doctest/doctest.h>

#include "cost/nest.h"
#include "tests/support/dims.h"

using namespace eutectic;
using namespace eutectic::test;

namespace {

using Kind = Loop::Kind;

}  // namespace

TEST_CASE("trips and tiles of a register tile") {
    // 100 x 30 in tiles of 16 columns (two vectors of 8) and 4 rows.
    const Dims d = dims({100, 30});
    Nest nest;
    nest.loops = {{0, 16, Kind::parallel},
                  {1, 4, Kind::serial},
                  {1, 1, Kind::unroll},
                  {0, 8, Kind::unroll},
                  {0, 1, Kind::vector}};
    const int64_t expected_trips[] = {7, 8, 4, 2, 8};
    for (size_t l = 0; l < nest.loops.size(); l++) {
        INFO(l);
        CHECK(trips(nest, l, d) == expected_trips[l]);
    }
    const std::vector<Extents> tiles = {{100, 30}, {16, 30}, {16, 4}, {16, 1}, {8, 1}, {1, 1}};
    for (size_t at = 0; at < tiles.size(); at++) {
        INFO(at);
        CHECK(tile_inside(nest, at, d) == tiles[at]);
    }
}

TEST_CASE("a step longer than the dimension is one trip, and the tile is the dimension") {
    const Dims d = dims({5});
    Nest nest;
    nest.loops = {{0, 8, Kind::serial}, {0, 1, Kind::vector}};
    CHECK(trips(nest, 0, d) == 1);
    CHECK(tile_inside(nest, 1, d) == Extents{5});
    CHECK(trips(nest, 1, d) == 5);
}

TEST_CASE("a loop of the enclosing stage that this one does not depend on has its own count") {
    const Dims d = dims({64});
    Nest nest;
    nest.shared = 2;
    nest.loops = {{-1, 12, Kind::parallel, 12}, {0, 16, Kind::serial}, {0, 1, Kind::vector}};
    CHECK(trips(nest, 0, d) == 12);
    CHECK(trips(nest, 1, d) == 4);
    CHECK(tile_inside(nest, 1, d) == Extents{64});
    CHECK(tile_inside(nest, 2, d) == Extents{16});
}

TEST_CASE("nests as text") {
    Nest nest;
    CHECK(to_string(nest).empty());
    nest.shared = 1;
    nest.loops = {{0, 32, Kind::parallel},
                  {1, 12, Kind::serial},
                  {1, 1, Kind::unroll},
                  {0, 16, Kind::unroll},
                  {0, 1, Kind::vector}};
    nest.whole = {{{2, 0}, 32}, {{2, 1}, 12}};
    CHECK(to_string(nest) ==
          "^d0/32 parallel, d1/12, d1 unroll, d0/16 unroll, d0 vector | whole 2.0>=32, 2.1>=12");
}
