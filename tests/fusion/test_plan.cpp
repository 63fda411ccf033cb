// Completing placements: groups, loops and Added Funcs of the policies, as invariants and as text that no
// name enters.

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "fusion/plan/made_ids.h"
#include "fusion/plan/plan.h"
#include "fusion/rules/rule.h"
#include "fusion/search/completer.h"
#include "tests/support/graphs.h"
#include "tests/support/machines.h"

using namespace eutectic;
using namespace eutectic::test;

namespace {

const Group &group_of(const FusionPlan &plan, FuncId root) {
    const auto it =
        std::find_if(plan.groups.begin(), plan.groups.end(), [&](const Group &g) { return g.root == root; });
    REQUIRE(it != plan.groups.end());
    return *it;
}

int64_t product_of(const Nest &nest, const Dims &dims, Loop::Kind kind) {
    int64_t n = 1;
    for (size_t l = 0; l < nest.loops.size(); l++) {
        n *= nest.loops[l].kind == kind ? trips(nest, l, dims) : 1;
    }
    return n;
}

}  // namespace

TEST_CASE("made Funcs have ids after those of the graph: others for others, the same for the same") {
    MadeIds ids(7);
    std::set<FuncId> seen;
    for (const bool again : {false, true}) {
        for (const FuncId f : {0, 1, 2, 6}) {
            for (const char *const name : {"write_tile", "moved_sum", "lanes", "pack"}) {
                for (int operand = 0; operand < 20; operand++) {
                    CHECK(seen.insert(ids.of(name, f, operand)).second == !again);
                }
            }
        }
    }
    CHECK(*seen.begin() == 7);
    CHECK(*seen.rbegin() == 7 + 4 * 4 * 20 - 1);
}

TEST_CASE("a plan numbers what it makes in its own order, whatever was searched before") {
    for (const bool gpu : {false, true}) {
        INFO(gpu);
        Graph g = softmax(1000, 4096);
        g.gpu = gpu;
        const Machine m = gpu ? round_gpu_machine() : round_machine();
        Placements fused = unfused(g);
        const FuncId root = g.funcs.next_id() - 1;
        for (const FuncId f : g.funcs.ids()) {
            if (!g.funcs[f].input && f != root) {
                fused[f] = {Placement::Kind::block, root};
            }
        }
        Completer completer(g, m);
        completer.total(fused);
        const FusionPlan plan = completer.plan(unfused(g));
        REQUIRE(plan.groups.size() > 2);
        FuncId next = g.funcs.next_id();
        for (const Group &group : plan.groups) {
            for (const Added &added : group.added) {
                CHECK(added.id == next++);
                CHECK(group.tree.find(added.id) != nullptr);
            }
        }
        CHECK(next > g.funcs.next_id());
        CHECK(to_string(plan) == to_string(complete(g, m, unfused(g))));
        CHECK(to_string(completer.plan(fused)) == to_string(complete(g, m, fused)));
    }
}

TEST_CASE("unfused: every operation is a group of its own") {
    const Graph g = dense(128, 784, 256);
    Machine m = round_machine();
    m.trimmed_bytes = Bytes{1} << 30;  // the process keeps all that groups allocate
    const FusionPlan plan = complete(g, m, unfused(g));
    CHECK(plan.groups.size() == 3);
    for (const Group &group : plan.groups) {
        CHECK(group.members == std::vector<FuncId>{group.root});
    }
    Cost sum;
    for (const Group &group : plan.groups) {
        sum += group.cost;
    }
    CHECK(plan.cost().total() == sum.total());
    // No straw man: vectors everywhere, all cores, register tiles for the matmul.
    for (const Group &group : plan.groups) {
        INFO(group.policy);
        int64_t vectors = 1, tasks = 1;
        for (const StageNest &n : group.tree.nests()) {
            vectors = std::max(vectors, product_of(n.nest, n.dims, Loop::Kind::vector));
            tasks = std::max(tasks, product_of(n.nest, n.dims, Loop::Kind::parallel));
        }
        CHECK(vectors >= 8);
        CHECK(tasks >= 4);
    }
    CHECK(group_of(plan, 2).policy == "register_tile");
}

