// divide_after_reduction: what it allows and refuses, where it leads, what the plan says, and what it is
// priced by.

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>

#include "fusion/rewrite.h"
#include "fusion/rules/rules.h"
#include "fusion/search/completer.h"
#include "fusion/search/plan_beam.h"
#include "fusion/search/plan_sample.h"
#include "schedules/rewrites/made_rewrite.h"
#include "tests/support/machines.h"
#include "tests/support/patterns.h"
#include "tests/support/rounds.h"
#include "tests/support/rule_named.h"

using namespace eutectic;
using namespace eutectic::test;

namespace {

using Kind = Placement::Kind;

constexpr int64_t columns = 64, rows = 96, keys = 256;

/** sum(i) of e's rows, p = e / sum, c(j, i) += p(k, i) * v(j, k). */
struct Weighted {
    Sketch s;
    FuncId x = s.input("x", {keys, rows}), v = s.input("v", {columns, keys});
    FuncId e = s.pointwise("e", {keys, rows}, {{x, {at(0), at(1)}}}, work(1, 0, 1));
    FuncId sum = s.reduction("sum", {rows}, {keys}, {{e, {at(1), at(0)}}});
    FuncId p = s.pointwise("p", {keys, rows}, {{e, {at(0), at(1)}}, {sum, {at(1)}}}, work(0, 1));
    FuncId c = s.matmul("c", p, v, columns, rows, keys);

    Weighted() {
        late_division(s, c, p, {{e, {at(0), at(1)}}}, {{e, {at(2), at(1)}}, {v, {at(0), at(2)}}},
                      {sum, {at(1)}});
    }
    /** y(j, i) = f(c(j, i)) is the output. */
    FuncId with_reader() {
        const FuncId y = s.pointwise("y", {columns, rows}, {{c, {at(0), at(1)}}});
        s.output(y);
        return y;
    }
};

Verdict verdict(const Graph &g, FuncId c) {
    const Rule rule = rewrite_rule_named("divide_after_reduction");
    const std::vector<Site> sites = rule.match(g, unfused(g));
    REQUIRE(sites.size() == 1);
    CHECK(sites[0].producer == c);
    return rule.legal(g, unfused(g), sites[0]);
}

std::vector<Placements> candidates(const Graph &g, const Placements &now) {
    const Rule rule = rewrite_rule_named("divide_after_reduction");
    return rule.candidates(g, now, rule.match(g, now).at(0));
}

double divisions(const Group &group) {
    double n = 0;
    for (const NestedStage &s : priced_stages(group)) {
        for (const Part &part : s.work->parts) {
            n += part.body.divisions * s.work->points();
        }
    }
    return n;
}

}  // namespace

TEST_CASE("divide_after_reduction: a sum that starts at 0, or a sentence") {
    struct Row {
        const char *what;
        std::function<void(const Weighted &, Graph &)> change;
        const char *refusal;
    };
    const Row table[] = {
        {"a quotient, then a matmul", [](const Weighted &, Graph &) {}, ""},
        {"strict numerics", [](const Weighted &, Graph &g) { g.strict = true; },
         "dividing the sum c instead of its terms would round otherwise, which strict numerics forbid"},
        {"another start", [](const Weighted &w, Graph &g) { own_late_division(g, w.c).from_zero = false; },
         "c does not start at 0, and what it starts at would be divided with the sum"},
        {"the sum scheduled", [](const Weighted &w, Graph &g) { g.funcs[w.c].user_scheduled = true; },
         "c carries a schedule of the user's, which is left as it is"},
        {"the quotient scheduled", [](const Weighted &w, Graph &g) { g.funcs[w.p].user_scheduled = true; },
         "p carries a schedule of the user's, which is left as it is"},
        {"the quotient kept",
         [](const Weighted &w, Graph &g) { g.funcs[w.p].own_buffer_reason = "is memoized"; },
         "p is memoized"},
        {"a single value", [](const Weighted &w, Graph &g) { g.funcs[w.c].extents.clear(); },
         "c is a single value: it has no tile whose writer could divide"},
    };
    for (const Row &row : table) {
        INFO(row.what);
        Weighted w;
        w.with_reader();
        Graph g = w.s.graph();
        row.change(w, g);
        const Verdict v = verdict(g, w.c);
        CHECK(static_cast<bool>(v) == std::string(row.refusal).empty());
        CHECK(v.reason() == row.refusal);
    }
    Weighted taken;
    taken.s.output(taken.s.external("z", {columns, rows}, {taken.c}));
    CHECK(verdict(taken.s.graph(), taken.c).reason() == "z is an extern stage, which takes c as a buffer");
    Sketch plain;
    const FuncId a = plain.input("a", {24, 16}), b = plain.input("b", {32, 24});
    plain.output(plain.matmul("mm", a, b, 32, 16, 24));
    const Graph g = plain.graph();
    CHECK(rewrite_rule_named("divide_after_reduction").match(g, unfused(g)).empty());
}

