// What each rule allows and refuses: tables of (pipeline, edge -> sentence, placements). Cost has no say
// here.

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

std::vector<Row> matmul_read_at_coordinates() {
    return {
        {"bias after a matmul",
         [](Sketch &s) {
             const FuncId mm = add_matmul(s), b = s.input("bias", {32});
             s.output(s.pointwise("y", {32, 16}, {{mm, {at(0), at(1)}}, {b, {at(0)}}}));
         },
         "mm", ""},
        {"read transposed",
         [](Sketch &s) { s.output(s.pointwise("y", {16, 32}, {{add_matmul(s), {at(1), at(0)}}})); }, "mm",
         ""},
        {"a row sum and its root",
         [](Sketch &s) {
             const FuncId x = s.input("x", {24, 16});
             const FuncId sum = s.reduction("mm", {16}, {24}, {{x, {at(1), at(0)}}});
             s.output(s.pointwise("y", {16}, {{sum, {at(0)}}}));
         },
         "mm", ""},
        {"two readers",
         [](Sketch &s) {
             const FuncId mm = add_matmul(s);
             s.output(s.pointwise("y", {32, 16}, {{mm, {at(0), at(1)}}}));
             s.output(s.pointwise("z", {32, 16}, {{mm, {at(0), at(1)}}}));
         },
         "mm", "mm is read by 2 Funcs at Root, and one tile can serve only one of them"},
        {"read at an offset",
         [](Sketch &s) { s.output(s.pointwise("y", {31, 16}, {{add_matmul(s), {shifted(0), at(1)}}})); },
         "mm",
         "y reads mm at other coordinates than its own, so one tile of y needs more than one tile of mm"},
        {"read at two places",
         [](Sketch &s) {
             const FuncId mm = add_matmul(s);
             s.output(s.pointwise("y", {31, 16}, {{mm, {at(0), at(1)}}, {mm, {shifted(0), at(1)}}}));
         },
         "mm",
         "y reads mm at other coordinates than its own, so one tile of y needs more than one tile of mm"},
        {"one row for every row",
         [](Sketch &s) { s.output(s.pointwise("y", {32, 16}, {{add_matmul(s), {at(0), fixed()}}})); }, "mm",
         "y reads mm at other coordinates than its own, so one tile of y needs more than one tile of mm"},
        {"straight and transposed",
         [](Sketch &s) {
             const FuncId a = s.input("a", {24, 32}), b = s.input("b", {32, 24});
             const FuncId mm = s.matmul("mm", a, b, 32, 32, 24);
             s.output(s.pointwise("y", {32, 32}, {{mm, {at(0), at(1)}}, {mm, {at(1), at(0)}}}));
         },
         "mm", "y reads mm in two ways, so one tile cannot serve both"},
        {"read by a sum over its rows",
         [](Sketch &s) { s.output(s.reduction("y", {32}, {16}, {{add_matmul(s), {at(0), at(1)}}})); }, "mm",
         "y, which reads mm, is a reduction itself: it needs mm at other points than it writes"},
    };
}

std::vector<Row> matmul_with_a_use_of_its_own() {
    return {
        {"an output",
         [](Sketch &s) {
             const FuncId mm = add_matmul(s);
             s.output(mm);
             s.output(s.pointwise("y", {32, 16}, {{mm, {at(0), at(1)}}}));
         },
         "mm", "mm is an output, which the caller gets in memory"},
        {"scheduled by the user",
         [](Sketch &s) {
             const FuncId mm = add_matmul(s);
             s.user_scheduled(mm);
             s.output(s.pointwise("y", {32, 16}, {{mm, {at(0), at(1)}}}));
         },
         "mm", "mm carries a schedule of the user's, which is left as it is"},
        {"its reader scheduled by the user",
         [](Sketch &s) {
             const FuncId y = s.pointwise("y", {32, 16}, {{add_matmul(s), {at(0), at(1)}}});
             s.output(y);
             s.user_scheduled(y);
         },
         "mm", "y carries a schedule of the user's, which is left as it is"},
        {"a pair of values",
         [](Sketch &s) {
             const FuncId mm = add_matmul(s);
             s.func(mm).tuple_size = 2;
             s.output(s.pointwise("y", {32, 16}, {{mm, {at(0), at(1)}}}));
         },
         "mm", ""},
        {"a scan down its columns",
         [](Sketch &s) {
             const FuncId mm = add_matmul(s);
             s.stage(mm, 0).role = Role::scan;
             s.stage(mm, 0).own = {true, false};
             s.output(s.pointwise("y", {32, 16}, {{mm, {at(0), at(1)}}}));
         },
         "mm",
         "mm is not updated once, each point by itself, so it has no accumulators to keep in registers"},
        {"a condition that reads something else of each column",
         [](Sketch &s) {
             const FuncId mm = add_matmul(s);
             s.stage(mm, 0).role = Role::scan;
             s.stage(mm, 0).condition = {true, false, false};
             s.output(s.pointwise("y", {32, 16}, {{mm, {at(0), at(1)}}}));
         },
         "mm",
         "mm is not updated once, each point by itself, so it has no accumulators to keep in registers"},
    };
}

}  // namespace

