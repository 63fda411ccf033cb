#pragma once

// The loops of one kernel of the plan as one tree: Funcs are computed in loops of other Funcs' stages. It is
// built by operations that check themselves; the price and emission walk it.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cost/cost.h"

namespace eutectic {

/** One of the loops that a stage has of its own, counted from the outermost. */
struct LoopRef {
    FuncId func = -1;
    int update = -1;  ///< -1: the pure definition
    int loop = 0;
    bool operator==(const LoopRef &o) const {
        return func == o.func && update == o.update && loop == o.loop;
    }
};

/** One stage of a Func in the tree: its own loops, inside the one that its Func is computed in. */
struct TreeStage {
    int update = -1;
    Dims dims;  ///< of the stage as it stands once Added Funcs are made: pure ones, then reduction variables
    Loops loops;                   ///< outermost first
    std::vector<Condition> whole;  ///< as in Nest
    /** What the cost model prices, whose nest the walk fills in. Nothing: a start in registers, or what is
     * priced with another stage. */
    std::optional<NestedStage> priced;
    Loops otherwise = {};  ///< as in Nest
};

/** How wide the elements of a Func are that is in the shared memory of a block. */
struct SharedElements {
    int narrowest = 0, widest = 0;  ///< bytes, over the elements of a Tuple
};

/** A Func in the tree. */
struct TreeFunc {
    FuncId func = -1;
    std::optional<LoopRef> computed;  ///< in each turn of this loop; nothing: once, at Root
    /** Further out than `computed`: its values live through one turn of this loop, and what an earlier turn
     * of the loops between has computed is not recomputed (a sliding window). */
    std::optional<LoopRef> stored;
    int64_t warm_up = 0;  ///< turns more of the loop that it is computed in, before the first one of each
                          ///< turn of the loop that it is stored in: they fill the window. Less than 0 where
                          ///< some turns compute nothing
    /** Further out than `computed`: its buffer is allocated once in each turn of this loop; values are
     * computed anew in each turn of the loops between. */
    std::optional<LoopRef> allocated_in;
    /** At Root: its loops down to as many as this one are that stage's, and one nest writes both. */
    std::optional<LoopRef> joint;
    DimMap position;             ///< each dim of the stage in whose loop it is computed → its own, or -1
    size_t block_loops = 0;      ///< its dims have the extents of one turn of the outermost so many loops
                                 ///< around it; further in they are cut by the loops' sizes
    std::vector<DimId> storage;  ///< order of the dims in memory, innermost first; empty: as defined
    Extents allocated = {};      ///< points of its buffer along each dim, at every size; empty: as
                                 ///< many as are computed
    bool by_threads = false;  ///< on a GPU: each thread of a block keeps the points that it computes, which
                              ///< only it reads
    std::optional<SharedElements> shared =
        std::nullopt;    ///< on a GPU: it is in the shared memory of a block, whose threads all read it
    bool stays = false;  ///< what is allocated at one turn of the loops is kept for the next
    std::vector<TreeStage> stages = {};
};

/** A stage of the tree with all loops around it: those of the stages in whose loops it is, in its own dims,
 * then its own. */
struct StageNest {
    FuncId func = -1;
    int update = -1;
    Dims dims;
    Nest nest;
};

/** Calls each Func of a stage that is priced as `name` has it. */
void rename(NestedStage &stage, const std::function<FuncId(FuncId)> &name);

/** Each operation throws std::logic_error, with what is wrong, where it makes no tree: an error of the
 * policy that asked for it. */
class LoopTree {
public:
    TreeFunc &add_at_root(FuncId func);

    /** In each turn of `loop`, whose stage is in the tree. `position`, `block_loops`: as in TreeFunc. */
    TreeFunc &add_in_loop(FuncId func, const LoopRef &loop, DimMap position, size_t block_loops = 0);

    /** The same of a Func of the tree that is at Root. */
    void move_into(FuncId func, const LoopRef &loop, DimMap position, size_t block_loops);