TEST_CASE("where it leads: the sum divides, the quotient no longer; it may be inlined with it") {
    Weighted w;
    const FuncId y = w.with_reader();
    row_division(w.s, w.p, {false, true});
    const Graph g = w.s.graph();
    Placements start = unfused(g);
    start.use(reciprocal_rewrite(), w.p);
    const std::vector<Placements> all = candidates(g, start);
    REQUIRE(all.size() == 2);
    CHECK(all[0].uses(late_division_rewrite(), w.c));
    CHECK_FALSE(all[0].uses(reciprocal_rewrite(), w.p));
    CHECK(all[0][w.p].kind == Kind::root);
    CHECK(all[1][w.p].kind == Kind::inlined);
    CHECK(rewrite_rule_named("divide_after_reduction").match(g, all[0]).empty());
    const Verdict reciprocal = rewrite_rule_named("multiply_by_reciprocal").legal(g, all[0], {w.p, {w.p}});
    CHECK(reciprocal.reason() == "p no longer divides: what c sums up is divided afterwards");
    // What reads the row's sum is now whatever divides.
    const std::vector<Reader> before = readers(g, start, w.sum), after = readers(g, all[0], w.sum);
    REQUIRE((before.size() == 1 && after.size() == 1));
    CHECK(before[0].func == w.p);
    CHECK(after[0].func == w.c);
    // Moving the sum to the reader's tile keeps the division where it is.
    const Placements at_tile = rule_named("fuse_on_write").candidates(g, all[1], {w.c, {y}}).front();
    CHECK(at_tile[w.c].kind == Kind::at);
    CHECK(at_tile.uses(late_division_rewrite(), w.c));
}

TEST_CASE("another reader of the quotient keeps it") {
    Weighted w;
    w.with_reader();
    const FuncId z = w.s.pointwise("z", {keys, rows}, {{w.p, {at(0), at(1)}}});
    w.s.output(z);
    const Graph g = w.s.graph();
    CHECK(verdict(g, w.c));
    CHECK(undivided_quotient(g, w.c) == -1);
    const Placements next = candidates(g, unfused(g)).front();
    CHECK_FALSE(also_changed_by(g, next, w.p).has_value());
    const Graph &rewritten = next.rewritten(g);
    CHECK(rewritten.pure_stage(w.p).body.divisions == 1);
    CHECK(rewritten.consumer_funcs(w.p) == std::vector<FuncId>{z});
    CHECK(rewritten.consumer_funcs(w.e) == std::vector<FuncId>{w.sum, w.p, w.c});
}

