// s(i) += e(k, i), k contiguous   →   p(i, u) += e(16 * ko + u, i) with u in lanes, inside the loop over i;
// s(i) += p(i, u).
//
// c(j, i) += a(k, i) * b(k, j)   →   the same for tiles of a few i and j at once, each with its lanes in
// registers: what is loaded of a and b serves all of a tile. (Rows of 512 floats, on one core of an Intel
// Xeon with AVX-512 at 2.8 GHz: one sum at a time 27 multiply-adds a ns, tiles of 4 x 4 73.)
//
// Tiles, and what runs in parallel, are computed inside a Func that writes them: where a Func in memory is
// added to in a parallel loop, lanes are summed up with atomic operations (Halide 21), which took 10 ns a
// sum.
//
// The partial results are an rfactor of the reduction: sums are formed in another order, hence the grade.

#include <algorithm>
#include <limits>
#include <numeric>

#include "fusion/policies/cpu/promising.h"
#include "fusion/policies/cpu/register_tile.h"

namespace eutectic {

namespace {

struct Choice {
    DimId dim;       ///< the reduction dim that is split
    int64_t factor;  ///< partial results
    int64_t lanes;
    DimId parallel = -1;  ///< pure dim whose chunks run in parallel, or -1
    int64_t chunk = 0;
    DimId row_dim = 0;  ///< pure dim of which a tile has several; 0: none
    int64_t rows = 1, columns = 1;
    bool columns_outside = false;  ///< loop over tiles of columns outside the one over rows

    int64_t step(DimId d) const {
        return d == 0 ? columns : d == row_dim ? rows : 1;
    }
    bool is_tile() const {
        return rows * columns > 1;
    }
    /** Are its loops those of the same tile with columns inside, since what would change places is the
     * parallel loop, outside all others, or comes last all the same? */
    bool repeats_order() const {
        return columns_outside && (parallel == row_dim || (parallel == 0 && row_dim == 1));
    }
};

class Search {
public:
    explicit Search(const GroupRequest &q)
        : q_(q),
          info_(q.graph.funcs[q.root]),
          update_(q.graph.last_stage(q.root)),
          pure_dims_(info_.extents.next_id()) {
    }

    std::optional<Group> run() {
        for (DimId d = pure_dims_; d < update_.dims.next_id(); d++) {
            const int64_t extent = update_.dims[d].extent;
            const int64_t lanes = q_.machine.lanes(info_.element_bytes);
            if (!contiguous(d) || extent < lanes || lanes < 2) {
                continue;
            }
            Seconds before = std::numeric_limits<Seconds>::infinity();
            for (int64_t vectors = 1; vectors <= 8 && vectors * lanes <= extent; vectors *= 2) {
                const Seconds compute = try_parallel({d, vectors * lanes, lanes});
                if (vectors > 1) {
                    try_parallel({d, vectors * lanes, 2 * lanes});
                }
                if (compute > (1 - q_.machine.partial_result_gain) * before) {
                    break;
                }
                before = compute;
            }
            try_tiles({d, lanes, lanes});
        }
        return best_;
    }

private:
    const GroupRequest &q_;
    const FuncInfo &info_;
    const Stage &update_;
    DimId pure_dims_;
    StageWork work_ = stage_work(q_.graph, info_.stages.back(), q_.inlined);
    std::optional<Group> best_;

    bool contiguous(DimId d) const {
        return std::any_of(work_.loads.begin(), work_.loads.end(), [&](const Load &l) {
            return !l.access.indices.empty() && l.access.indices[0].affine &&
                   l.access.indices[0].scale[d] == 1;
        });
    }

    /** Its seconds of computing on one core. */
    Seconds try_parallel(Choice c) {
        const Group serial =
            build(c, c.is_tile() ? to_beat(best_) : std::numeric_limits<Seconds>::infinity());
        best_ = cheaper(std::move(best_), serial);
        for (c.parallel = 0; c.parallel < pure_dims_ && q_.machine.cores > 1; c.parallel++) {
            const int64_t extent = update_.dims[c.parallel].extent;
            // Larger tasks than tiles would be whole at larger sizes only.
            const std::vector<int64_t> chunks =
                c.is_tile() ? std::vector<int64_t>{c.step(c.parallel)}
                            : std::vector<int64_t>{chunk_of(extent, q_.machine.cores),
                                                   chunk_of(extent, 4 * q_.machine.cores)};
            for (const int64_t chunk : chunks) {
                c.chunk = chunk;
                if (chunk < extent && !c.repeats_order()) {
                    best_ = cheaper(std::move(best_), build(c, to_beat(best_)));
                }
            }
        }
        return serial.cost.compute;
    }

    /** Are there loads that all points along `dim` share? */
    bool shared_along(DimId dim) const {
        return std::any_of(work_.loads.begin(), work_.loads.end(),
                           [&](const Load &l) { return !l.access.depends_on(dim); });
    }

