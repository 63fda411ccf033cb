// Pins: what a person decides is in the plan, the rest is completed, and what cannot be is refused by name.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "base/user_error.h"
#include "fusion/plan/pins.h"
#include "fusion/rules/rule.h"
#include "fusion/search/plan_beam.h"
#include "tests/support/graphs.h"
#include "tests/support/machines.h"
#include "tests/support/random_graph.h"
#include "tests/support/rounds.h"

using namespace eutectic;
using namespace eutectic::test;

namespace {

using Kind = Placement::Kind;

Planned planned(const Graph &g, const std::string &pins) {
    return plan_greedy(g, round_machine(), cpu_rules(), parse_pins(pins, "p.json", g));
}

/** Everything that is refused, in reading or in planning. */
std::string refusal(const Graph &g, const std::string &pins) {
    try {
        planned(g, pins);
    } catch (const UserError &e) {
        return e.what();
    }
    return "";
}

FuncId named(const Graph &g, const std::string &name) {
    const auto at =
        std::find_if(g.funcs.begin(), g.funcs.end(), [&](const FuncInfo &f) { return f.name == name; });
    REQUIRE(at != g.funcs.end());
    return g.funcs.id_of(at);
}

Placement placement(const Graph &g, const Planned &p, const std::string &name) {
    return p.plan.placements[named(g, name)];
}

/** The name of the consumer's dim over which the loop runs that `name` is computed in. */
std::string loop_of(const Graph &g, const Planned &p, const std::string &name) {
    const FuncId f = named(g, name);
    for (const Group &group : p.plan.groups) {
        const TreeFunc *const found = group.tree.find(f);
        if (found && found->computed) {
            const LoopRef &at = *found->computed;
            const TreeStage &stage = group.tree.at(at.func, at.update);
            return stage.dims.at(stage.loops.at(at.loop).dim).name;
        }
    }
    return "";
}

/** x → a → b → y, and x → c → y. */
Graph diamond() {
    Sketch s;
    const FuncId x = s.input("x", {64, 64}), a = s.pointwise("a$3", {64, 64}, {{x, {at(0), at(1)}}}),
                 b = s.pointwise("b", {64, 64}, {{a, {at(0), at(1)}}});
    const FuncId c = s.pointwise("c", {64, 64}, {{x, {at(0), at(1)}}});
    s.output(s.pointwise("y", {64, 64}, {{b, {at(0), at(1)}}, {c, {at(0), at(1)}}}));
    return s.graph();
}

}  // namespace

TEST_CASE("an edge that is never to be fused: a sum in strips of rows does not recompute them") {
    Sketch s;
    const int64_t columns = 1024, rows = 65536;
    const FuncId d = s.input("d", {columns, rows}),
                 z = s.pointwise("z", {columns, rows}, {{d, {at(0), at(1)}}}),
                 b = s.reduction("b", {columns}, {rows}, {{z, {at(0), at(1)}}});
    s.output(z);
    s.output(b);
    const Graph g = s.graph();
    for (auto *plan : {&plan_greedy, &plan_beam}) {
        const auto with = [&](const std::string &pins) {
            return (*plan)(g, round_machine(), cpu_rules(), parse_pins(pins, "p.json", g));
        };
        CHECK(placement(g, with("{}"), "b") == Placement{Kind::strips, z});
        CHECK(placement(g, with(R"({"edges": {"z→b": "never fuse"}})"), "b").kind != Kind::strips);
    }
}