TEST_CASE("the work: a division an element of the result, none an element of the operand") {
    for (const bool output : {false, true}) {
        INFO(output);
        Weighted w;
        if (output) {
            w.s.output(w.c);
        } else {
            w.with_reader();
        }
        const Graph g = w.s.graph();
        const Machine m = round_machine();
        const auto count = [&](const Placements &placements) {
            double n = 0;
            for (const Group &group : complete(g, m, placements).groups) {
                n += divisions(group);
            }
            return n;
        };
        const std::vector<Placements> all = candidates(g, unfused(g));
        CHECK(count(unfused(g)) == keys * rows);
        CHECK(count(all[0]) == columns * rows);
        CHECK(count(all[1]) == columns * rows);
        // Inlined, nothing of it is left to be stored.
        CHECK(complete(g, m, all[1]).groups.size() + 1 == complete(g, m, all[0]).groups.size());
        const FusionPlan plan = complete(g, m, all[0]);
        const Group &group = *std::find_if(plan.groups.begin(), plan.groups.end(),
                                           [&](const Group &each) { return each.root == w.c; });
        CHECK((group.policy == "register_tile" || group.policy == "cache_block"));
        const auto added = [&](const char *name) {
            const auto it = std::find_if(group.added.begin(), group.added.end(),
                                         [&](const Added &a) { return a.name == name; });
            REQUIRE(it != group.added.end());
            return it->id;
        };
        const std::string id = std::to_string(added("division")),
                          of = std::to_string(output ? added("moved_sum") : w.c);
        CHECK(to_string(plan).find("  add f" + id + " = division of f" + of + " with f" +
                                   std::to_string(w.p) + " (reassociating)\n") != std::string::npos);
        CHECK(std::none_of(group.added.begin(), group.added.end(),
                           [](const Added &a) { return a.name == "write_tile"; }));
    }
}

TEST_CASE("at its reader's tile the reader divides") {
    Weighted w;
    const FuncId y = w.with_reader();
    const Graph g = w.s.graph();
    Placements placements = candidates(g, unfused(g)).back();
    placements[w.c] = {Kind::at, y};
    const FusionPlan plan = complete(g, round_machine(), placements);
    const Group &group = plan.groups.back();
    REQUIRE(group.root == y);
    CHECK(divisions(group) == columns * rows);
    REQUIRE_FALSE(group.added.empty());
    CHECK(group.added.front().name == "division");
    CHECK(group.added.front().grade == Grade::reassociating);
    const std::vector<Load> loads = priced_stages(group).front().work->loads;
    CHECK(std::count_if(loads.begin(), loads.end(), [&](const Load &l) { return l.producer == w.sum; }) == 1);
}

TEST_CASE("the planners take it where it pays, and only there") {
    const auto divides = [](const FusionPlan &plan, FuncId c) {
        return plan.placements.uses(late_division_rewrite(), c);
    };
    Weighted w;
    w.with_reader();
    Graph g = w.s.graph();
    Machine m = round_machine();
    m.division_cycles = 20;
    CHECK(divides(plan_greedy(g, m, cpu_rules(cpu_rewrite_rules())).plan, w.c));
    CHECK(divides(plan_beam(g, m, cpu_rules(cpu_rewrite_rules())).plan, w.c));
    const int draws = std::max(rounds(60), 8);
    int drawn = 0;
    for (int seed = 0; seed < draws; seed++) {
        drawn +=
            divides(plan_sample(g, m, cpu_rules(cpu_rewrite_rules()), static_cast<uint64_t>(seed)).plan, w.c)
                ? 1
                : 0;
    }
    CHECK(drawn > 0);
    CHECK(drawn < draws);
    g.strict = true;
    CHECK_FALSE(divides(plan_greedy(g, m, cpu_rules(cpu_rewrite_rules())).plan, w.c));

    // A few keys for very wide results: the quotients are fewer than the results.
    Sketch s;
    const FuncId x = s.input("x", {4, rows}), r = s.input("r", {rows}), v = s.input("v", {4096, 4});
    const FuncId p = s.pointwise("p", {4, rows}, {{x, {at(0), at(1)}}, {r, {at(1)}}}, work(0, 1));
    const FuncId c = s.matmul("c", p, v, 4096, rows, 4);
    late_division(s, c, p, {{x, {at(0), at(1)}}}, {{x, {at(2), at(1)}}, {v, {at(0), at(2)}}}, {r, {at(1)}});
    s.output(s.pointwise("y", {4096, rows}, {{c, {at(0), at(1)}}}));
    CHECK_FALSE(divides(plan_greedy(s.graph(), m, cpu_rules(cpu_rewrite_rules())).plan, c));
}
