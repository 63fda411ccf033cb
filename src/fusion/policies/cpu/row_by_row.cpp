// s(j) += e(j, k), j contiguous   →   chunks of j in parallel; in each k outside, a few rows of terms at a
// time, and along j a vector of sums, which takes a term of each of those rows while it is in registers.
//
// The sums are in memory, in the first level or the second, and what they add up is read row by row, as it
// lies there: a product of a matrix with a vector, whose matrix comes from memory once. (A register tile of
// it goes down all rows a few lines wide, each line in another page: 1 x 4096 x 4096 floats on two cores of
// an AMD EPYC take 3.8 ms in tiles of 96 columns and 1.6 in whole rows.) The terms of each
// sum keep their order: the grade is exact. Where they are an output they are added up elsewhere and copied:
// of what an update adds to an output Halide (21) supposes that it is aligned, which callers' need not be.

#include <algorithm>

#include "fusion/policies/policy.h"

namespace eutectic {

namespace {

// What is tried, not what is decided: prices do that.
// Rows of terms that a vector of sums takes at a time. As many streams are read beside each other, of which a
// core foresees some 16. (64 MB in whole rows on two cores of an AMD EPYC: one at a time 2.6 ms, four 1.7,
// eight 1.6, sixteen 2.0.)
constexpr int64_t rows_at_once[] = {4, 8};
// Bytes of sums that rows go over before the next rows: 0 is all of them, 4096 a page of terms that are
// floats, 65536 what a second level has room for beside those.
constexpr int64_t segments[] = {0, 4096, 16384, 65536};
// Turns of the loop over rows. With fewer, starting and ending loops, which prices leave out, is much of the
// work. (Images resized by 4 to 8 taps: predicted 0.9 of the time, taken 1.3 to 1.9 times as long.)
constexpr int64_t fewest_turns = 8;
// Rows of sums to which the same terms are added: a few vectors times a matrix, which then comes from memory
// once for all of them. For more of them a register tile is as far from memory's rate, and nearer to that of
// multiply-adds.
constexpr int most_rows_of_sums = 8;
constexpr int64_t tasks_per_core[] = {1, 4};

struct Choice {
    int64_t width = 1;    ///< of vectors along dim 0
    int64_t rows = 1;     ///< of terms, of the innermost reduction variable
    int64_t sums = 1;     ///< rows of them, points of dim 1
    int64_t segment = 0;  ///< points of dim 0 that rows go over; 0: all of a task
    DimId along = -1;     ///< its chunks are tasks; -1: none
    int64_t chunk = 0;    ///< points of it
};

class Search {
public:
    explicit Search(const GroupRequest &q)
        : q_(q),
          info_(q.graph.funcs[q.root]),
          update_(q.graph.last_stage(q.root)),
          pure_(info_.extents.next_id()),
          work_(stage_work(q.graph, info_.stages.back(), q.inlined)) {
    }

    /** Why there are no such rows; empty where there are. */
    std::string why_not() const {
        const auto of_rows = [&](const Load &l) {
            const Table<DimId, Index> &indices = l.access.indices;
            return !indices.empty() && indices[0].affine && indices[0].scale[0] == 1 &&
                   l.access.depends_on(innermost_reduction());
        };
        const auto rows = std::find_if(work_->loads.begin(), work_->loads.end(), of_rows);
        if (rows == work_->loads.end()) {
            return "adds up terms that lie along the rows of " + info_.name + ", of which it reads none";
        }
        double again = 1;  // rows of sums for the same rows of terms
        for (DimId d = 1; d < pure_; d++) {
            again *= rows->access.depends_on(d)
                         ? 1
                         : static_cast<double>(info_.extents[d]) * update_.dims[d].blocks;
        }
        if (again > most_rows_of_sums) {
            return "adds the same terms to at most " + std::to_string(most_rows_of_sums) + " rows of " +
                   info_.name + ", which has " + std::to_string(static_cast<int64_t>(again));
        }
        const int64_t in_registers = q_.machine.vector_registers * q_.machine.lanes(info_.element_bytes);
        return info_.extents[0] > in_registers
                   ? ""
                   : "is for rows of sums that are longer than the registers, which have room for those of " +
                         info_.name;
    }

    std::optional<Group> run() {
        const int64_t extent = info_.extents[0];
        for (const int64_t width : wide_vector_widths(q_.machine, info_.element_bytes, extent)) {
            for (const int64_t rows : rows_at_once) {
                if (fewest_turns * rows <= update_.dims[innermost_reduction()].extent) {
                    try_segments({width, rows, 1, 0, -1, 0});
                }
            }
        }
        return best_;
    }

private:
    const GroupRequest &q_;
    const FuncInfo &info_;
    const Stage &update_;
    DimId pure_;  ///< the number of pure dims
    SharedWork work_;
    std::optional<Group> best_;

