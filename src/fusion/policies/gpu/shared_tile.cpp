// c(j, i) += a(k, i) * b(j, k);  y(j, i) = f(c(j, i))   →   blocks of threads over tiles of y, and a few
// rows and columns of c in registers for each thread, as gpu_contraction has them; but the threads of a block
// go over k in steps: together they copy what a step needs of a and b to shared memory (Func::in), with what
// is computed on the way there, then each multiplies what it needs.
//
// An operand is copied when it changes along k and is the same for all rows, or all columns, of the tile. Its
// copy lies along the other dim, so that a thread reads four neighbours at once.
//
// What is on the way there may need values of the tile's rows, a maximum or a sum: m(i) = max over k of x(k,
// i);  a(k, i) = g(x(k, i), m(i)). The block's threads compute them first, in shared memory.

#include <algorithm>

#include "fusion/policies/gpu/shared_tile_sum.h"

namespace eutectic {

namespace {

using Kind = Loop::Kind;

// Points of k in the code of a step's innermost loop. Chosen, not measured: of 64 sums a thread, 512
// multiply-adds to one branch; more is code that takes longer to compile.
constexpr int64_t unrolled_k = 8;
// Values that a thread copies in a step, at once: they are in registers on the way. Chosen, not measured:
// with fewer, long steps of large tiles are out, with more they spill.
constexpr int64_t most_copied = 32;
// Sums that a thread keeps in registers. Chosen, not measured: a quarter of the registers that it may have,
// beside which there are operands and addresses; with more, few threads run at once.
constexpr int64_t most_sums = 64;

struct Tile {
    int64_t x = 1, y = 1;           ///< threads of a block along the columns (dim 0) and the rows (dim 1)
    int64_t columns = 1, rows = 1;  ///< of a thread
    int64_t step = 1;               ///< points of k that are in shared memory at once
};

class Search {
public:
    explicit Search(const GroupRequest &q) : q_(q) {
    }

    Offer run() {
        if (const Verdict suits = read_shared_tile_sum(q_, s_); !suits) {
            return Offer::refuse(suits.reason());
        }
        for (const auto &[x, y] :
             std::vector<std::pair<int64_t, int64_t>>{{32, 8}, {16, 16}, {32, 4}, {16, 8}, {8, 8}, {8, 16}}) {
            // Of one row, Halide would have inputs as long as whole tiles, wherever what the tile's rows need
            // is computed.
            for (const int64_t rows : {16, 8, 4, 2}) {
                for (const int64_t step : {16, 32, 8, 64}) {
                    // With more columns, threads beside each other would read from the same banks.
                    const Tile t{x, y, floats_at_once, rows, step};
                    if (x * t.columns <= s_.dims[0].extent && y * rows <= s_.dims[1].extent &&
                        step <= s_.work.dims.back().extent && fits(t)) {
                        best_ = cheaper(std::move(best_), build(t));
                    }
                }
            }
        }
        return Offer::of(std::move(best_), no_rows_.empty() ? too_small() : no_rows_);
    }

private:
    const GroupRequest &q_;
    SharedTileSum s_;
    std::map<int64_t, Inside> inside_;  // by the rows of a tile
    std::string no_rows_;               // why a tile's rows have no values
    std::optional<Group> best_;

    std::string too_small() const {
        const Tile least{8, 8, floats_at_once, 2, 8};
        const auto count = [](int64_t n) { return std::to_string(n); };
        return "has tiles of at least " + count(least.x * least.columns) + " columns, " +
               count(least.y * least.rows) + " rows and " + count(least.step) + " terms at once, of " +
               count(s_.dims[0].extent) + " columns, " + count(s_.dims[1].extent) + " rows and " +
               count(s_.work.dims.back().extent) + " terms";
    }

    /** Adds the values of a tile's rows: false where a block has no room for them. */
    bool add_rows(const Tile &t, const LoopRef &block, Group &g, KernelStages &kernel) {
        auto inside = inside_.find(t.y * t.rows);
        if (inside == inside_.end()) {
            inside = inside_.emplace(t.y * t.rows, extents_inside(*s_.blocks, 1, t.y * t.rows)).first;
        }
        const InBlock in_block(*s_.blocks, inside->second, {t.y, t.x, t.rows}, 1, block);
        for (const FuncId f : q_.blocked) {
            if (const Verdict fits = in_block.add(f, f, g, kernel); !fits) {
                no_rows_ = fits.reason();
                return false;
            }
        }
        return true;
    }

