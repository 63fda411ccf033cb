// What holds of blocks of every size, over random pipelines of points and stencils.

#include <doctest/doctest.h>

#include <limits>

#include <algorithm>
#include <string>

#include "fusion/policies/cpu/block.h"
#include "fusion/search/completer.h"
#include "tests/support/graphs.h"
#include "tests/support/machines.h"
#include "tests/support/random.h"
#include "tests/support/rounds.h"

using namespace eutectic;
using namespace eutectic::test;

namespace {

constexpr uint64_t pipelines = rounds(100);

/** Up to five steps of `columns` x `rows`, each of one or two before it, read at points or with halos of up
 *  to three in each direction; the last is the output. */
Graph steps(int64_t columns, int64_t rows, bool stencils, Random &random) {
    Sketch s;
    std::vector<FuncId> funcs = {s.input("x", {columns, rows})};
    const int64_t count = 2 + random.below(4);
    for (int64_t i = 0; i < count; i++) {
        std::vector<Read> reads;
        for (int64_t r = 1 + random.below(2); r-- > 0;) {
            const size_t any = random.below(static_cast<int64_t>(funcs.size()));
            const FuncId from = r == 0 ? funcs.back() : funcs[any];
            const auto halo = [&] { return stencils ? static_cast<double>(random.below(4)) : 0.0; };
            const double across = halo(), down = halo();
            const At column = across > 0 ? shifted(0, across) : at(0);
            const At row = down > 0 ? shifted(1, down) : at(1);
            reads.push_back({from, {column, row}});
        }
        funcs.push_back(s.pointwise("step" + std::to_string(i), {columns, rows}, reads));
    }
    s.output(funcs.back());
    return s.graph();
}

/** A request for everything before the last Func in blocks of its loops. */
struct InBlocks {
    Graph graph;
    Machine machine = round_machine();
    Placements placements;
    Table<FuncId, bool> inlined;
    std::vector<FuncId> blocked;
    FuncId root;
    mutable MadeIds ids;

    explicit InBlocks(const Graph &g)
        : graph(g),
          placements(unfused(g)),
          inlined(g.funcs.size(), false),
          root(g.funcs.next_id() - 1),
          ids(g.funcs.size()) {
        for (FuncId f = 0; f < root; f++) {
            if (!graph.funcs[f].input && !graph.consumer_funcs(f).empty()) {
                placements[f] = {Placement::Kind::block, root};
                blocked.push_back(f);
            }
        }
    }
    GroupRequest request() const {
        return {graph, machine, placements, inlined, ids, root, {}, blocked};
    }
};

/** Serial loops over the blocks of `size` points of `dim`, and over the points of the dims outside it. */
Outside loops_outside(const Stage &root, DimId dim, int64_t size) {
    Outside outside;
    outside.gone.assign(root.dims.size(), false);
    for (DimId d = root.dims.next_id() - 1; d >= dim; d--) {
        outside.loops.split(d, d == dim ? size : 1);
        outside.gone[d] = d > dim || size == 1;
    }
    return outside;
}

Traffic traffic_of(const std::vector<NestedStage> &stages, const Machine &m) {
    Traffic sum;
    const double touched = bytes_touched(stages, m);
    for (const NestedStage &stage : stages) {
        const Traffic t = memory_traffic(stage, m, touched);
        sum.beyond_l1 += t.beyond_l1;
        sum.beyond_l2 += t.beyond_l2;
        sum.beyond_l3 += t.beyond_l3;
    }
    return sum;
}

}  // namespace

TEST_CASE("smaller blocks never compute less") {
    for (uint64_t seed = 0; seed < pipelines; seed++) {
        Random random(seed);
        const InBlocks in(steps(64 << random.below(4), 64 << random.below(4), true, random));
        const GroupRequest request = in.request();
        const Blocks blocks(request);
        for (const DimId dim : {0, 1}) {
            double last = 1e300;
            for (int64_t size = 1; size <= 64; size *= 2) {
                const Inside inside = extents_inside(blocks, dim, size);
                double evaluations = 0;
                for (const FuncId f : in.blocked) {
                    const FuncInfo &of_block = inside.graph.funcs[f];
                    evaluations += inside.blocks * static_cast<double>(of_block.points());
                }
                INFO("pipeline " << seed << ", blocks of " << size << " points of dim " << dim);
                CHECK(evaluations <= last);
                last = evaluations;
            }
        }
    }
}

