// Sums whose terms lie along rows, as the sums do: which of them go row by row.

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "fusion/plan/plan.h"
#include "tests/support/graphs.h"
#include "tests/support/machines.h"

using namespace eutectic;
using namespace eutectic::test;

namespace {

constexpr int64_t n = 4096;

/** c = a times b, for `rows` rows of a. */
Graph product(int64_t rows, int64_t columns = n) {
    Sketch s;
    const FuncId a = s.input("a", {n, rows}), b = s.input("b", {columns, n});
    s.output(s.matmul("c", a, b, columns, rows, n));
    return s.graph();
}

Group planned(const Graph &graph) {
    return complete(graph, round_machine(), unfused(graph)).groups.front();
}

std::string loops(const Group &group, FuncId func, int update) {
    return to_string(group.tree.nest(func, update).nest);
}

}  // namespace

TEST_CASE("a matrix is read once, in whole rows or pages of them, for a few vectors") {
    for (const int64_t rows : {1, 2}) {
        INFO(rows);
        const Group group = planned(product(rows));
        CHECK(group.policy == "row_by_row");
        REQUIRE(group.added.size() == 1);
        CHECK(group.added[0].name == "moved_sum");  // an output is not added to in place
        CHECK(group.added[0].grade == Grade::exact);
        const std::string update = loops(group, group.added[0].id, 0);
        INFO(update);
        // Terms are outside of the loop along rows, and several of them, and all rows of sums, are inside.
        CHECK(update.find("d2/") < update.find("d0/", update.find("d2/")));
        CHECK(update.find("d2 unroll") != std::string::npos);
        CHECK((update.find("d1 unroll") != std::string::npos) == (rows > 1));
    }
}

TEST_CASE("more vectors, and rows that registers hold, are left to register tiles") {
    CHECK(planned(product(64)).policy != "row_by_row");
    CHECK(planned(product(1, 64)).policy != "row_by_row");
}

TEST_CASE("tasks have rows of their own where there are enough, and else parts of the same rows") {
    Sketch s;
    const FuncId x = s.input("x", {n, 512, 64});
    s.output(s.reduction("sum", {n, 64}, {512}, {{x, {at(0), at(2), at(1)}}}));
    const Graph many = s.graph();
    const Group planes = planned(many), one = planned(product(1));
    REQUIRE(planes.policy == "row_by_row");
    const std::string of_planes = loops(planes, planes.added[0].id, 0),
                      of_one = loops(one, one.added[0].id, 0);
    INFO(of_planes);
    INFO(of_one);
    CHECK(of_planes.rfind("d1", 0) == 0);
    CHECK(of_planes.find("d0/1024 parallel") == std::string::npos);
    CHECK(of_one.rfind("d0/", 0) == 0);
    CHECK(of_one.find("parallel") < of_one.find("d2/"));
}