    bool is_row(const SharedOperand &o) const {
        return o.dims[o.along] == s_.map[1];
    }
    int64_t tile_along(const SharedOperand &o, const Tile &t) const {
        return is_row(o) ? t.y * t.rows : t.x * t.columns;
    }
    /** A copy that is turned is written across its rows: four more points in each spread them over the banks,
     * and keep four neighbours aligned. */
    int64_t pitch(const SharedOperand &o, const Tile &t) const {
        return tile_along(o, t) + (o.turned ? floats_at_once : 0);
    }

    bool fits(const Tile &t) const {
        Bytes bytes = 0;
        bool copied = true;
        for (const SharedOperand &o : s_.operands) {
            bytes += pitch(o, t) * t.step * o.bytes_per_point;
            copied = copied && ceil_of(tile_along(o, t), o.turned ? t.y : t.x) *
                                       ceil_of(t.step, o.turned ? t.x : t.y) <=
                                   most_copied;
        }
        return copied && bytes <= q_.machine.gpu->shared_bytes_per_block && t.rows * t.columns <= most_sums &&
               t.x * t.y >= q_.machine.gpu->warp_size;
    }

    static int64_t ceil_of(int64_t n, int64_t d) {
        return (n + d - 1) / d;
    }

    Nest writer_nest(const Tile &t) const {
        Nest nest;
        for (DimId d = s_.dims.next_id() - 1; d > 1; d--) {
            nest.loops.gpu_blocks(d);
        }
        nest.loops.gpu_blocks(1, t.y * t.rows);
        nest.loops.gpu_blocks(0, t.x * t.columns);
        push_tile(nest.loops, t, 1, 0);
        push_points(nest.loops, t, 1, 0);
        nest.whole = whole_tiles_of(t);
        return nest;
    }
    std::vector<Condition> whole_tiles_of(const Tile &t) const {
        return {whole_tiles(s_.dims[0], t.x * t.columns), whole_tiles(s_.dims[1], t.y * t.rows)};
    }

    static void push_tile(Loops &loops, const Tile &t, DimId row, DimId column) {
        loops.gpu_threads(row, t.rows);
        loops.gpu_threads(column, t.columns);
    }
    static void push_points(Loops &loops, const Tile &t, DimId row, DimId column) {
        if (t.rows > 1) {
            loops.unroll(row);
        }
        loops.unroll(column);
    }

    /** Dims of what a block computes: as long, at every size, as its loops say. */
    static Dims in_block(Dims dims) {
        for (Dim &d : dims) {
            d.constant = d.constant || !d.reduction;
        }
        return dims;
    }

    std::optional<Group> build(const Tile &t) {
        Group g;
        g.root = q_.root;
        g.policy = "gpu_shared_tile";
        FuncId writer = q_.root;
        const StageWork written = s_.made ? add_writer(q_, writer, g) : s_.written;
        const FuncId sum = s_.made ? written.loads.back().producer : s_.func;
        const Nest nest = writer_nest(t);
        g.tree.add_at_root(writer);
        g.tree.add_stage(writer, -1, s_.dims, nest.loops, nest.whole, NestedStage{written});
        const LoopRef block{writer, -1, static_cast<int>(s_.dims.size()) - 1};
        KernelStages kernel;
        if (s_.blocks && !add_rows(t, block, g, kernel)) {
            return std::nullopt;
        }
        place_sum(sum, block, t, g);
        add_sum(sum, t, g);
        for (const SharedOperand &o : s_.operands) {
            add_copy(o, {sum, s_.work.update, 0}, block, t, g, kernel);
        }
        if (kernel.shared_bytes > q_.machine.gpu->shared_bytes_per_block) {
            return std::nullopt;
        }
        for (const SharedOperand &o : s_.operands) {
            kernel.register_values += static_cast<int>(is_row(o) ? t.rows : t.columns);
        }
        kernel.register_values += static_cast<int>(t.rows * t.columns);
        g.kernels.push_back(price_kernel(g.tree, kernel, q_.machine));
        g.cost = g.kernels.back().cost;
        return g;
    }

    void place_sum(FuncId sum, const LoopRef &block, const Tile &t, Group &g) const {
        TreeFunc &placed = g.tree.add_in_loop(sum, block, s_.map);
        placed.allocated.assign(s_.dims.size(), 1);
        placed.allocated[s_.map[0]] = t.x * t.columns;
        placed.allocated[s_.map[1]] = t.y * t.rows;
        placed.by_threads = true;
    }