TEST_CASE(
    "a matmul at its reader's tile: the accumulators fit the registers, the reduction runs inside the tile") {
    const Graph g = dense(128, 784, 256);
    Placements placements = unfused(g);
    const FuncId matmul = 2, z = 4, relu = 5;
    placements[z] = {Placement::Kind::inlined, -1};
    placements[matmul] = {Placement::Kind::at, relu};
    for (const int registers : {8, 16, 32}) {
        INFO(registers);
        Machine m = round_machine();
        m.vector_registers = registers;
        const FusionPlan plan = complete(g, m, placements);
        REQUIRE(plan.groups.size() == 1);
        const Group &group = plan.groups[0];
        CHECK(group.members == std::vector<FuncId>{matmul, z, relu});
        const StageNest update = group.tree.nest(matmul, 0), writer = group.tree.nest(relu, -1);
        CHECK(product_of(update.nest, update.dims, Loop::Kind::unroll) <= registers);
        CHECK(product_of(update.nest, update.dims, Loop::Kind::unroll) >=
              4);  // enough chains to hide the latency of an FMA
        CHECK(product_of(update.nest, update.dims, Loop::Kind::vector) == 8);
        CHECK(product_of(writer.nest, writer.dims, Loop::Kind::parallel) >= m.cores);
        // Outside the tile nothing of the reduction; its loop comes right after the shared ones.
        REQUIRE(static_cast<int>(update.nest.loops.size()) > update.nest.shared);
        for (int l = 0; l < update.nest.shared; l++) {
            CHECK(update.nest.loops[l].dim != 2);
        }
        CHECK(update.nest.loops[update.nest.shared].dim == 2);
    }
}

TEST_CASE("tiles of unknown sizes are tested at run time, once per dimension that is tiled") {
    const Graph g = dense(128, 784, 256);
    Placements placements = unfused(g);
    placements[4] = {Placement::Kind::inlined, -1};
    placements[2] = {Placement::Kind::at, 5};
    const FusionPlan plan = complete(g, round_machine(), placements);
    const StageNest writer = plan.groups[0].tree.nest(5, -1);
    REQUIRE_FALSE(writer.nest.whole.empty());
    for (const Condition &c : writer.nest.whole) {
        CHECK(c.buffer.func == 5);
        CHECK(c.points > 1);
        CHECK(c.points <= g.funcs[5].extents[c.buffer.dim]);
    }
}

TEST_CASE("a row sum becomes lanes of partial sums, and says that it reassociates") {
    Sketch s;
    const FuncId x = s.input("x", {4096, 64});
    s.output(s.reduction("sum", {64}, {4096}, {{x, {at(1), at(0)}}}));
    const Graph g = s.graph();
    const FusionPlan plan = complete(g, round_machine(), unfused(g));
    REQUIRE(plan.groups.size() == 1);
    CHECK(plan.groups[0].policy == "row_reduction");
    // Inside what is written in parallel.
    REQUIRE(plan.groups[0].added.size() == 2);
    CHECK(plan.groups[0].added[0].name == "moved_sum");
    const Added &lanes = plan.groups[0].added[1];
    CHECK(lanes.name == "lanes");
    CHECK(lanes.grade == Grade::reassociating);
    CHECK(to_string(plan).find("(reassociating)") != std::string::npos);

    // Where nothing saves enough, two vectors are the most that is tried.
    Machine sparing = round_machine();
    sparing.partial_result_gain = 1;
    const FusionPlan less = complete(g, sparing, unfused(g));
    REQUIRE(less.groups[0].policy == "row_reduction");
    CHECK(less.groups[0].added.back().factor <= 16);
    CHECK(less.groups[0].added.back().factor <= lanes.factor);
}

TEST_CASE("a reduction that is not known to be reassociable keeps its order") {
    Sketch s;
    const FuncId x = s.input("x", {4096, 64});
    const FuncId sum = s.reduction("sum", {64}, {4096}, {{x, {at(1), at(0)}}});
    s.output(sum);
    Graph g = s.graph();
    g.stages[g.funcs[sum].stages[1]].reassociable = false;
    for (const Group &group : complete(g, round_machine(), unfused(g)).groups) {
        for (const Added &added : group.added) {
            CHECK(added.grade == Grade::exact);
        }
    }
}