    DimId innermost_reduction() const {
        return pure_;
    }

    void try_segments(Choice c) {
        const int64_t several = pure_ > 1 ? std::min<int64_t>(info_.extents[1], most_rows_of_sums) : 1;
        for (const int64_t bytes : segments) {
            c.segment = bytes / info_.element_bytes / c.width * c.width;
            if (c.segment < info_.extents[0] && (bytes == 0 || c.segment > 0)) {
                c.sums = 1;
                try_tasks(c);
                c.sums = several;
                if (several > 1) {
                    try_tasks(c);
                }
            }
        }
    }

    void try_tasks(Choice c) {
        best_ = cheaper(std::move(best_), build(c, to_beat(best_)));
        const int64_t cores = q_.inside_block ? 1 : q_.machine.cores;
        bool has_rows = false;
        for (DimId d = pure_ - 1; d > 0; d--) {
            has_rows = has_rows || info_.extents[d] >= cores * (d == 1 ? c.sums : 1);
        }
        const DimId last = has_rows ? 1 : 0;  // parts of the same rows for each core are never faster
        for (c.along = pure_ - 1; c.along >= last && cores > 1; c.along--) {  // of equals the outermost
            const int64_t step = c.along == 0 ? c.width : c.along == 1 ? c.sums : 1;
            for (const int64_t of_core : tasks_per_core) {
                const int64_t tasks = of_core * cores, extent = info_.extents[c.along];
                c.chunk = chunk_of(extent, tasks, step);
                if (c.chunk < extent && (c.along != 0 || c.segment < c.chunk)) {
                    best_ = cheaper(std::move(best_), build(c, to_beat(best_)));
                }
            }
        }
    }

    Loops loops_of(const Choice &c) const {
        Loops loops;
        if (c.along >= 0) {
            loops.parallel(c.along, c.chunk);
        }
        for (DimId d = pure_ - 1; d > 0; d--) {
            const int64_t step = d == 1 ? c.sums : 1;
            if (d != c.along || c.chunk > step) {
                loops.split(d, step);
            }
        }
        if (c.segment > 0) {
            loops.split(0, c.segment);
        }
        for (DimId d = update_.dims.next_id() - 1; d >= pure_; d--) {
            loops.split(d, d == innermost_reduction() ? c.rows : 1);
        }
        loops.split(0, c.width);
        if (c.sums > 1) {
            loops.unroll(1);
        }
        return loops.unroll(innermost_reduction()).vectorize(0);
    }

    /** Its price stops at `limit`. */
    Group build(const Choice &c, Seconds limit) const {
        Group g;
        g.root = q_.root;
        g.policy = "row_by_row";
        const FuncId sum = info_.output ? q_.made("moved_sum", q_.root) : q_.root;
        const StageWork start = stage_work(q_.graph, info_.stages.front(), q_.inlined);
        const Loops pass = pass_nest(q_, start, c.width).loops;
        g.tree.add_at_root(sum);
        g.tree.add_stage(sum, -1, start.dims, pass, {}, NestedStage{start});
        g.tree.add_stage(sum, 0, update_.dims, loops_of(c), {}, NestedStage{work_});
        if (info_.output) {
            g.added.push_back(Added::rewrite("moved_sum", sum, q_.root, {},
                                             update_.starts_neutral ? Grade::exact : Grade::reassociating));
            StageWork copy = start;
            copy.loads.push_back({sum, identity_access(pure_, pure_), info_.bytes_per_point, info_.extents});
            g.tree.add_at_root(q_.root);
            g.tree.add_stage(q_.root, pass, {}, NestedStage{copy});
        }
        g.tree.run_in_turn();
        g.cost = price(g.tree, q_.machine, limit);
        g.cost.launch += info_.output ? allocation_cost(info_.bytes(), q_.machine) : 0;
        return g;
    }
};

}  // namespace

Offer row_by_row(const GroupRequest &q) {
    const std::string &name = q.graph.funcs[q.root].name;
    if (!is_single_reduction(q.graph, q.root) || q.graph.funcs[q.root].extents.empty()) {
        return Offer::other_kind("is for a sum in one update of one value a point, which " + name +
                                 " is not");
    }
    if (const std::string reason = not_alone(q); !reason.empty()) {
        return Offer::other_kind(reason);
    }
    const Stage &update = q.graph.last_stage(q.root);
    if (q.graph.funcs[q.root].output && q.graph.strict && !update.starts_neutral) {
        return Offer::reorders(name);
    }
    Search search(q);
    if (const std::string reason = search.why_not(); !reason.empty()) {
        return Offer::refuse(reason);
    }
    return Offer::of(search.run(), "needs more rows of terms, of at least a vector each");
}

}  // namespace eutectic
