#pragma once

// Policies for kernels on a GPU. Each returns the cheapest group of its kind, or nothing when it does not
// apply. What a group has at Root are loops over blocks of threads.

#include <map>
#include <optional>
#include <vector>

#include "fusion/policies/cpu/block.h"

namespace eutectic {

/** Up to so many loops over blocks, the innermost or the two innermost of them over tiles, Halide knows
 * exactly what a block needs: of more, too many are fused (schedules/emit/loops.cpp), and storage of a fixed
 * size would be too small for what it takes a block to need. */
constexpr size_t exact_blocks = 5, exact_blocks_of_tiles = 4;

/** One kernel, each of whose blocks of threads computes a few rows of the root and everything in `blocked`
 * that these need: values of rows in shared memory, reductions by all the threads of a row. With nothing in
 * `blocked`: a reduction at Root in this way. */
Offer gpu_block(const GroupRequest &request);

/** The same, where rows have constant bounds: what is computed or read at every point of a row is held in
 * registers by the thread that needs it, so that it is read once. */
Offer gpu_registers(const GroupRequest &request);

/** Reductions in registers: a tile of the root for each block of threads, a few of its points for each
 * thread, whose `tiled` reductions run to their end there. With nothing in `tiled`: a reduction at Root in
 * this way. */
Offer gpu_contraction(const GroupRequest &request);

/** The same for one sum, whose operands the block's threads copy to shared memory, a step of the reduction
 * after another. What is in `blocked` has one value for each of the tile's rows, and is computed first, in
 * shared memory. */
Offer gpu_shared_tile(const GroupRequest &request);

/** A reduction of few points over many terms, at Root or in tiles of the root: chunks of it in one kernel,
 * then their sum and what the root makes of it, in the same order at every run. Nothing unless it takes at
 * most 1 / Gpu::split_sum_gain of `request.limit`, what summing up in one kernel takes: a kernel more has to
 * be worth it on devices that are not quite as estimated. Reassociates. */
Offer gpu_split_sum(const GroupRequest &request);

/** A kernel of one stage, a thread for each point or for several. */
struct PointsKernel {
    LoopTree tree;
    KernelPrice price;
};

/** Loads and stores of several neighbours by one instruction. */
struct WideAccess {
    int64_t points = 1;                 ///< of each instruction; 1: none is wider
    std::vector<Condition> conditions;  ///< under which they lie where such instructions may begin
};

/** May a thread of `work`, a stage of the Func `request.root`, load and store neighbours along its first dim
 * so? Everything that changes along it has to be of that kind: single loads of others would be as far apart
 * from thread to thread. */
WideAccess wide_access(const GroupRequest &request, const StageWork &work);

/** The cheapest of `work`. `looped`: the dims that loops go over (others have none: the update computes its
 * coordinates of them). `whole`: those along which no step may be cut short (Stage::condition); empty: none.
 * `atomic_bytes`: of all results, where threads share terms, too; 0: they do not. */
PointsKernel points_kernel(const StageWork &work, const DimFlags &looped, const DimFlags &whole,
                           Bytes atomic_bytes, const Machine &machine, const WideAccess &wide = {});

/** Adds it to `g`, as a stage of `func`, which is in the tree. */
void add_kernel(const PointsKernel &kernel, FuncId func, int update, Group &g);

/** The dims of `stage` that loops go over. */
DimFlags loops_of_points(const Graph &graph, const Stage &stage);

/** May its update be atomic operations on single results, at places that it computes, with the same bits in
 * any order? (Halide 21 emits them for 32 bits on every device.) */
bool may_be_atomic(const Graph &graph, const Stage &stage);

/** All of the partial results `from`, which lie over `dims`, as what a merge of them loads. */
Load load_of_partials(FuncId from, const Dims &dims, int bytes_per_point);

/** Is a sum in the root's blocks, or the root, computed in one pass with its maximum, as a running pair? Only
 * gpu_block() has loops for these. */
bool has_pairs(const GroupRequest &request);

/** The graph of `request` in which the reduction `sum` adds up `chunks` partial results along one more dim of
 * a Func: of `stands`, which its update reads now, and which stands for them. */
Graph of_partial_sums(const GroupRequest &request, FuncId sum, FuncId stands, int64_t chunks);

/** `chunks`, a kernel of partial results of the reduction `sum`, each of `chunk` points of its update's dim
 * `dim`, and `last`, their sum, as one group of `request`. `stands`: for the partial results, in `last`. */
Group two_stages(const GroupRequest &request, FuncId sum, const Group &chunks, const Group &last,
                 FuncId stands, DimId dim, int64_t chunk);

/** Is `f` read by `work` only where a choice by coordinates (a mask) may leave it aside? A block of threads
 * may then need none of it, or less than its tile, and reads all the same. */
bool chosen(const StageWork &work, FuncId f);

/** May the reduction at Root be moved behind a pure Func that writes it, with its terms in another order? */
bool may_move(const Graph &graph, FuncId reduction);

/** Adds that Func to `g`: the root of `request` itself once its reduction is another's (an output), or a copy
 * of it (Func::in). `writer` becomes its id; returns its work, whose last load is the reduction. */
StageWork add_writer(const GroupRequest &request, FuncId &writer, Group &g);

/** The Func `f` of `request` as it is stored: a sum that is online as a pair, its maximum beside it. */
FuncInfo stored(const GroupRequest &request, FuncId f);

/** The elements of a Func in shared memory. */
SharedElements shared_elements(const FuncInfo &stored);

/** Adds that pair to `g` and returns its id; of any other Func, its own. */
FuncId add_pair(const GroupRequest &request, FuncId f, Group &g);

/** How a block of threads is made for the rows that it computes. */
struct BlockShape {
    int64_t rows =
        1;  ///< of the root's dim that is cut, or of the reduction: those that have threads of their own
    int64_t threads = 1;  ///< of each row
    int64_t each = 1;     ///< further rows that the same threads compute
};

/** A stage of a kernel, whose sums stay in registers. */
NestedStage accumulating(StageWork work);

/** Values of whole rows, as long at every size, of which each thread keeps in registers those that it reads.
 */
struct RegisterRow {
    FuncId func = -1;
    FuncId made =
        -1;  ///< what the registers hold: the Func itself, one of the block, or a copy of it (Func::in)
    DimMap position;                   ///< dim of the root → of the Func; that of the row is 0
    std::vector<FuncId> read_by = {};  ///< of a copy, where others read the Func itself: who reads the copy
};

/** gpu_block() with copies of `register_rows`, inputs of its sums, in registers: the root has one value for
 * each row.
 */
std::optional<Group> gpu_block_of_rows(const GroupRequest &request,
                                       const std::vector<RegisterRow> &register_rows);

/** Of `held`, as many as are there after one of `stages` and needed by a later one, at most. */
int64_t alive_at_once(const std::vector<NestedStage> &stages, const std::vector<FuncId> &held);

/** The stages of what one block computes, as parts of a group. */
class InBlock {
public:
    /** `block`: the innermost of the writer's loops over blocks, in the tree of the group that is added to;
     * the root is cut at its dim `cut`. */
    InBlock(const Blocks &blocks, const Inside &inside, const BlockShape &shape, DimId cut,
            const LoopRef &block, std::vector<RegisterRow> register_rows = {});

