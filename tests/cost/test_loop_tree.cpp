// Loops around a stage follow from where its Func is computed, whatever its own are; and what is no tree is
// refused.

#include <doctest/doctest.h>

#include <functional>
#include <stdexcept>
#include <utility>

#include "cost/loop_tree.h"
#include "tests/support/dims.h"

using namespace eutectic;
using namespace eutectic::test;

namespace {

using Kind = Loop::Kind;

/** f0: 30 rows of 100 columns at Root, in parallel strips of 4 rows, of tiles of 16 columns. */
LoopTree tiled() {
    LoopTree tree;
    tree.add_at_root(0);
    tree.add_stage(0, -1, dims({100, 30}), {{1, 4, Kind::parallel}, {0, 16}, {1, 1}, {0, 1, Kind::vector}});
    return tree;
}

const LoopRef strip{0, -1, 0}, tile{0, -1, 1}, row{0, -1, 2}, lanes{0, -1, 3};

/** With f1 in a tile, f2 in a row of f1, and f3 at Root, of one loop. */
LoopTree nested() {
    LoopTree tree = tiled();
    tree.add_in_loop(1, tile, {0, 1});
    tree.add_stage(1, -1, dims({100, 30}), {{1, 1}, {0, 8}, {0, 1, Kind::vector}});
    tree.add_in_loop(2, {1, -1, 0}, {-1, 0});
    tree.add_stage(2, -1, dims({30}), {{0, 1}});
    tree.add_at_root(3);
    tree.add_stage(3, -1, dims({30}), {{0, 1}});
    return tree;
}

/** The turns of each loop that it has a number for; 0: its dim tells. */
std::vector<int64_t> counts(const Nest &nest) {
    std::vector<int64_t> result;
    for (const Loop &l : nest.loops) {
        result.push_back(l.count);
    }
    return result;
}

std::string text(const LoopTree &tree, FuncId func, int update = -1) {
    return to_string(tree.nest(func, update).nest);
}

NestedStage stage_of(FuncId func, int update, const Extents &extents) {
    StageWork work;
    work.func = func;
    work.update = update;
    work.dims = dims(extents);
    NestedStage stage;
    stage.work = work;
    return stage;
}

}  // namespace

TEST_CASE("in tiles the loops around a stage are cut by the sizes of those loops") {
    const LoopTree tree = nested();
    CHECK(text(tree, 0) == "d1/4 parallel, d0/16, d1, d0 vector");
    CHECK(tree.nest(0, -1).nest.shared == 0);
    CHECK(text(tree, 1) == "^d1/4 parallel, ^d0/16, d1, d0/8, d0 vector");
    CHECK(counts(tree.nest(1, -1).nest) == std::vector<int64_t>(5, 0));
    CHECK(tree.nest(1, -1).nest.shared == 2);
    // A loop over what a stage does not have turns as often as it does for the stage that has it.
    CHECK(text(tree, 2) == "^d0/4 parallel, ^d-1/7, ^d0, d0");
    CHECK(counts(tree.nest(2, -1).nest) == std::vector<int64_t>{0, 7, 0, 0});
    CHECK(tree.nest(2, -1).dims.size() == 1);
    // So has one of other dims, were it added.
    CHECK(tree.around(2, dims({30, 5})).size() == 3);
    CHECK(tree.around(0, dims({100, 30})).empty());
}