TEST_CASE("steps of points in blocks move what one pass over them moves, at least") {
    for (uint64_t seed = 0; seed < pipelines; seed++) {
        Random random(seed);
        const InBlocks in(steps(1 + random.below(3000), 1 + random.below(1000), false, random));
        const GroupRequest request = in.request();
        Placements inlined = in.placements;
        for (const FuncId f : in.blocked) {
            inlined[f] = {Placement::Kind::inlined, -1};
        }
        NestedStage pass = priced_stages(complete(in.graph, in.machine, inlined).groups.back()).front();
        for (size_t l = 0; l < pass.nest.loops.size(); l++) {
            const Loop::Kind kind = pass.nest.loops[l].kind;
            pass.nest.loops.run_as(l, kind == Loop::Kind::parallel ? Loop::Kind::serial : kind);
        }
        const Traffic once = traffic_of({pass}, in.machine);
        const Blocks blocks(request);
        for (const DimId dim : {0, 1}) {
            const int64_t extent = blocks.root.dims[dim].extent;
            for (int64_t size = dim == 0 ? 8 : 1; size < extent; size *= 4) {
                const Inside inside =
                    *BlockPlanner(blocks).plan({dim, size}, std::numeric_limits<double>::infinity());
                const Group group = block_nest(blocks, inside, loops_outside(blocks.root, dim, size),
                                               std::numeric_limits<double>::infinity());
                const Traffic t = traffic_of(priced_stages(group), in.machine);
                INFO("pipeline " << seed << ", blocks of " << size << " points of dim " << dim);
                CHECK(t.beyond_l1 >= once.beyond_l1 * (1 - 1e-9));
                CHECK(t.beyond_l2 >= once.beyond_l2 * (1 - 1e-9));
                CHECK(t.beyond_l3 >= once.beyond_l3 * (1 - 1e-9));
            }
        }
    }
}

TEST_CASE("a chain that memory bounds costs least as one pass, however little its blocks' buffers cost") {
    constexpr int64_t n = 1 << 22;  // with its result, more than the third level of two cores
    for (const int length : {2, 3, 4}) {
        Sketch s;
        FuncId f = s.input("x", {n});
        for (int i = 0; i < length; i++) {
            f = s.pointwise("step" + std::to_string(i), {n}, {{f, {at(0)}}});
        }
        s.output(f);
        const Graph g = s.graph();
        Placements one_pass = unfused(g);
        for (FuncId step = 1; step < f; step++) {
            one_pass[step] = {Placement::Kind::inlined, -1};
        }
        Placements blocks = one_pass;
        blocks[1] = {Placement::Kind::block, f};
        TargetDescription x86;
        x86.vector_bits = 512;
        Machine m = machine_from_target(x86, 2);
        for (const Seconds allocation : {1e-9, 2e-8, m.allocation_seconds}) {
            INFO(length << " steps, " << allocation << " s for an allocation");
            m.allocation_seconds = allocation;
            Completer completer(g, m);
            CHECK(completer.total(one_pass) < completer.total(blocks));
        }
    }
}

TEST_CASE("channels that each need one more are in one block, and share it") {
    // y(x, row, c) = z(x, row, c) / z(x, row, 3), z of 64 exponentials: of a channel alone, z has c and 3.
    constexpr int64_t n = 256;
    Sketch s;
    const FuncId x = s.input("x", {n, n, 4});
    const FuncId z = s.pointwise("z", {n, n, 4}, {{x, {at(0), at(1), at(2)}}}, work(0, 0, 64));
    At fourth = fixed();
    fourth.offset = 3;
    s.output(s.pointwise("y", {n, n, 3}, {{z, {at(0), at(1), at(2)}}, {z, {at(0), at(1), fourth}}}));
    const Graph g = s.graph();
    const Machine m = round_machine();
    Completer completer(g, m);
    Placements in_blocks = unfused(g);
    in_blocks[z] = {Placement::Kind::block, g.funcs.next_id() - 1};
    CHECK(completer.run(in_blocks) <= completer.run(unfused(g)));
    const std::string text = to_string(completer.plan(in_blocks));
    INFO(text);
    CHECK(text.find("d2/4") == std::string::npos);
    CHECK(text.find("d2 parallel") == std::string::npos);
}
