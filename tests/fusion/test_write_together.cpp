// write_together: which Funcs one nest may write, as tables of (pipeline, pair -> sentence, placements).

#include "rule_table.h"

#include <doctest/doctest.h>

#include "fusion/rules/rule.h"
#include "fusion/rules/rules.h"
#include "tests/support/graphs.h"
#include "tests/support/rule_named.h"

using namespace eutectic;
using namespace eutectic::test;

namespace {

using Kind = Placement::Kind;

std::vector<Row> pairs_of_outputs() {
    const auto pair = [](const Extents &second, const std::function<void(Sketch &, FuncId, FuncId)> &change) {
        return [=](Sketch &s) {
            const FuncId x = s.input("x", {32, 16}), bias = s.input("bias", {32});
            const FuncId a = s.pointwise("a", {32, 16}, {{x, {at(0), at(1)}}});
            const FuncId b = s.pointwise("b", second, {{x, {at(0), at(1)}}, {bias, {at(0)}}});
            s.output(a);
            s.output(b);
            change(s, a, b);
        };
    };
    const auto as_is = [](Sketch &, FuncId, FuncId) {};
    return {
        {"two outputs", pair({32, 16}, as_is), "a", ""},
        {"other extents", pair({32, 15}, as_is), "a",
         "a and b have other extents, so one nest would not fit both"},
        {"the first scheduled by the user",
         pair({32, 16}, [](Sketch &s, FuncId a, FuncId) { s.user_scheduled(a); }), "a",
         "a carries a schedule of the user's, which is left as it is"},
        {"the second", pair({32, 16}, [](Sketch &s, FuncId, FuncId b) { s.user_scheduled(b); }), "a",
         "b carries a schedule of the user's, which is left as it is"},
        {"kept",
         pair({32, 16},
              [](Sketch &s, FuncId, FuncId b) {
                  s.func(b).own_buffer_reason = "is traced: whoever traces sees its buffer";
              }),
         "a", "b is traced: whoever traces sees its buffer"},
    };
}

std::vector<Row> pairs_with_a_reader() {
    return {
        {"an intermediate and an output",
         [](Sketch &s) {
             const FuncId x = s.input("x", {32, 16});
             const FuncId a = s.pointwise("a", {32, 16}, {{x, {at(0), at(1)}}});
             s.output(s.pointwise("b", {32, 16}, {{x, {at(0), at(1)}}}));
             s.output(s.reduction("sum", {16}, {32}, {{a, {at(1), at(0)}}}));
         },
         "a", ""},
        {"read by the other",
         [](Sketch &s) {
             const FuncId x = s.input("x", {32, 16});
             const FuncId a = s.pointwise("a", {32, 16}, {{x, {at(0), at(1)}}});
             s.output(a);
             s.output(s.pointwise("b", {32, 16}, {{x, {at(0), at(1)}}, {a, {at(0), at(1)}}}));
         },
         "a", "b is computed from what the same nest would write"},
        {"read by what the other reads",
         [](Sketch &s) {
             const FuncId x = s.input("x", {32, 16});
             const FuncId a = s.pointwise("a", {32, 16}, {{x, {at(0), at(1)}}});
             const FuncId sum = s.reduction("sum", {16}, {32}, {{a, {at(1), at(0)}}});
             s.output(a);
             s.output(s.pointwise("b", {32, 16}, {{x, {at(0), at(1)}}, {sum, {at(1)}}}));
         },
         "a", "b is computed from what the same nest would write"},
        {"the first one's other pair is legal",
         [](Sketch &s) {
             const FuncId x = s.input("x", {32, 16});
             const FuncId a = s.pointwise("a", {32, 16}, {{x, {at(0), at(1)}}});
             s.output(a);
             s.output(s.pointwise("b", {32, 16}, {{x, {at(0), at(1)}}, {a, {at(0), at(1)}}}));
             s.output(s.pointwise("c", {32, 16}, {{x, {at(0), at(1)}}}));
         },
         "a", ""},
    };
}

}  // namespace

TEST_CASE("write_together: pure Funcs over one domain, of which none is computed from another") {
    for (const auto &table : {pairs_of_outputs(), pairs_with_a_reader()}) {
        for (const Row &row : table) {
            check(rule_named("write_together"), row);
        }
    }
}