TEST_CASE("in a block the dims have the extents of one turn of its loops, which say how often they turn") {
    LoopTree tree = tiled();
    tree.add_in_loop(1, tile, {0, 1}, 2);
    tree.add_stage(1, -1, dims({18, 6}), {{1, 1}, {0, 1}});  // a tile and its halo
    CHECK(text(tree, 1) == "^d1/6 parallel, ^d0/18, d1, d0");
    CHECK(counts(tree.nest(1, -1).nest) == std::vector<int64_t>{8, 7, 0, 0});
    CHECK(tile_inside(tree.nest(1, -1).nest, 0, tree.at(1, -1).dims) == Extents{18 * 7, 6 * 8});
    CHECK(tile_inside(tree.nest(1, -1).nest, 2, tree.at(1, -1).dims) == Extents{18, 6});
    // What is computed in its loops is inside the same blocks.
    tree.add_in_loop(2, {1, -1, 0}, {0});
    tree.add_stage(2, -1, dims({20}), {{0, 1}});
    CHECK(text(tree, 2) == "^d-1/8 parallel, ^d0/20, ^d-1/6, d0");
    CHECK(counts(tree.nest(2, -1).nest) == std::vector<int64_t>{8, 7, 6, 0});
    // Blocks of the outer loops alone.
    tree.add_in_loop(3, tile, {0, 1}, 1);
    tree.add_stage(3, -1, dims({100, 6}), {{1, 1}});
    CHECK(text(tree, 3) == "^d1/6 parallel, ^d0/16, d1");
    CHECK(counts(tree.nest(3, -1).nest) == std::vector<int64_t>{8, 0, 0});
}

TEST_CASE("each loop of a nest is one of a stage's own, and has its place there") {
    const LoopTree tree = nested();
    const std::vector<LoopRef> of_f2 = {strip, tile, {1, -1, 0}, {2, -1, 0}};
    for (size_t l = 0; l < of_f2.size(); l++) {
        INFO(l);
        CHECK(tree.loop_of(2, -1, static_cast<int>(l)) == of_f2[l]);
        CHECK(tree.depth(of_f2[l]) == static_cast<int>(l));
    }
    CHECK(tree.loop_of(0, -1, 3) == lanes);
    CHECK(tree.depth(lanes) == 3);
    CHECK(tree.depth({1, -1, 2}) == 4);
}

TEST_CASE("loops are put around others, of which some go, and all that is in them stays there") {
    LoopTree tree;
    tree.add_at_root(0);
    tree.add_stage(0, -1, dims({100, 30}), {{1, 1}, {0, 8}, {0, 1, Kind::vector}});
    tree.add_stage(0, 0, dims({100, 30}), {{1, 1}});
    const auto computed_at = [&](FuncId func, const LoopRef &loop) {
        tree.add_in_loop(func, loop, {0, 1});
        tree.add_stage(func, -1, dims({100, 30}), {});
    };
    computed_at(1, {0, -1, 1});
    tree.slide_in(1, {0, -1, 0});
    tree.allocate_in(1, {0, -1, 0});
    computed_at(2, {0, -1, 0});
    computed_at(3, {0, 0, 0});
    tree.add_at_root(4);
    tree.write_with(4, {0, -1, 1});
    tree.put_around(0, {{1, 4, Kind::parallel}, {1, 1}}, {false, true});
    CHECK(text(tree, 0) == "d1/4 parallel, d1, d0/8, d0 vector");
    CHECK(text(tree, 1) == "^d1/4 parallel, ^d1, ^d0/8");
    CHECK(tree.at(1).stored == LoopRef{0, -1, 1});
    CHECK(tree.at(1).allocated_in == LoopRef{0, -1, 1});
    CHECK(text(tree, 2) == "^d1/4 parallel, ^d1");
    CHECK(tree.at(4).joint == LoopRef{0, -1, 2});
    CHECK(text(tree, 3) == "^d1");  // in the loops of an update
}

