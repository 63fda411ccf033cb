// What is inlined without a price: which Funcs, what the search then sees, and that it sees the same costs.

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

#include "fusion/rules/rules.h"
#include "fusion/search/dominance.h"
#include "tests/support/graphs.h"
#include "tests/support/machines.h"
#include "tests/support/random_graph.h"
#include "tests/support/rounds.h"

using namespace eutectic;
using namespace eutectic::test;

namespace {

/** f0 → f1 → …, pointwise; the last one is an output. */
Graph chain(int length) {
    Sketch s;
    FuncId f = s.input("x", {64, 64});
    for (int k = 0; k < length; k++) {
        f = s.pointwise("f" + std::to_string(k), {64, 64}, {{f, {at(0), at(1)}}}, work(2));
    }
    s.output(f);
    return s.graph();
}

/** The names of what dominates, each with the nest that it goes into: "a>c b>c". */
std::string inlined(const Graph &g, const Pins &pins = {}) {
    const Table<FuncId, FuncId> nests = dominating_nests(g, pins, unfused(g));
    std::string text;
    for (const FuncId f : nests.ids()) {
        if (nests[f] >= 0 && nests[f] != f) {
            text += (text.empty() ? "" : " ") + g.funcs[f].name + ">" + g.funcs[nests[f]].name;
        }
    }
    return text;
}

}  // namespace

TEST_CASE("pointwise Funcs that one nest reads at its own points are inlined at once") {
    CHECK(inlined(chain(3)) == "f0>f2 f1>f2");

    Sketch fan;  // one producer, several consumers, all for one nest
    const FuncId x = fan.input("x", {64});
    const FuncId p = fan.pointwise("p", {64}, {{x, {at(0)}}});
    const FuncId a = fan.pointwise("a", {64}, {{p, {at(0)}}}), b = fan.pointwise("b", {64}, {{p, {at(0)}}});
    fan.output(fan.pointwise("y", {64}, {{a, {at(0)}}, {b, {at(0)}}}));
    CHECK(inlined(fan.graph()) == "p>y a>y b>y");
}

TEST_CASE(
    "what would be computed twice, or at other points, or belongs to a reduction, waits for its price") {
    Sketch s;
    const FuncId x = s.input("x", {64, 64});
    const FuncId twice = s.pointwise("twice", {64, 64}, {{x, {at(0), at(1)}}});  // two outputs read it
    s.output(s.pointwise("y", {64, 64}, {{twice, {at(0), at(1)}}}));
    s.output(s.pointwise("z", {64, 64}, {{twice, {at(0), at(1)}}}));
    const FuncId turned = s.pointwise("turned", {64, 64}, {{x, {at(0), at(1)}}});
    s.output(s.pointwise("t", {64, 64}, {{turned, {at(1), at(0)}}}));
    const FuncId stencil = s.pointwise("stencil", {64, 64}, {{x, {at(0), at(1)}}});
    s.output(s.pointwise("u", {64, 64}, {{stencil, {shifted(0, 2), at(1)}}}));
    const FuncId summed = s.pointwise("summed", {64, 64}, {{x, {at(0), at(1)}}});
    s.output(s.reduction("sum", {64}, {64}, {{summed, {at(1), at(0)}}}));
    const FuncId wider = s.pointwise("wider", {128, 64}, {{x, {at(0), at(1)}}});
    s.output(s.pointwise("v", {64, 64}, {{wider, {at(0), at(1)}}}));
    CHECK(inlined(s.graph()).empty());
}

TEST_CASE("pins come first, and chains end where compiling them would take long") {
    const Graph g = chain(3);
    Pins pins;
    pins.funcs.resize(g.funcs.size());
    pins.funcs[2] = Pin{Placement::Kind::root, -1};
    CHECK(inlined(g, pins) == "f0>f1");

    const Graph long_chain = chain(200);
    const Table<FuncId, FuncId> nests = dominating_nests(long_chain, {}, unfused(long_chain));
    CHECK(std::set<FuncId>(nests.begin() + 1, nests.end()).size() == 4);  // of 65, 65, 65 and 5
}

TEST_CASE("no rule moves what the search sees as a part of its readers") {
    const Graph g = chain(3);
    const SearchSpace space = [&] {
        const Machine m = round_machine();
        Completer completer(g, m);
        std::vector<Step> taken;
        return search_space(g, completer, cpu_rules(), taken);
    }();
    const FuncId part = 1, whole = 3;  // f0 and f2, after the input
    REQUIRE(space.graph.consumer_funcs(part).empty());
    // Nobody reads it there: in memory it could share the loops of what is computed from it.
    const std::vector<Rule> rules = cpu_rules();
    const Rule &back = *std::find_if(rules.begin(), rules.end(), [](const Rule &r) { return r.undoes; });
    CHECK(back.legal(space.graph, space.start, {part, {whole}}).reason() ==
          "f0 stays inlined: it is a part of f2");
    CHECK(back.legal(g, space.start, {part, {whole}}));
    CHECK(unfused(space.graph)[part].kind == Placement::Kind::inlined);
    CHECK(unfused(space.graph)[whole].kind == Placement::Kind::root);
}

TEST_CASE("nests can run one after the other, whatever a search took as one Func") {
    for (uint64_t seed = 1; seed <= rounds(200); seed++) {
        const Graph g = random_graph(seed);
        INFO(seed);
        CHECK(nests_in_order(g, plan_greedy(g, round_machine(), cpu_rules()).plan.placements));
    }
}

TEST_CASE("the search sees the costs of the whole pipeline") {
    int dominated = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {  // few have what dominates
        const Graph g = random_graph(seed);
        const Machine m = round_machine();
        Completer whole(g, m);
        std::vector<Step> taken;
        const SearchSpace space = search_space(g, whole, cpu_rules(), taken);
        Completer search(space.graph, m);
        INFO(seed);
        CHECK(search.total(space.start) == doctest::Approx(whole.total(space.start)).epsilon(1e-9));
        for (const Step &step : taken) {
            dominated += static_cast<int>(step.moved.size());
            CHECK(step.after < step.before);
        }
    }
    CHECK(dominated > 0);
}