TEST_CASE("write_together looks at what is read at the same points, all along the loops") {
    // The second output of 16 rows goes over other points: only what both read speaks for one nest.
    const auto sites = [](const Table<DimId, At> &of_x, bool shared_bias, int64_t rows) {
        Sketch s;
        const FuncId x = s.input("x", {16, 32}), other = s.input("other", {16, 32}),
                     bias = s.input("bias", {16});
        s.output(s.pointwise("a", {16, 32}, {{x, {at(0), at(1)}}, {bias, {at(0)}}}));
        s.output(s.pointwise("b", {16, rows},
                             {shared_bias ? Read{other, {at(0), at(1)}} : Read{x, of_x}, {bias, {at(0)}}}));
        return sites_about(rule_named("write_together"), s.graph(), "a").size();
    };
    CHECK(sites({at(0), at(1)}, false, 16) == 1);
    CHECK(sites({at(1), at(0)}, false, 16) == 0);
    CHECK(sites({shifted(0), at(1)}, false, 16) == 0);
    CHECK(sites({}, true, 16) == 0);               // a row of 16 for all 256 points
    CHECK(sites({at(1), at(0)}, false, 32) == 1);  // the same points, hence one parallel loop instead of two
}

TEST_CASE("write_together: whole nests join, and part again when one of them is wanted elsewhere") {
    Sketch s;
    const FuncId x = s.input("x", {32, 16});
    const FuncId mm = add_matmul(s);
    std::vector<FuncId> written;
    for (const char *name : {"a", "b", "c"}) {
        written.push_back(s.pointwise(name, {32, 16}, {{x, {at(0), at(1)}}}));
        s.output(written.back());
    }
    const FuncId d = s.pointwise("d", {32, 16}, {{x, {at(0), at(1)}}, {mm, {at(0), at(1)}}});
    s.output(d);
    const Graph g = s.graph();
    Placements placements = unfused(g);
    const auto join = [&](FuncId first, FuncId second) {
        placements = rule_named("write_together").candidates(g, placements, {first, {second}}).front();
    };
    join(written[0], written[1]);
    CHECK(placements[written[0]] == Placement{Kind::joint, written[1]});
    // The same site again, as a search may have it from before.
    CHECK(rule_named("write_together").legal(g, placements, {written[0], {written[1]}}).reason() ==
          "a has no nest of its own");
    join(written[1], written[2]);
    CHECK(placements[written[0]] == Placement{Kind::joint, written[2]});
    join(written[2], d);
    for (const FuncId f : written) {
        CHECK(placements[f] == Placement{Kind::joint, d});
    }
    // The matmul may still go to d's tile, which then is d's alone.
    const Site site{mm, {d}};
    CHECK(rule_named("fuse_on_write").legal(g, placements, site));
    const Placements tiled = rule_named("fuse_on_write").candidates(g, placements, site).front();
    CHECK(tiled[mm] == Placement{Kind::at, d});
    for (const FuncId f : written) {
        CHECK(tiled[f] == Placement{Kind::root, -1});
        CHECK(may_write_with(g, tiled, f, d).reason() == "d's loops hold mm, and are its own");
        CHECK(may_write_with(g, placements, f, written[0]).reason() ==
              "a, whose loops would write " + g.funcs[f].name + ", is not at Root");
    }
}

TEST_CASE("write_together: nests that wait for each other stay apart") {
    // a and b read x, c and d read z; c is computed from a, b from d: with a and b in one nest, c and d
    // cannot be in one.
    Sketch s;
    const FuncId x = s.input("x", {32}), z = s.input("z", {32});
    const FuncId a = s.pointwise("a", {32}, {{x, {at(0)}}}), d = s.pointwise("d", {32}, {{z, {at(0)}}});
    const FuncId c = s.pointwise("c", {32}, {{z, {at(0)}}, {a, {at(0)}}}),
                 b = s.pointwise("b", {32}, {{x, {at(0)}}, {d, {at(0)}}});
    for (const FuncId f : {a, d, c, b}) {
        s.output(f);
    }
    const Graph g = s.graph();
    Placements placements = unfused(g);
    CHECK(may_write_with(g, placements, d, c));
    CHECK(may_write_with(g, placements, a, b));
    placements[a] = {Kind::joint, b};
    CHECK(may_write_with(g, placements, d, c).reason() ==
          "c is computed from what the same nest would write");
}
