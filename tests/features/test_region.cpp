// What a block of loops needs of a Func: regions of single loads, and of several together.

#include <doctest/doctest.h>

#include "features/region.h"

using namespace eutectic;

namespace {

Index index_of(double scale, std::optional<double> offset, double halo = 0) {
    Index i;
    i.scale = {scale};
    i.offset = offset;
    i.halo = halo;
    return i;
}

/** A block of 8 points of a loop that blocks advance along. */
const Table<DimId, Region> block = {{1, 0, 7}};

}  // namespace

TEST_CASE("the region of one load, and the points of it") {
    struct Row {
        const char *what;
        Index index;
        double rate, min, max;
        int64_t points;
    };
    const Row rows[] = {
        {"f(x)", index_of(1, 0), 1, 0, 7, 8},
        {"f(x - 1)", index_of(1, -1), 1, -1, 6, 8},
        {"f(x + r), r over 3 points", index_of(1, 0, 2), 1, 0, 9, 10},
        {"f(2 * x + 1)", index_of(2, 1), 2, 1, 15, 15},
        {"f(7 - x)", index_of(-1, 7), -1, 0, 7, 8},
        {"f(3)", index_of(0, 3), 0, 3, 3, 1},
        {"f(x / 2)", index_of(0.5, 0), 0.5, 0, 3, 4},
        {"f((x + 1) / 2)", index_of(0.5, 0.5), 0.5, 0, 4, 5},
    };
    for (const Row &row : rows) {
        INFO(row.what);
        const Region r = region_read(row.index, block);
        CHECK(r.known);
        CHECK(r.rate == row.rate);
        CHECK(r.min == row.min);
        CHECK(r.max == row.max);
        CHECK(points_of(r, 1000) == row.points);
        CHECK(points_of(r, 4) == std::min<int64_t>(4, row.points));
    }
}

TEST_CASE("a block that begins anywhere may read a point more of what quotients name") {
    const struct {
        const char *what;
        Index index;
        double max;
        int64_t points;
    } rows[] = {{"f(x)", index_of(1, 0), 7, 8},
                {"f(2 * x + 1)", index_of(2, 1), 15, 15},
                {"f(x / 2)", index_of(0.5, 0), 4, 5},
                {"f((x + 1) / 2)", index_of(0.5, 0.5), 4, 5},
                {"f(x / 4)", index_of(0.25, 0), 2, 3}};
    for (const auto &row : rows) {
        INFO(row.what);
        const Region r = region_read(row.index, block, true);
        CHECK(r.max == row.max);
        CHECK(points_of(r, 1000) == row.points);
    }
    // One row, read at 2 * (y / 2) - 1 and at 2 * ((y + 1) / 2) + 1: where y is odd, from y - 2 to y + 2.
    const Table<DimId, Region> one = {{1, 0, 0}};
    Index below = index_of(1, -1), above = index_of(1, 2);
    below.rounding = above.rounding = 2;
    CHECK(points_of(hull(region_read(below, one, true), region_read(above, one, true)), 1000) == 5);
    // One row, read at y / 2 and at (y + 1) / 2: the second is another where y is odd.
    const Table<DimId, Region> row = {{1, 0, 0}};
    CHECK(
        points_of(hull(region_read(index_of(0.5, 0), row, true), region_read(index_of(0.5, 0.5), row, true)),
                  1000) == 2);
}

TEST_CASE("taps need what lies between them, whatever their order") {
    const Region left = region_read(index_of(1, -2), block), right = region_read(index_of(1, 3), block);
    for (const Region &both : {hull(left, right), hull(right, left)}) {
        CHECK(both.min == -2);
        CHECK(both.max == 10);
        CHECK(points_of(both, 1000) == 13);
    }
    // A window over the same points is no more and no less.
    CHECK(points_of(region_read(index_of(1, -2, 5), block), 1000) == 13);
    // Of a Func that is itself read by taps: halos add up.
    const Table<DimId, Region> of_reader = {hull(left, right)};
    CHECK(points_of(hull(region_read(index_of(1, -1), of_reader), region_read(index_of(1, 1), of_reader)),
                    1000) == 15);
}

TEST_CASE("what advances at different rates spans the whole, and what is not known says nothing") {
    const Region once = region_read(index_of(1, 0), block), twice = region_read(index_of(2, 0), block);
    CHECK(points_of(hull(once, twice), 1000) == 1000);
    Index loaded = index_of(1, 0);
    loaded.affine = false;
    const Region unknown = region_read(loaded, block);
    CHECK_FALSE(unknown.known);
    CHECK(points_of(unknown, 1000) == 1);
    CHECK_FALSE(hull(once, unknown).known);
    CHECK_FALSE(region_read(index_of(1, std::nullopt), block).known);
}
