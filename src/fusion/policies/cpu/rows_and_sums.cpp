// y(j, i) = f(x(j, i));  s(j) += e(x(j, i))   →   strips of i in parallel: the rows of y, then p(j, strip)
// += e(x(j, i)) over the same rows, which are still in cache; s(j) += p(j, strip).
//
// p is an rfactor of s, or, where that is an output, of a sum that is moved out of it: of what an update adds
// to an output Halide (21) supposes that it is aligned, which callers' buffers need not be. What s reads of y
// is recomputed for it, from the rows that y was written from. Sums are formed in another order, hence
// the grade. p is added to along the rows, as they lie in memory, a few rows at a time.

#include <algorithm>
#include <limits>

#include "fusion/plan/grade.h"
#include "fusion/plan/shared_rows.h"
#include "fusion/policies/policy.h"

namespace eutectic {

namespace {

// Rows. What is tried, not what is decided: prices do that. With fewer than 16 there is as much to do for the
// partial sums as for the rows; 128 of a few KiB each fill a second level.
constexpr int64_t strip_sizes[] = {16, 32, 64, 128};
// Rows that are added to vectors_at_once vectors of partial sums while these are in registers. Chosen, not
// measured: four additions to a load and a store of each sum. With fewer, these are most of the work; with
// more, there is more code.
constexpr int64_t rows_at_once = 4;
constexpr int64_t vectors_at_once = 2;

class Search {
public:
    explicit Search(const GroupRequest &q)
        : q_(q),
          outer_(q.graph.pure_stage(q.root).dims.next_id() - 1),
          rows_(q.graph.pure_stage(q.root).dims.back().extent) {
        for (const FuncId s : q.sharing_nest) {
            shared_.push_back(shared_rows(q.graph, q.placements, s, q.root));
        }
    }

    std::optional<Group> run() {
        std::optional<Group> best;
        if (std::any_of(shared_.begin(), shared_.end(), [](const SharedRows &s) { return s.dim < 0; })) {
            return best;
        }
        for (const int64_t strip : strip_sizes) {
            if (strip >= rows_ || strip * q_.machine.cores > rows_) {
                break;
            }
            GroupRequest alone = q_;
            alone.sharing_nest.clear();
            alone.strip = strip;
            Offer writer = q_.blocked.empty() ? streaming(alone) : block(alone);
            if (!writer.group() || !fits(*writer.group())) {
                continue;
            }
            Group group = build(*writer.group(), strip);
            if (best && group.cost.total() >= best->cost.total()) {
                break;  // costs fall while there are fewer partial sums, and rise again when a strip leaves
                        // its cache
            }
            best = std::move(group);
        }
        return best;
    }

private:
    const GroupRequest &q_;
    DimId outer_;  ///< dim of the root that is cut into strips
    int64_t rows_;
    std::vector<SharedRows> shared_;  ///< of each sum

    /** Its outermost loop is to be the sums' too: it must be there in one version only. */
    bool fits(const Group &writer) const {
        const TreeFunc &rows = writer.tree.funcs().front();
        const TreeStage &stage = rows.stages.front();
        if (!writer.added.empty() && std::any_of(q_.sharing_nest.begin(), q_.sharing_nest.end(),
                                                 [&](FuncId s) { return recomputes(s); })) {
            return false;  // its definition is no longer one that could be computed elsewhere
        }
        return rows.func == q_.root && !stage.loops.empty() && stage.loops.front().dim == outer_ &&
               stage.whole.empty();
    }

    bool is_output(FuncId sum) const {
        return q_.graph.funcs[sum].output;
    }

    /** The Func that adds up the partial sums. */
    FuncId whole_of(FuncId sum) const {
        return is_output(sum) ? q_.made("moved_sum", sum) : sum;
    }

    FuncId partial_of(FuncId sum) const {
        return q_.made("chunks", sum);
    }

    bool recomputes(FuncId sum) const {
        return recomputed_for(q_.graph, q_.placements, sum) >= 0;
    }

    /** The update of `sum`, with what is recomputed for it. */
    StageWork terms_of(FuncId sum) const {
        return stage_work(q_.graph, q_.graph.funcs[sum].stages.back(),
                          inlined_for(q_.graph, q_.placements, q_.inlined, sum));
    }

