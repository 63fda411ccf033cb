// Copies of what the rows of a block are multiplied by.

#include <doctest/doctest.h>

#include <algorithm>

#include "fusion/rules/rule.h"
#include "fusion/search/completer.h"
#include "tests/support/graphs.h"
#include "tests/support/machines.h"

using namespace eutectic;
using namespace eutectic::test;

namespace {

struct Product {
    Sketch s;
    FuncId x, w, product, y;

    /** y(j, i) = sum over r of x(i, r) w(j, r), or of x(r, i) w(j, r). */
    explicit Product(bool transposed, int64_t m = 512, int64_t k = 512, int64_t n = 512) {
        x = s.input("x", transposed ? Extents{m, k} : Extents{k, m});
        w = s.input("w", {n, k});
        const Read of_x = transposed ? Read{x, {at(1), at(2)}} : Read{x, {at(2), at(1)}};
        product = s.contraction("product", {n, m}, {k}, {of_x, {w, {at(0), at(2)}}});
        y = s.pointwise("y", {n, m}, {{product, {at(0), at(1)}}});
        s.output(y);
    }

    Group group() const {
        const Graph g = s.graph();
        Placements placements = unfused(g);
        placements[product] = {Placement::Kind::at, y};
        const Machine machine = round_machine();
        return Completer(g, machine, {}).plan(placements).groups[0];
    }
};

/** The copy of `of` in `group`, or null. */
const TreeFunc *copy_in(const Group &group, FuncId of) {
    for (const Added &a : group.added) {
        if (a.kind == Added::Kind::pack && a.of == of) {
            return &group.tree.at(a.id);
        }
    }
    return nullptr;
}

}  // namespace

TEST_CASE(
    "where terms lie apart, a block copies what its rows are multiplied by, once for all of its columns") {
    const Product product(true);
    const Group group = product.group();
    CHECK(group.policy == "cache_block");
    const TreeFunc *copy = copy_in(group, product.x);
    REQUIRE(copy);
    CHECK(copy->storage.front() == 0);                 // rows stay side by side
    CHECK(copy->stages.front().dims[1].extent < 512);  // of a chunk
}

TEST_CASE("where terms lie side by side, nothing is copied for rows") {
    const Product product(false);
    CHECK_FALSE(copy_in(product.group(), product.x));
}

TEST_CASE("a product of one column of tiles reads what its rows are multiplied by once, and copies nothing") {
    const Product product(true, 512, 2048, 8);
    CHECK_FALSE(copy_in(product.group(), product.x));
}