    /** Tiles with the lanes of `c`. */
    std::vector<Choice> tiles(Choice c) const {
        std::vector<Choice> result;
        const auto most = [&](DimId d) { return shared_along(d) ? testable_points(update_.dims[d]) : 1; };
        for (c.row_dim = pure_dims_ > 1 ? 1 : 0; c.row_dim < std::max<DimId>(1, pure_dims_); c.row_dim++) {
            for (const int64_t rows : {1, 2, 4, 8}) {
                for (const int64_t columns : {1, 2, 4, 8}) {
                    const bool fits =
                        columns <= most(0) && (rows == 1 || (c.row_dim > 0 && rows <= most(c.row_dim)));
                    if (fits && rows * columns > 1 && rows * columns <= q_.machine.vector_registers) {
                        c.rows = rows;
                        c.columns = columns;
                        result.push_back(c);
                    }
                }
            }
        }
        return result;
    }

    void try_tiles(const Choice &lanes) {
        if (pure_dims_ == 0 || q_.graph.pure_stage(q_.root).wrapper) {
            return;
        }
        Promising<Choice> promising;
        const SharedWork work(split_reduction(work_, pure_dims_, lanes.dim, lanes.factor, false));
        for (const Choice &c : tiles(lanes)) {
            Nest nest = outer_nest(c);
            nest.loops.nest(terms_of(c, *work));
            promising.add(compute_cycles({work, nest, {}, true, true}, q_.machine) / q_.machine.hertz /
                              q_.machine.cores,
                          c);
        }
        promising.look([&] { return std::min(q_.computing_limit, to_beat(best_)); },
                       [&](Choice c) {
                           const Seconds before = to_beat(best_);
                           for (const bool columns_outside : {false, true}) {
                               c.columns_outside = columns_outside;
                               if (!columns_outside || c.row_dim > 0) {
                                   try_parallel(c);
                               }
                           }
                           return to_beat(best_) < before;
                       });
    }

    /** Loops over the pure dims, outermost first; the parallel one first of all. */
    Nest outer_nest(const Choice &c) const {
        Nest nest;
        if (c.parallel >= 0) {
            nest.loops.parallel(c.parallel, c.chunk);
        }
        std::vector<DimId> order;
        for (const DimId d : info_.extents.reversed_ids()) {
            order.push_back(d);
        }
        if (c.columns_outside) {
            order.erase(std::find(order.begin(), order.end(), c.row_dim));
            order.push_back(c.row_dim);
        }
        for (const DimId d : order) {
            if (d != c.parallel || c.chunk > c.step(d)) {
                nest.loops.split(d, c.step(d));
            }
        }
        return nest;
    }

    /** Its price stops at `limit`. */
    Group build(const Choice &c, Seconds limit) const {
        Group g;
        g.root = q_.root;
        g.policy = "row_reduction";
        if (c.is_tile() || (c.parallel >= 0 && !q_.graph.pure_stage(q_.root).wrapper)) {
            add_written(c, g);
        } else {
            add_in_memory(c, g);
        }
        g.cost = price(g.tree, q_.machine, limit);
        return g;
    }

    /** Sums where they are. */
    void add_in_memory(const Choice &c, Group &g) const {
        const FuncId partial = add_lanes(c, q_.root, g);
        Nest nest = outer_nest(c);
        const int depth = static_cast<int>(nest.loops.size());
        g.tree.add_at_root(q_.root);
        add_init(g);
        const StageWork final = final_work(q_.root, c);
        nest.loops.vectorize(pure_dims_);
        nest.whole = whole_lanes(c);
        g.tree.add_stage(q_.root, nest.loops, nest.whole, {final, {}, {}, false, true});
        DimMap position(pure_dims_ + 1);
        std::iota(position.begin(), position.end(), 0);
        add_partial(c, partial,
                    depth > 0 ? g.tree.add_in_loop(partial, {q_.root, 0, depth - 1}, position)
                              : g.tree.add_at_root(partial),
                    g);
    }