TEST_CASE("a strict pipeline is planned without anything that reassociates") {
    Sketch s;
    const FuncId x = s.input("x", {4096, 64});
    s.output(s.reduction("sum", {64}, {4096}, {{x, {at(1), at(0)}}}));
    Graph g = s.graph();
    g.strict = true;
    for (const Group &group : complete(g, round_machine(), unfused(g)).groups) {
        CHECK(group.policy != "row_reduction");
        for (const Added &added : group.added) {
            CHECK(added.grade == Grade::exact);
        }
    }
}

TEST_CASE("a machine without vectors gets no lanes") {
    Sketch s;
    const FuncId x = s.input("x", {4096, 64});
    s.output(s.reduction("sum", {64}, {4096}, {{x, {at(1), at(0)}}}));
    const Graph g = s.graph();
    Machine scalar = round_machine();
    scalar.vector_bits = 32;
    for (const Group &group : complete(g, scalar, unfused(g)).groups) {
        CHECK(group.policy != "row_reduction");
    }
}

TEST_CASE("blocks are as large as the allocator keeps what is freed, where pages are dear") {
    for (const bool packs : {false, true}) {
        INFO(packs);
        const int64_t n = 512, k = 32;
        Sketch s;
        const FuncId x = s.input("x", {k, 1024}), w = s.input("w", {packs ? k : n, packs ? n : k});
        // Each block reads all of w; transposed, a copy of it is made once and lives as long as the blocks.
        const Table<DimId, At> of_w = packs ? Table<DimId, At>{at(2), at(0)} : Table<DimId, At>{at(0), at(2)};
        const FuncId e = s.contraction("e", {n, 1024}, {k}, {{x, {at(2), at(1)}}, {w, of_w}});
        const FuncId f = s.pointwise("f", {n, 1024}, {{e, {at(0), at(1)}}}, work(1, 0, 1));
        const FuncId sum = s.reduction("sum", {1024}, {n}, {{f, {at(1), at(0)}}});
        const FuncId y =
            s.pointwise("y", {n, 1024}, {{e, {at(0), at(1)}}, {f, {at(0), at(1)}}, {sum, {at(1)}}});
        s.output(y);
        Graph g = s.graph();
        g.stages[g.funcs[e].stages.back()].reassociable = false;  // no lanes along k: tiles
        Placements placements = unfused(g);
        for (const FuncId blocked : {e, f, sum}) {
            placements[blocked] = {Placement::Kind::block, y};
        }
        Machine m = round_machine();
        m.trimmed_bytes = 32 * 1024;
        m.heap_pad_bytes = 4096;  // two equal buffers are what is kept: a little more than that
        const auto rows = [&](Seconds page) {
            m.fresh_page_seconds = page;
            const FusionPlan plan = complete(g, m, placements);
            const Group &group = plan.groups.back();
            REQUIRE(group.policy == "block");
            CHECK(std::any_of(group.added.begin(), group.added.end(),
                              [](const Added &a) { return a.kind == Added::Kind::pack; }) == packs);
            // The innermost loop over blocks: chunks of them may be around it.
            const LoopRef around = group.tree.at(f).computed.value();
            return group.tree.at(y, -1).loops.at(around.loop).size;
        };
        const int64_t cheap = rows(0), dear = rows(1e-3),
                      a_row = 2 * n * 4;  // a thread keeps the sums' few bytes
        const int64_t copy = packs ? n * k * 4 : 0, kept = packs ? 2 * copy : m.trimmed_bytes;
        CHECK(cheap * a_row + copy + m.heap_pad_bytes > kept);
        CHECK(dear * a_row + copy <= kept);
    }
}