    /** Adds the copies of rows that threads keep: what is added afterwards reads them. */
    void add_copies(Group &g) const;

    /** Adds all stages of the Func `f` of the block, which the group calls `made`, to `g`, and to `kernel`
     * what it keeps: a reduction by trees of partial results where its terms may be reordered. A refusal,
     * what follows the policy's name, when its values are more than shared memory is sure to hold, at every
     * size that the pipeline may be called with. */
    Verdict add(FuncId f, FuncId made, Group &g, KernelStages &kernel) const;

private:
    const Blocks &blocks_;
    const Inside &inside_;
    BlockShape shape_;
    LoopRef block_;
    std::vector<RegisterRow> register_rows_;
    std::map<FuncId, DimFlags>
        bounded_;  ///< the dims of a Func whose extent in a block does not grow with the caller's buffers
    bool whole_ = false;  ///< no block has more rows at other sizes than at the estimates

    /** The sum that is computed in one pass with the maximum `f`; -1: none. */
    FuncId online_sum_of(FuncId f) const;
    FuncInfo stored(FuncId f) const;  ///< in a block
    int widest_of_members() const;    ///< of their elements: bytes
    StageWork partials_work(FuncId f, FuncId to, const Dims &dims) const;
    StageWork from_copies(StageWork work, FuncId reader) const;
    void find_bounded(DimId cut);
    size_t over_blocks() const;
    Loops threads_over(FuncId f, const Dims &dims) const;
    Loops over_axes(FuncId f, const Dims &dims, const std::vector<int64_t> &axes) const;
    void add_stage(FuncId made, const StageWork &work, const Loops &own, bool shared, Group &g) const;
    void add_reduction(FuncId f, FuncId made, Group &g, KernelStages &kernel) const;
    void add_tree(FuncId f, FuncId made, DimId dim, Group &g, KernelStages &kernel) const;
    void place(FuncId made, FuncId f, int64_t lanes, std::vector<DimId> storage, Group &g,
               KernelStages &kernel) const;
};

}  // namespace eutectic