    /** Sums of a tile, or of one point, inside what writes them. */
    void add_written(const Choice &c, Group &g) const {
        const FuncId sum = info_.output ? q_.made("moved_sum", q_.root) : q_.root;
        const FuncId writer = info_.output ? q_.root : q_.made("write_tile", q_.root);
        const StageWork init = stage_work(q_.graph, info_.stages.front(), q_.inlined);
        StageWork write = info_.output ? init : write_tile_of(q_.graph, q_.root);
        if (info_.output) {
            g.added.push_back(Added::rewrite("moved_sum", sum, q_.root, {},
                                             update_.starts_neutral ? Grade::exact : Grade::reassociating));
            write.loads.push_back({sum, identity_access(info_.extents.size(), info_.extents.size()),
                                   info_.bytes_per_point, info_.extents});
        } else {
            g.added.push_back(Added::write_tile(writer, sum));
        }
        const FuncId partial = add_lanes(c, sum, g);
        Nest nest = outer_nest(c);
        const int depth = static_cast<int>(nest.loops.size());
        const Loops tile = tile_of(c);
        nest.loops.nest(tile);
        for (const DimId d : info_.extents.ids()) {
            if (c.step(d) > 1) {
                nest.whole.push_back(whole_tiles(update_.dims[d], c.step(d)));
            }
        }
        const bool any_size = nest.whole.empty();  // no version knows that a tile is whole
        g.tree.add_at_root(writer);
        g.tree.add_stage(writer, -1, write.dims, std::move(nest.loops), std::move(nest.whole),
                         NestedStage{write, {}, {sum}});
        DimMap position(pure_dims_);
        std::iota(position.begin(), position.end(), 0);
        const LoopRef loop{writer, -1, depth - 1};
        TreeFunc &placed = g.tree.add_in_loop(sum, loop, position);
        if (any_size) {
            placed.allocated = points(c);
        }
        g.tree.add_stage(sum, -1, init.dims, tile, {}, NestedStage{init, {}, {}, true, true});
        const StageWork final = final_work(sum, c);
        Loops lanes = tile;
        lanes.vectorize(pure_dims_);
        g.tree.add_stage(sum, 0, final.dims, std::move(lanes), whole_lanes(c),
                         NestedStage{final, {}, {}, true, true});
        TreeFunc &of_lanes = g.tree.add_in_loop(partial, loop, position);
        if (any_size) {
            of_lanes.allocated = points(c);
            of_lanes.allocated.push_back(c.factor);
        }
        add_partial(c, partial, of_lanes, g);
    }

    /** The loops inside a tile. */
    static Loops tile_of(const Choice &c) {
        Loops loops;
        if (c.rows > 1) {
            loops.unroll(c.row_dim);
        }
        if (c.columns > 1) {
            loops.unroll(0);
        }
        return loops;
    }

    /** A tile's, and each of its points' lanes. */
    Loops lanes_of(const Choice &c) const {
        Loops loops = tile_of(c);
        if (c.factor > c.lanes) {
            loops.unroll(pure_dims_, c.lanes);
        }
        return loops.vectorize(pure_dims_);
    }

    /** Those over the terms of `work`, around them. */
    Loops terms_of(const Choice &c, const StageWork &work) const {
        Loops terms;
        for (DimId d = work.dims.next_id() - 1; d > pure_dims_; d--) {
            terms.split(d, 1);
        }
        return terms.nest(lanes_of(c));
    }

    /** Of a tile. */
    Extents points(const Choice &c) const {
        Extents result;
        for (const DimId d : info_.extents.ids()) {
            result.push_back(c.step(d));
        }
        return result;
    }

    FuncId add_lanes(const Choice &c, FuncId sum, Group &g) const {
        const FuncId partial = q_.made("lanes", q_.root);
        g.added.push_back(Added::partial("lanes", partial, sum, c.dim, c.factor,
                                         update_.order_free ? Grade::exact : Grade::reassociating));
        return partial;
    }

    void add_init(Group &g) const {
        StageWork work = stage_work(q_.graph, info_.stages.front(), q_.inlined);
        const int64_t width =
            pure_dims_ == 0 ? 1 : vector_widths(q_.machine, info_.element_bytes, work.dims[0].extent).front();
        g.tree.add_stage(q_.root, plain_nest(work.dims.size(), width).loops, {}, {work});
    }

    /** s(i) += p(i, u): `factor` additions a row. */
    StageWork final_work(FuncId sum, const Choice &c) const {
        Dims dims;
        dims.insert(dims.end(), update_.dims.begin(), update_.dims.begin() + pure_dims_);
        dims.push_back({"u", c.factor, true, std::nullopt, true});
        return addition_work(sum, dims, info_.element_bytes);
    }

    /** Only of a row that fills the lanes is their number known; of a shorter one they are summed up one by
     * one. */
    std::vector<Condition> whole_lanes(const Choice &c) const {
        const Dim &along = update_.dims[c.dim];
        return along.at_least ? std::vector<Condition>{whole_tiles(along, c.factor)}
                              : std::vector<Condition>();
    }

    void add_partial(const Choice &c, FuncId partial, TreeFunc &placed, Group &g) const {
        placed.storage = {pure_dims_};
        for (const DimId d : info_.extents.ids()) {
            placed.storage.push_back(d);
        }
        const StageWork work = split_reduction(work_, pure_dims_, c.dim, c.factor, false);
        g.tree.add_stage(partial, -1, work.dims, lanes_of(c));
        g.tree.add_stage(partial, 0, work.dims, terms_of(c, work), {}, NestedStage{work, {}, {}, true, true});
    }
};

}  // namespace

Offer row_reduction(const GroupRequest &q) {
    const std::string &name = q.graph.funcs[q.root].name;
    if (!is_single_reduction(q.graph, q.root)) {
        return Offer::other_kind("is for a sum in one update of one value, which " + name + " is not");
    }
    if (const std::string reason = not_alone(q); !reason.empty()) {
        return Offer::other_kind(reason);
    }
    if (!q.graph.may_reorder(q.graph.last_stage(q.root))) {
        return Offer::reorders(name);
    }
    return Offer::of(Search(q).run(), "needs a reduction variable of " + name +
                                          " along contiguous memory, with at least a vector of terms");
}

}  // namespace eutectic