    /** Of the partial sums, of a sum whose update is `terms`. */
    StageWork partial_work(size_t i, int64_t strip, const StageWork &terms) const {
        const FuncInfo &info = q_.graph.funcs[q_.sharing_nest[i]];
        StageWork work = split_reduction(terms, info.extents.next_id(), shared_[i].dim, strip, true);
        work.func = partial_of(q_.sharing_nest[i]);
        return work;
    }

    Group build(const Group &writer, int64_t strip) const {
        Group g = writer;
        g.policy = "rows_and_sums";
        const Seconds buffers = writer.cost.total() - price(writer.tree, q_.machine).total();
        const double bytes = strip_bytes(writer, strip);
        std::vector<FuncId> there;  // what a strip has read when the next sum comes to it
        for (size_t i = 0; i < q_.sharing_nest.size(); i++) {
            there.insert(there.end(), shared_[i].funcs.begin(), shared_[i].funcs.end());
            const StageWork &sum = add_partial(i, strip, there, bytes, g);
            for (const Load &load : sum.loads) {
                there.push_back(load.producer);
            }
        }
        const int64_t strips = (rows_ + strip - 1) / strip;
        Seconds allocations = 0, waiting = 0;  // of the other cores, while one adds up the partial sums
        for (const FuncId s : q_.sharing_nest) {
            waiting += add_final(s, strips, g);
            allocations += allocation_cost(q_.graph.funcs[s].bytes() * strips, q_.machine);
        }
        g.cost = price(g.tree, q_.machine);
        g.cost.idle += waiting;
        g.cost.launch += buffers + allocations;
        return g;
    }

    /** Of all that one strip touches. */
    double strip_bytes(const Group &writer, int64_t strip) const {
        std::vector<FuncId> counted;
        double bytes = 0;
        const auto count = [&](const StageWork &work, Extents tile, DimId dim) {
            tile[dim] = std::min(tile[dim], strip);
            for (const Load &load : work.loads) {
                if (std::find(counted.begin(), counted.end(), load.producer) == counted.end()) {
                    counted.push_back(load.producer);
                    bytes += footprint(load, tile) * load.bytes_per_point;
                }
            }
        };
        const auto extents = [](const StageWork &work) {
            Extents all;
            for (const Dim &d : work.dims) {
                all.push_back(d.extent);
            }
            return all;
        };
        const StageWork &root = writer.tree.funcs().front().stages.front().priced->work;
        count(root, extents(root), outer_);
        bytes += root.points() / static_cast<double>(rows_) * static_cast<double>(strip) * root.stored_bytes;
        for (size_t i = 0; i < q_.sharing_nest.size(); i++) {
            const StageWork work = terms_of(q_.sharing_nest[i]);
            count(work, extents(work), shared_[i].dim);
        }
        return bytes;
    }

    int64_t lanes_of(FuncId sum) const {
        const FuncInfo &info = q_.graph.funcs[sum];
        return vector_widths(q_.machine, info.element_bytes, info.extents[0]).front();
    }

    /** The loops over dim 0, in vectors; `at`: where those begin that are outside of all that is unrolled. */
    void push_columns(FuncId sum, Loops &loops, size_t at) const {
        const int64_t lanes = lanes_of(sum), together = vectors_at_once * lanes;
        const bool unrolled = together <= q_.graph.funcs[sum].extents[0];
        loops.insert(at, {0, unrolled ? together : lanes});
        if (unrolled) {
            loops.unroll(0, lanes);
        }
        if (lanes > 1) {
            loops.vectorize(0);
        }
    }