TEST_CASE("fuse_on_write: one reader at its own coordinates, or a sentence") {
    for (const auto &table : {matmul_read_at_coordinates(), matmul_with_a_use_of_its_own()}) {
        for (const Row &row : table) {
            check(rule_named("fuse_on_write"), row);
        }
    }
}

TEST_CASE("inline_pointwise and fuse_on_read: one pure definition that nobody else needs") {
    const auto with = [](const std::function<FuncId(Sketch &, FuncId)> &make, bool reduced) {
        return [=](Sketch &s) {
            const FuncId p = make(s, s.input("x", {32, 16}));
            s.output(reduced ? s.reduction("y", {16}, {32}, {{p, {at(1), at(0)}}})
                             : s.pointwise("y", {32, 16}, {{p, {at(0), at(1)}}}));
        };
    };
    const auto pure = [](Sketch &s, FuncId x) { return s.pointwise("p", {32, 16}, {{x, {at(0), at(1)}}}); };
    const auto shifted_read = [](Sketch &s, FuncId x) {
        return s.pointwise("p", {32, 16}, {{x, {shifted(0, 2), unknown()}}});
    };
    const auto output = [=](Sketch &s, FuncId x) {
        const FuncId p = pure(s, x);
        s.output(p);
        return p;
    };
    const auto scheduled = [=](Sketch &s, FuncId x) {
        const FuncId p = pure(s, x);
        s.user_scheduled(p);
        return p;
    };
    const auto extern_stage = [](Sketch &s, FuncId x) { return s.external("p", {32, 16}, {x}); };
    const auto given_to_extern = [=](Sketch &s, FuncId x) {
        const FuncId p = pure(s, x);
        s.output(s.external("fft", {32, 16}, {p}));
        return p;
    };
    for (const bool reduced : {false, true}) {
        const Rule rule = reduced ? rule_named("fuse_on_read") : rule_named("inline_pointwise");
        check(rule, {"pure", with(pure, reduced), "p", ""});
        check(rule, {"reads anything anywhere", with(shifted_read, reduced), "p", ""});
        check(rule,
              {"output", with(output, reduced), "p", "p is an output, which the caller gets in memory"});
        check(rule, {"scheduled", with(scheduled, reduced), "p",
                     "p carries a schedule of the user's, which is left as it is"});
        check(rule,
              {"extern", with(extern_stage, reduced), "p", "p is kept as it is: it is an extern stage"});
        check(rule, {"read by an extern stage too", with(given_to_extern, reduced), "p",
                     "fft is an extern stage, which takes p as a buffer"});
    }
}