    /** Keeps the values of `func` through a turn of `loop`, which is around the one it is computed in, and
     * computes in each turn of that what is new, after `warm_up` turns before the first. */
    void slide_in(FuncId func, const LoopRef &loop, int64_t warm_up = 0);

    /** Allocates its buffer once in a turn of `loop`, which is around the one it is computed in. */
    void allocate_in(FuncId func, const LoopRef &loop);

    /** One nest writes `func`, at Root, and the Func whose `loop` is: the loops down to it are common. */
    void write_with(FuncId func, const LoopRef &loop);

    /** Adds the next stage of `func`. */
    TreeStage &add_stage(FuncId func, int update, Dims dims, Loops loops, std::vector<Condition> whole = {},
                         std::optional<NestedStage> priced = {});

    /** Adds the next stage of the Func of `priced`'s work, called `func`, with the dims of that work. */
    TreeStage &add_stage(FuncId func, Loops loops, std::vector<Condition> whole, NestedStage priced);

    /** Each priced stage is a nest of its own, one after the other: tasks of one begin when those before are
     * through. */
    void run_in_turn() {
        in_turn_ = true;
    }
    bool runs_in_turn() const {
        return in_turn_;
    }

    /** All of `other`. */
    void append(const LoopTree &other);

    /** Puts `outer` around the loops of the pure stage of `func`, at Root, in place of those over dims that
     * are `gone`: one turn of `outer` leaves one point of them. What is computed in its loops stays there. */
    void put_around(FuncId func, const Loops &outer, const DimFlags &gone);

    /** Calls each Func as `name` has it. */
    void rename(const std::function<FuncId(FuncId)> &name);

    const std::vector<TreeFunc> &funcs() const {
        return funcs_;
    }
    std::vector<TreeFunc> &funcs() {
        return funcs_;
    }
    bool empty() const {
        return funcs_.empty();
    }

    /** Null where it is not in the tree. */
    const TreeFunc *find(FuncId func) const;
    const TreeStage *find(FuncId func, int update) const;

    /** What is there: a Func or stage that is not throws std::logic_error. */
    TreeFunc &at(FuncId func);
    const TreeFunc &at(FuncId func) const;
    const TreeStage &at(FuncId func, int update) const;

    /** The loops around a stage of `func` with these dims, were it added now. */
    std::vector<Loop> around(FuncId func, const Dims &dims) const;

    /** The stage with all the loops around it. */
    StageNest nest(FuncId func, int update) const;

    /** All stages so, in the order of the tree. */
    std::vector<StageNest> nests() const;

    /** Those that are priced, with their nests; first, of the first Func among them, the one that runs in
     * parallel, if any. */
    std::vector<NestedStage> priced() const;

    /** The same of kernels for a GPU: in the order in which they run, what is computed in a stage's loops
     * before that stage; what is computed in loops is `local`, too, for it never leaves a block of threads.
     */
    std::vector<NestedStage> of_kernels() const;

    /** The loop that the `loop`-th of nest(func, update) is: one of the stage itself, or of one around it. */
    LoopRef loop_of(FuncId func, int update, int loop) const;

    /** The place of `loop` in the nest() of its stage. */
    int depth(const LoopRef &loop) const;

private:
    std::vector<TreeFunc> funcs_;
    bool in_turn_ = false;

    TreeFunc &add(FuncId func);
    std::vector<Loop> around(const TreeFunc &func, const Dims &dims) const;
    Nest full(const TreeFunc &func, const TreeStage &stage) const;
    bool encloses(const LoopRef &loop, const TreeFunc &func) const;
    void add_in_order(const TreeFunc &func, std::vector<NestedStage> &stages) const;
};

/** The price of the tree: as one nest, whose parallel loops are those of the first of its priced() stages, or
 * of nests that run in turn. */
Cost price(const LoopTree &tree, const Machine &machine,
           Seconds limit = std::numeric_limits<double>::infinity());

}  // namespace eutectic