    /** Returns what they do. */
    StageWork add_partial(size_t i, int64_t strip, const std::vector<FuncId> &there, double bytes,
                          Group &g) const {
        const FuncId sum = q_.sharing_nest[i], partial = partial_of(sum);
        const DimId pure = q_.graph.funcs[sum].extents.next_id();
        const StageWork work = partial_work(i, strip, terms_of(sum));
        const Grade grade = q_.graph.last_stage(sum).order_free ? Grade::exact : Grade::reassociating;
        const size_t copy = recomputes(sum) ? g.added.size() : std::numeric_limits<size_t>::max();
        if (recomputes(sum)) {
            g.added.push_back(Added::rewrite("recomputed", q_.made("recomputed", sum), q_.root, {sum},
                                             grade_of_inlining(q_.graph, q_.placements, q_.root, sum)));
        }
        if (is_output(sum)) {
            g.added.push_back(Added::rewrite("moved_sum", whole_of(sum), sum, {}, grade));
        }
        g.added.push_back(
            Added::partial("chunks", partial, whole_of(sum), shared_[i].dim, strip, grade, true));
        Loops init;
        init.split(pure, 1, g.tree.at(q_.root, -1).loops.front().kind);
        for (DimId d = pure - 1; d > 0; d--) {
            init.split(d, 1);
        }
        Loops nest = init;
        push_columns(sum, init, init.size());
        const DimId rows = pure + 1;  // the innermost reduction variable
        const bool several = work.dims[rows].extent >= rows_at_once;
        for (DimId d = work.dims.next_id() - 1; d > pure; d--) {
            nest.split(d, d == rows && several ? rows_at_once : 1);
        }
        const size_t columns = nest.size();
        if (several) {
            nest.unroll(rows);
        }
        push_columns(sum, nest, columns);
        StageWork start = work;
        start.update = -1;
        start.dims.resize(pure + 1);
        g.tree.add_at_root(partial);
        g.tree.write_with(partial, {q_.root, -1, 0});
        g.tree.add_stage(partial, -1, start.dims, init);
        NestedStage priced{work, {nest, 0, {}}, {}, false, false, there, 1, bytes};
        g.tree.add_stage(partial, 0, work.dims, nest, {}, priced);
        if (copy < g.added.size()) {
            NestedStage from_memory = priced;
            from_memory.work =
                partial_work(i, strip, stage_work(q_.graph, q_.graph.funcs[sum].stages.back(), q_.inlined));
            from_memory.in_block.push_back(q_.root);
            g.added[copy].recompute =
                price({priced}, q_.machine).total() - price({from_memory}, q_.machine).total();
        }
        return work;
    }

    /** s(j) = start; s(j) += p(j, strip), on one core. Returns how long the others wait. */
    Seconds add_final(FuncId sum, int64_t strips, Group &g) const {
        const FuncInfo &info = q_.graph.funcs[sum];
        const FuncId whole = whole_of(sum);
        g.tree.add_at_root(whole);
        const StageWork start = stage_work(q_.graph, info.stages.front(), q_.inlined);
        Dims dims = start.dims;
        dims.push_back({"u", strips, true, std::nullopt});
        const StageWork add = addition_work(whole, dims, info.element_bytes);
        Loops init, nest;
        for (DimId d = start.dims.next_id() - 1; d > 0; d--) {
            init.split(d, 1);
        }
        nest = init;
        nest.split(start.dims.next_id(), 1);
        push_columns(sum, init, init.size());
        push_columns(sum, nest, start.dims.size() - 1);
        std::vector<NestedStage> last = {{start, {init, 0, {}}},
                                         {add, {nest, 0, {}}, {partial_of(sum)}, false, true}};
        g.tree.add_stage(whole, init, {}, last[0]);
        g.tree.add_stage(whole, nest, {}, last[1]);
        if (is_output(sum)) {
            last.push_back({start, {init, 0, {}}, {whole}});
            g.tree.add_at_root(sum);
            g.tree.add_stage(sum, init, {}, last[2]);
        }
        const Seconds alone = price(last, q_.machine).total();
        return alone * (1 - 1.0 / q_.machine.cores);
    }
};

}  // namespace

Offer rows_and_sums(const GroupRequest &q) {
    const std::string &name = q.graph.funcs[q.root].name;
    if (q.sharing_nest.empty() || q.placements[q.sharing_nest.front()].kind != Placement::Kind::strips) {
        return Offer::other_kind("is for sums over the rows of " + name + ": its nest has none");
    }
    return Offer::of(Search(q).run(), "needs strips of at least 16 rows of " + name +
                                          " for each core, in loops that the sums may share");
}

}  // namespace eutectic