TEST_CASE("trees are put into loops and together, under other names") {
    LoopTree tree = tiled();
    LoopTree other;
    other.add_at_root(1);
    NestedStage priced = stage_of(1, -1, {100, 30});
    Load load;
    load.producer = 2;
    priced.work.edit().loads = {load};
    priced.local = priced.in_block = priced.in_shared = priced.in_registers = {2};
    other.add_stage(1, {{1, 1}}, {}, priced);
    other.add_in_loop(2, {1, -1, 0}, {0, 1});
    other.slide_in(2, {1, -1, 0});
    other.rename([](FuncId f) { return 10 * f; });
    CHECK(other.find(1) == nullptr);
    CHECK(other.find(10, 0) == nullptr);
    CHECK(other.at(20).computed == LoopRef{10, -1, 0});
    CHECK(other.at(20).stored == LoopRef{10, -1, 0});
    const NestedStage renamed = other.priced().at(0);
    CHECK(renamed.work->func == 10);
    CHECK(renamed.work->loads[0].producer == 20);
    for (const std::vector<FuncId> *funcs :
         {&renamed.local, &renamed.in_block, &renamed.in_shared, &renamed.in_registers}) {
        CHECK(*funcs == std::vector<FuncId>{20});
    }
    tree.append(other);
    CHECK(text(tree, 10) == "d1");
    tree.move_into(10, tile, {0, 1}, 0);
    CHECK(text(tree, 10) == "^d1/4 parallel, ^d0/16, d1");
    tree.add_stage(20, -1, dims({100, 30}), {{0, 1}});
    CHECK(text(tree, 20) == "^d1/4 parallel, ^d0/16, ^d1, d0");
    const std::vector<StageNest> nests = tree.nests();
    REQUIRE(nests.size() == 3);
    CHECK(nests[1].func == 10);
    CHECK(to_string(nests[2].nest) == text(tree, 20));
}

TEST_CASE("what is priced: stages with their nests, the parallel one of the first Func before the others") {
    using Order = std::vector<std::pair<FuncId, int>>;
    const auto order = [](const LoopTree &tree) {
        Order result;
        for (const NestedStage &s : tree.priced()) {
            result.emplace_back(s.work->func, s.work->update);
        }
        return result;
    };
    LoopTree tree;
    CHECK(tree.empty());
    CHECK(tree.priced().empty());
    tree.add_at_root(0);
    tree.add_stage(0, -1, dims({64}), {{0, 2, Kind::parallel}});  // not priced
    tree.add_stage(0, {{0, 1}}, {}, stage_of(0, 0, {64}));
    CHECK(order(tree) == Order{{0, 0}});
    tree.add_in_loop(1, {0, 0, 0}, {0});
    tree.add_stage(1, {{0, 1}}, {}, stage_of(1, -1, {64}));
    tree.add_at_root(2);
    tree.add_stage(2, {{0, 4, Kind::parallel}}, {}, stage_of(2, -1, {64}));
    CHECK(order(tree) == Order{{0, 0}, {1, -1}, {2, -1}});
    tree.add_stage(0, {{0, 8, Kind::parallel}}, {{BufferDim{0, 0}, 8}}, stage_of(0, 1, {64}));
    CHECK(order(tree) == Order{{0, 1}, {0, 0}, {1, -1}, {2, -1}});
    const std::vector<NestedStage> stages = tree.priced();
    CHECK(to_string(stages[0].nest) == "d0/8 parallel | whole 0.0>=8");
    CHECK(to_string(stages[2].nest) == "^d0, d0");
}

TEST_CASE("stages of a kernel come in the order in which they run, and what is in its loops is local") {
    LoopTree tree;
    tree.add_at_root(0);
    tree.add_stage(0, {{0, 8, Kind::gpu_block}, {0, 1, Kind::gpu_thread}}, {}, stage_of(0, -1, {64}));
    tree.add_in_loop(1, {0, -1, 0}, {0});
    tree.add_stage(1, -1, dims({64}), {{0, 1, Kind::gpu_thread}});  // not priced
    tree.add_stage(1, {{0, 1, Kind::gpu_thread}}, {}, stage_of(1, 0, {64}));
    tree.add_in_loop(2, {1, 0, 0}, {0});
    tree.add_stage(2, {}, {}, stage_of(2, -1, {64}));
    tree.add_in_loop(3, {0, -1, 0}, {0});
    NestedStage known = stage_of(3, -1, {64});
    known.local = {7};
    tree.add_stage(3, {{0, 1, Kind::gpu_thread}}, {}, known);
    tree.add_at_root(4);
    tree.add_stage(4, {{0, 1, Kind::gpu_block}}, {}, stage_of(4, -1, {64}));
    const std::vector<NestedStage> stages = tree.of_kernels();
    std::vector<FuncId> order;
    for (const NestedStage &s : stages) {
        order.push_back(s.work->func);
        CHECK(s.stores_locally == (s.work->func > 0 && s.work->func < 4));
    }
    CHECK(order == std::vector<FuncId>{2, 1, 3, 0, 4});
    CHECK(to_string(stages[0].nest) == to_string(tree.nest(2, -1).nest));
    CHECK(stages[0].local == std::vector<FuncId>{1, 2, 3});
    CHECK(stages[2].local == std::vector<FuncId>{7, 1, 2, 3});
}