    /** c = 0, then c += a step's products; its first loop goes over steps. */
    void add_sum(FuncId sum, const Tile &t, Group &g) const {
        const std::vector<Condition> whole =
            whole_tiles_of(t);  // the writer's: other code in its kernel for whole tiles
        Loops init;
        push_tile(init, t, s_.map[1], s_.map[0]);
        push_points(init, t, s_.map[1], s_.map[0]);
        g.tree.add_stage(sum, -1, in_block(q_.graph.pure_stage(s_.func).dims), init, whole);
        const DimId k = s_.work.dims.next_id() - 1;
        Loops update;
        update.split(k, t.step, Kind::gpu_step);
        push_tile(update, t, s_.map[1], s_.map[0]);
        if (t.step > unrolled_k) {
            update.split(k, unrolled_k);
        }
        update.unroll(k);
        push_points(update, t, s_.map[1], s_.map[0]);
        NestedStage stage = accumulating(s_.work);
        for (const SharedOperand &o : s_.operands) {
            stage.in_shared.push_back(o.made);
        }
        g.tree.add_stage(sum, s_.work.update, in_block(s_.work.dims), update, whole, stage);
    }

    /** Neighbouring threads copy what neighbours in memory. */
    void add_copy(const SharedOperand &o, const LoopRef &step, const LoopRef &block, const Tile &t, Group &g,
                  KernelStages &kernel) const {
        g.added.push_back(Added::pack(o.made, o.func, {step.func}));
        StageWork work = o.inlined ? stage_work(q_.graph, q_.graph.funcs[o.func].stages.front(), q_.inlined)
                                   : copy_work(o.made, {o.func, o.access, o.bytes_per_point, o.extents});
        work.func = o.made;
        work.dims[o.along_k].extent =
            std::min(work.dims[o.along_k].extent, s_.work.dims.back().extent);  // of a block
        place_copy(o, step, block, t, g);
        Loops own;
        const DimId first = std::min(o.along, o.along_k), second = std::max(o.along, o.along_k);
        const int64_t e0 = first == o.along ? tile_along(o, t) : t.step,
                      e1 = second == o.along ? tile_along(o, t) : t.step;
        if (e1 > t.y) {
            own.unroll(second, t.y);
        }
        if (e0 > t.x) {
            own.unroll(first, t.x);
        }
        own.gpu_threads(second);
        own.gpu_threads(first);
        kernel.shared_bytes += pitch(o, t) * t.step * o.bytes_per_point;
        NestedStage stage{work};
        if (o.turned) {
            // Neighbouring threads store a pitch apart, which is 4 banks more than a whole number of rounds.
            const int64_t rounds = std::min<int64_t>(e0, t.x) * (pitch(o, t) % q_.machine.gpu->shared_banks) /
                                   q_.machine.gpu->shared_banks;
            stage.bank_conflicts = static_cast<double>(std::max<int64_t>(1, rounds));
        }
        g.tree.add_stage(o.made, own, {}, stage);
    }

    void place_copy(const SharedOperand &o, const LoopRef &step, const LoopRef &block, const Tile &t,
                    Group &g) const {
        DimMap position(s_.work.dims.size(), -1);
        for (const DimId i : o.dims.ids()) {
            position[o.dims[i]] = i;
        }
        TreeFunc &placed = g.tree.add_in_loop(o.made, step, position);
        placed.allocated.assign(o.dims.size(), 1);
        placed.allocated[o.along] = pitch(o, t);
        placed.allocated[o.along_k] = t.step;
        if (o.turned) {
            for (const DimId i : o.dims.ids()) {
                placed.storage.push_back(i);
            }
            std::swap(placed.storage[o.along], placed.storage[o.along_k]);
        }
        // In shared memory Halide gives the place of what is read for the last time in a turn of the steps to
        // what is made after it in that turn, and loses the values of rows for the next one.
        if (!q_.blocked.empty()) {
            g.tree.allocate_in(o.made, block);
        }
    }
};

}  // namespace

Offer gpu_shared_tile(const GroupRequest &q) {
    const FuncInfo &info = q.graph.funcs[q.root];
    const bool reduction = is_single_reduction(q.graph, q.root);
    const bool tile = info.stages.size() == 1 && q.tiled.size() == 1;
    if (!q.sharing_nest.empty() || has_pairs(q) ||
        !(tile || (reduction && q.blocked.empty() && q.tiled.empty()))) {
        return Offer::other_kind(
            "is for one sum of several values, in one update, in tiles of a pure Func or "
            "at Root");
    }
    if (!tile && !may_move(q.graph, q.root)) {
        return Offer::reorders(info.name);
    }
    return Search(q).run();
}

}  // namespace eutectic