TEST_CASE("what is pinned is in the plan, whatever it costs, and the rest is planned") {
    const Graph g = dense(128, 784, 256);
    const std::string in_matmul = g.pure_stage(named(g, "relu")).dims[0].name,
                      rows = g.pure_stage(named(g, "relu")).dims[1].name;
    for (auto *plan : {&plan_greedy, &plan_beam}) {
        const auto with = [&](const std::string &pins) {
            return (*plan)(g, round_machine(), cpu_rules(), parse_pins(pins, "p.json", g));
        };
        CHECK(placement(g, with("{}"), "matmul").kind == Kind::at);
        const Planned root = with(R"({"matmul": "root"})");
        CHECK(materialized(placement(g, root, "matmul")));
        CHECK_FALSE(materialized(placement(g, root, "z")));
        CHECK(materialized(placement(g, with(R"({"edges": {"matmul→z": "never fuse"}})"), "matmul")));
        CHECK(materialized(placement(g, with(R"({"edges": {"matmul -> z": "never fuse"}})"), "matmul")));
        for (const std::string &loop : {in_matmul, rows}) {
            const Planned at = with(R"({"matmul": {"at": ["relu", ")" + loop + R"("]}})");
            CHECK(placement(g, at, "matmul").consumer == named(g, "relu"));
            CHECK(loop_of(g, at, "matmul") == loop);
            CHECK(placement(g, at, "z").kind != Kind::root);  // it stands between the two
            CHECK(std::isfinite(at.plan.cost().total()));
        }
        CHECK(placement(g, with(R"({"matmul": {"at": ["z"]}, "z": "root"})"), "matmul").consumer ==
              named(g, "z"));
    }
}

TEST_CASE("a name without its number will do") {
    const Graph g = diamond();
    CHECK(materialized(placement(g, planned(g, R"({"a": "root"})"), "a$3")));
    CHECK(materialized(placement(g, planned(g, R"({"a$3": "root"})"), "a$3")));
    CHECK(placement(g, planned(g, R"({"a": "inline"})"), "a$3").kind == Kind::inlined);
}

TEST_CASE("a plan that was written down as pins is that plan") {
    int away = 0;
    for (uint64_t seed = 0; seed < rounds(200); seed++) {
        INFO(seed);
        const Graph g = random_graph(seed);
        const Planned first = plan_greedy(g, round_machine(), cpu_rules());
        const std::string pins = to_text(g, pins_of(g, first.plan, {}));
        const Planned again = planned(g, pins);
        for (const FuncId f : g.funcs.ids()) {
            const Placement &p = first.plan.placements[f], &q = again.plan.placements[f];
            if (g.funcs[f].output || pins.find("\"" + g.funcs[f].name + "\":") == std::string::npos) {
                continue;  // an output, or what several Funcs of a nest share in blocks
            }
            CHECK((p.kind == q.kind || (materialized(p) && materialized(q)) ||
                   (p.consumer == q.consumer && !materialized(p) && !materialized(q))));
            away += p.kind == Kind::at || p.kind == Kind::block ? 1 : 0;
        }
        CHECK(std::isfinite(again.plan.cost().total()));
    }
    CHECK(away > (sanitized ? 0 : 25));  // of a dozen rounds one or two
}

TEST_CASE("any pin of a random pipeline is obeyed or refused in a sentence") {
    int obeyed = 0, refused = 0;
    for (uint64_t seed = 0; seed < rounds(24); seed++) {
        const Graph g = random_graph(seed);
        for (const FuncId f : g.funcs.ids()) {
            const std::string name = g.funcs[f].name, reader = g.funcs.back().name;
            for (const std::string &pin :
                 {std::string(R"("inline")"), std::string(R"("root")"), R"({"at": [")" + reader + R"("]})"}) {
                INFO(seed << " " << name << " " << pin);
                const std::string text = "{\"" + name + "\": " + pin + "}";
                const std::string sentence = refusal(g, text);
                if (sentence.empty()) {
                    const FusionPlan plan = planned(g, text).plan;
                    CHECK(obeys(g, parse_pins(text, "p.json", g), plan.placements));
                    CHECK(std::isfinite(plan.cost().total()));
                    obeyed++;
                } else {
                    CHECK(sentence.find(name) != std::string::npos);
                    CHECK(sentence.back() == '.');
                    refused++;
                }
            }
        }
    }
    CHECK(obeyed > rounds(60));
    CHECK(refused > rounds(60));
}