TEST_CASE("Funcs and loops that make no tree are refused") {
    const struct {
        const char *says;
        std::function<void(LoopTree &)> asks;
    } table[] = {
        {"f3 is in the tree twice", [](LoopTree &t) { t.add_at_root(3); }},
        {"f3 is in the tree twice", [](LoopTree &t) { t.add_in_loop(3, tile, {0, 1}); }},
        {"f0 is in the tree twice", [](LoopTree &t) { t.append(tiled()); }},
        {"f8 is not in the tree", [](LoopTree &t) { t.add_in_loop(4, {8, -1, 0}, {}); }},
        {"f3 has no such stage in the tree", [](LoopTree &t) { t.add_in_loop(4, {3, 0, 0}, {}); }},
        {"f4 is to be computed in a loop that is not there",
         [](LoopTree &t) { t.add_in_loop(4, {3, -1, 1}, {}); }},
        {"f4 is to be computed in a loop that is code or lanes",
         [](LoopTree &t) { t.add_in_loop(4, lanes, {}); }},
        {"f1 is in a loop already", [](LoopTree &t) { t.move_into(1, row, {0, 1}, 0); }},
        {"f3 is in a loop already",
         [](LoopTree &t) {
             t.write_with(3, strip);
             t.move_into(3, tile, {}, 0);
         }},
        {"f1 is in a loop already", [](LoopTree &t) { t.write_with(1, strip); }},
        {"f3 is to be computed in its own loops", [](LoopTree &t) { t.move_into(3, {3, -1, 0}, {0}, 0); }},
        {"f0 is to be computed in its own loops", [](LoopTree &t) { t.move_into(0, {2, -1, 0}, {0}, 0); }},
        {"f1 is to be stored in a loop that is not around it", [](LoopTree &t) { t.slide_in(1, row); }},
        {"f3 is to be stored in a loop that is not around it", [](LoopTree &t) { t.slide_in(3, strip); }},
        {"f2 is to be allocated in a loop that is not around it",
         [](LoopTree &t) { t.allocate_in(2, {1, -1, 1}); }},
        {"f1 has no loops to put others around", [](LoopTree &t) { t.put_around(1, {}, {false, true}); }},
        {"f9 has no loops to put others around",
         [](LoopTree &t) {
             t.add_at_root(9);
             t.put_around(9, {}, {});
         }},
        {"f3 has its stages in another order", [](LoopTree &t) { t.add_stage(3, -1, {}, {}); }},
    };
    for (const auto &refusal : table) {
        const std::string says = std::string("loop tree: ") + refusal.says;
        INFO(says);
        LoopTree tree = nested();
        CHECK_THROWS_WITH_AS(refusal.asks(tree), says.c_str(), std::logic_error);
    }
}

TEST_CASE("loops over dims that are not the stage's are refused") {
    LoopTree tree;
    tree.add_at_root(7);
    CHECK_THROWS_WITH_AS(tree.add_stage(7, -1, dims({64, 64}), {{2, 1}}),
                         "loop tree: f7 has a loop over a dim that is not its own", std::logic_error);
    CHECK(tree.at(7).stages.empty());
    tree.add_stage(7, -1, dims({64}), {{-1, 1, Kind::gpu_block, 1}, {0, 64}, {0, 64}, {0, 1, Kind::unroll}});
    CHECK(tree.nests().size() == 1);
}