TEST_CASE("what reads at computed indices stays out of a reader that takes it at a quotient in some phases") {
    for (const bool phased : {false, true}) {
        for (const bool halved : {false, true}) {
            for (const bool computed : {false, true}) {
                INFO(phased, " ", halved, " ", computed);
                Sketch s;
                const FuncId x = s.input("x", {32, 16});
                const FuncId p =
                    s.pointwise("p", {32, 16}, {{x, {computed ? unknown() : at(0), at(1)}}}, work(1));
                s.stage(p).role = computed ? Role::gather : Role::pointwise;
                s.output(s.pointwise("y", {64, 16}, {{p, {halved ? scaled(0, 0.5) : at(0), at(1)}}}));
                Graph g = s.graph();
                for (Edge &edge : g.edges) {
                    if (edge.producer == p && phased) {
                        edge.in_phases.push_back({0, 0.5, 2});
                    }
                    for (Index &index : edge.access.indices) {
                        index.rounding = edge.producer == p && index.scale[0] == 0.5 ? 0.5 : 0;
                    }
                }
                const Rule rule = rule_named("inline_pointwise");
                const std::vector<Site> found = sites_about(rule, g, "p");
                REQUIRE(found.size() == 1);
                CHECK(rule.legal(g, unfused(g), found[0]).reason() ==
                      (phased && halved && computed
                           ? "y chooses by remainders what it reads of p at a quotient, and p reads at "
                             "computed indices, of which Halide makes no code in one Func"
                           : ""));
            }
        }
    }
}

TEST_CASE("each producer belongs to one of the inlining rules, and reductions to neither") {
    Sketch s;
    const FuncId x = s.input("x", {32, 16});
    const FuncId p = s.pointwise("p", {32, 16}, {{x, {at(0), at(1)}}});
    const FuncId q = s.pointwise("q", {32, 16}, {{x, {at(0), at(1)}}});
    const FuncId sum = s.reduction("sum", {16}, {32}, {{q, {at(1), at(0)}}});
    s.output(s.pointwise("y", {32, 16}, {{p, {at(0), at(1)}}, {q, {at(0), at(1)}}, {sum, {at(1)}}}));
    const Graph g = s.graph();
    for (const char *name : {"p", "q", "sum", "y", "x"}) {
        INFO(name);
        CHECK(sites_about(rule_named("inline_pointwise"), g, name).size() ==
              (std::string(name) == "p" ? 1 : 0));
        CHECK(sites_about(rule_named("fuse_on_read"), g, name).size() == (std::string(name) == "q" ? 1 : 0));
        CHECK(sites_about(rule_named("fuse_on_write"), g, name).size() ==
              (std::string(name) == "sum" ? 1 : 0));
    }
}

TEST_CASE("readers: those at Root, through what is inlined") {
    Sketch s;
    const FuncId x = s.input("x", {32, 16});
    const FuncId p = s.pointwise("p", {32, 16}, {{x, {at(0), at(1)}}});
    const FuncId q = s.pointwise("q", {16, 32}, {{p, {at(1), at(0)}}});
    const FuncId y = s.pointwise("y", {32, 16}, {{q, {at(1), at(0)}}});
    s.output(y);
    const Graph g = s.graph();
    Placements placements = unfused(g);
    const std::vector<Reader> direct = readers(g, placements, p);
    REQUIRE(direct.size() == 1);
    CHECK(direct[0].func == q);
    placements[q].kind = Kind::inlined;
    const std::vector<Reader> through = readers(g, placements, p);
    REQUIRE(through.size() == 1);
    CHECK(through[0].func == y);
    CHECK(through[0].access.indices[0].equals_dim() == 0);  // transposed twice
}

TEST_CASE("a reduction at a tile follows when the tile's Func is inlined") {
    // mm -> z -> y: mm sits at z; inlining z into y takes mm along.
    Sketch s;
    const FuncId mm = add_matmul(s);
    const FuncId z = s.pointwise("z", {32, 16}, {{mm, {at(0), at(1)}}});
    const FuncId y = s.pointwise("y", {32, 16}, {{z, {at(0), at(1)}}});
    s.output(y);
    const Graph g = s.graph();
    Placements placements = unfused(g);
    placements[mm] = {Kind::at, z};
    const Placements next = inline_producer(g, placements, z);
    CHECK(next[z] == Placement{Kind::inlined, -1});
    CHECK(next[mm] == Placement{Kind::at, y});

    // With a second reader of z there is no such tile: back to Root.
    s.output(s.pointwise("y2", {32, 16}, {{z, {at(0), at(1)}}}));
    const Graph two = s.graph();
    placements = unfused(two);
    placements[mm] = {Kind::at, z};
    CHECK(inline_producer(two, placements, z)[mm] == Placement{Kind::root, -1});
}