TEST_CASE("contradictions name both sides") {
    const Graph d = dense(128, 784, 256), g = diamond();
    CHECK(refusal(d, R"({"z": "inline", "edges": {"z→relu": "never fuse"}})") ==
          "The pins in p.json contradict each other: the pin of z, inline, and the pin of the edge z→relu, "
          "never fuse, cannot both hold, because what never fuses is in memory as a whole: leave one "
          "of them out.");
    CHECK(refusal(d, R"({"matmul": {"at": ["z"]}, "z": "inline"})") ==
          "The pins in p.json contradict each other: the pin of matmul, at z, and the pin of z, inline, "
          "cannot both hold, because what is inlined has no loops: leave one of them out.");
    CHECK(refusal(d, R"({"matmul": {"at": ["relu"]}, "z": "root"})") ==
          "The pins in p.json contradict each other: the pin of matmul, at relu, and the pin of z, root, "
          "cannot both hold, because z reads matmul, or something made of it, outside the loops of relu: "
          "leave one of them out.");
    CHECK(refusal(g, R"({"b": "root", "b": "inline"})") ==
          "The pins in p.json name b twice, and one would overrule the other: leave one of them.");
    CHECK(refusal(g, R"({"a": "root", "a$3": "inline"})") ==
          "The pins in p.json name a$3 twice, and one would overrule the other: leave one of them.");
}

TEST_CASE("what no schedule does is refused by name") {
    const Graph d = dense(128, 784, 256), g = diamond();
    const std::string at = g.pure_stage(named(g, "y")).dims[0].name;
    CHECK(refusal(d, R"({"matmul": "inline"})") ==
          "The pins in p.json ask for what cannot be: the pin of matmul, inline: matmul has update "
          "definitions, which cannot be inlined.");
    CHECK(refusal(d, R"({"relu": "inline"})") ==
          "The pins in p.json ask for what cannot be: the pin of relu, inline: relu is an output, which the "
          "caller gets in memory.");
    CHECK(refusal(g, R"({"b": {"at": ["c"]}})") ==
          "The pins in p.json put b into the loops of c, which does not read it: name a Func that does.");
    CHECK(refusal(g, R"({"b": {"at": ["b"]}})") ==
          "The pins in p.json put b into its own loops: name a Func that reads it.");
    CHECK(refusal(g, R"({"b": {"at": ["x"]}})") == "The pins in p.json put b into the loops of x, which is "
                                                   "an input and has none: name a Func that reads b.");
    CHECK(refusal(g, R"({"b": {"at": ["y", "k"]}})")
              .find("put b into the loop k of y, which has " + at + ", ") != std::string::npos);
    CHECK(refusal(g, R"({"x": "root"})") ==
          "The pins in p.json name x, which is an input, and is where the caller has it: leave it out.");
    CHECK(refusal(g, R"({"bb": "root"})") ==
          "The pins in p.json name bb, which is no Func of this pipeline: the nearest is b.");
    CHECK(refusal(g, R"({"something": "root"})") ==
          "The pins in p.json name something, which is no Func of this pipeline: it has a$3, b, c, y.");
    CHECK(refusal(g, R"({"b": "memory"})") ==
          R"(The pins in p.json say "memory" of b: write "inline", "root" or {"at": ["CONSUMER", "LOOP"]}.)");
    CHECK(refusal(g, R"({"edges": {"b→c": "never fuse"}})") ==
          "The pins in p.json name the edge b→c, but c does not read b: "
          "name a Func and one that reads it.");
    CHECK(refusal(g, R"({"edges": {"b,y": "never fuse"}})") ==
          R"(The pins in p.json name the edge "b,y", which is none: write "PRODUCER→READER".)");
    CHECK(refusal(g, R"({"edges": {"b→y": "fuse"}})") ==
          R"(The pins in p.json say "fuse" of the edge b→y: write "never fuse".)");
    CHECK(refusal(g, "[]") == "The pins in p.json are no JSON object: write {\"NAME\": \"inline\"}, \"root\" "
                              "or {\"at\": [\"CONSUMER\", \"LOOP\"]}.");
}