TEST_CASE("memory that is given back is that of buffers which live at once") {
    const Machine m = round_machine();
    for (const bool together : {false, true}) {
        INFO(together);
        Sketch s;
        const FuncId x = s.input("x", {50000});
        const FuncId first = s.pointwise("first", {50000}, {{x, {at(0)}}});
        const FuncId u = s.pointwise("u", {50000}, {{first, {at(0)}}});
        s.output(u);
        const FuncId second = s.pointwise("second", {50000}, {{x, {at(0)}}});
        s.output(together ? s.pointwise("v", {50000}, {{first, {at(0)}}, {second, {at(0)}}})
                          : s.pointwise("v", {50000}, {{second, {at(0)}}}));
        const Graph g = s.graph();
        // Twice 200,000 bytes are 66 pages more than is kept (tests/cost/test_price.cpp); one after the other
        // they are the same memory. An arena keeps them all.
        CHECK(complete(g, with_arena(m), unfused(g)).trimming == 0);
        CHECK(complete(g, m, unfused(g)).trimming ==
              doctest::Approx((together ? 66 : 0) * m.fresh_page_seconds).epsilon(0.02));
    }
}

TEST_CASE("memory that is given back: each value of a Tuple is a buffer") {
    const Machine m = round_machine();
    for (const int values : {1, 2}) {
        INFO(values);
        Sketch s;
        const FuncId x = s.input("x", {50000});
        const FuncId first = s.pointwise("first", {50000}, {{x, {at(0)}}});
        s.output(s.pointwise("u", {50000}, {{first, {at(0)}}}));
        Graph g = s.graph();
        g.funcs[first].tuple_size = values;
        g.funcs[first].bytes_per_point = 8;
        // One of 400,000 bytes is kept, for it is the largest; twice 200,000 are more than twice that.
        CHECK(complete(g, m, unfused(g)).trimming ==
              doctest::Approx((values == 2 ? 66 : 0) * m.fresh_page_seconds).epsilon(0.02));
    }
}

TEST_CASE("what the user scheduled gets no loops from us") {
    Sketch s;
    const FuncId x = s.input("x", {64, 64});
    const FuncId mine = s.pointwise("mine", {64, 64}, {{x, {at(0), at(1)}}});
    s.user_scheduled(mine);
    s.output(s.pointwise("y", {64, 64}, {{mine, {at(0), at(1)}}}));
    Graph g = s.graph();
    g.funcs[mine].user_placed = true;
    const FusionPlan plan = complete(g, round_machine(), unfused(g));
    CHECK(group_of(plan, mine).tree.empty());
    // Loops alone are no place yet.
    g.funcs[mine].user_placed = false;
    CHECK(group_of(complete(g, round_machine(), unfused(g)), mine).tree.funcs().size() == 1);
    CHECK_FALSE(group_of(plan, mine + 1).tree.nests().empty());
}

TEST_CASE("a group says which policies were not taken, on CPUs too") {
    const auto says = [](const Group &g, const std::string &words) {
        return std::any_of(g.refused.begin(), g.refused.end(),
                           [&](const std::string &sentence) { return sentence.find(words) == 0; });
    };
    const Graph g = dense(128, 784, 256);
    const FusionPlan plan = complete(g, round_machine(), unfused(g));
    for (const Group &group : plan.groups) {
        INFO(to_string(plan));
        CHECK(group.policy != "serial");
        CHECK(says(group, "serial would take "));
        CHECK_FALSE(says(group, group.policy + " "));
        // Of what is for stages of other kinds there is nothing to say where several policies have loops.
        CHECK_FALSE(says(group, "updates is for updates"));
    }
    // Nothing but the loops as they are defined: each of the others says why it has none.
    Sketch s;
    const FuncId x = s.input("x", {64});
    const FuncId total = s.opaque("total", {64}, {{x, {at(0)}}}, "is a mystery");
    s.output(total);
    const FusionPlan serial = complete(s.graph(), round_machine(), unfused(s.graph()));
    const Group &alone = group_of(serial, total);
    CHECK(alone.policy == "serial");
    CHECK(says(alone, "streaming is a pass over the points of a pure Func, which total is not"));
    CHECK(says(alone, "register_tile is for sums of several values, in one update, which total is not"));
}
