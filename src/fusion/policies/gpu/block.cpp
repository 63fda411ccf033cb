// m(i) = max over k of x(k, i);  s(i) += f(x(k, i), m(i));  y(j, i) = g(x(j, i), m(i), s(i))   →   one
// kernel: a block of threads computes some rows i of y, with m and s of these in shared memory.
//
// One dim of the root is cut into blocks of a few rows; each dim outside it has a block for every point,
// those inside are the row. A reduction at Root is written so, too: by a copy of its own (Func::in), or, if
// it is an output, by itself, once its reduction is a Func of its own.

#include <algorithm>
#include <set>

#include "fusion/policies/gpu/gpu.h"

namespace eutectic {

namespace {

class Search {
public:
    explicit Search(const GroupRequest &q, const std::vector<RegisterRow> &register_rows = {})
        : q_(q),
          register_rows_(register_rows),
          blocks_(q),
          info_(q.graph.funcs[q.root]),
          gpu_(*q.machine.gpu) {
    }

    Offer run() {
        const int dims = static_cast<int>(info_.extents.size());
        for (DimId cut = std::max(0, dims - 1); cut >= 0; cut--) {
            const int64_t extent = dims > 0 ? info_.extents[cut] : 1;
            if (extent == 1 && cut > 0 && dims > 1) {
                continue;  // a block of it is everything that the dims outside it leave
            }
            for (int64_t rows = 1; rows <= most_rows && rows < 2 * extent; rows *= 2) {
                const Inside inside = extents_inside(blocks_, cut, rows);
                const int64_t longest = longest_row(inside, cut);
                for (int64_t threads = 1; threads * rows <= gpu_.threads_per_block; threads *= 2) {
                    const bool enough =
                        threads * rows >= gpu_.warp_size &&
                        (threads == 1 || threads < 2 * longest || threads * rows == gpu_.warp_size);
                    // Sums by one thread have no copies; of rows that threads lie along both axes of, Halide
                    // takes a block to need more than it has.
                    const bool keeps = register_rows_.empty() ||
                                       (cut == 0 && threads > 1 && rows <= threads && rows <= extent);
                    if (enough && keeps) {
                        best_ = cheaper(std::move(best_), build(inside, cut, {rows, threads}));
                    }
                }
            }
        }
        if (!best_ && !refused_.empty()) {
            return Offer::refuse(refused_);
        }
        return Offer::of(std::move(best_), "finds no block of rows that a device holds");
    }

private:
    // Of a block. What is tried, in powers of two. Chosen, not measured: each is another block to price; more
    // rows leave an SM fewer blocks.
    static constexpr int64_t most_rows = 64;

    const GroupRequest &q_;
    const std::vector<RegisterRow> register_rows_;
    Blocks blocks_;
    const FuncInfo &info_;
    const Gpu &gpu_;
    std::optional<Group> best_;
    mutable std::string refused_;  // why the smallest block does not fit
    mutable Bytes asked_ = 0;      // of shared memory, by that

    bool reduces() const {
        return info_.stages.size() > 1;
    }

    /** Of the root inside dim `cut`, of what its blocks need, and of the reductions. */
    int64_t longest_row(const Inside &inside, DimId cut) const {
        int64_t longest = cut > 0 ? info_.extents[0] : 1;
        std::vector<FuncId> funcs = blocks_.members;
        funcs.push_back(q_.root);
        for (const FuncId f : funcs) {
            for (const int64_t points : inside.graph.funcs[f].extents) {
                longest = std::max(longest, f == q_.root ? 1 : points);
            }
            for (const StageId s : inside.graph.funcs[f].stages) {
                for (const Dim &d : inside.graph.stages[s].dims) {
                    longest = std::max(longest, d.reduction ? d.extent : 1);
                }
            }
        }
        return longest;
    }

    /** Blocks of rows, and the threads that write them. */
    Nest writer_nest(DimId cut, const BlockShape &shape) const {
        using Kind = Loop::Kind;
        Nest nest;
        const int dims = static_cast<int>(info_.extents.size());
        if (dims == 0) {
            nest.loops.repeat(1, Kind::gpu_block).repeat(1, Kind::gpu_thread);
            return nest;
        }
        for (DimId d = dims - 1; d > cut; d--) {
            nest.loops.gpu_blocks(d);
        }
        nest.loops.gpu_blocks(cut, shape.rows);
        if (cut == 0 && shape.threads > 1 && shape.rows > shape.threads) {
            // along the axis of a row's threads, and what is left along the other
            nest.loops.gpu_threads(cut, shape.threads);
        }
        if (shape.rows > 1) {
            nest.loops.gpu_threads(cut);
        }
        for (DimId d = cut - 1; d > 0; d--) {
            nest.loops.split(d, 1);
        }
        if (cut > 0) {
            nest.loops.split(0, shape.threads);
            if (shape.threads > 1) {
                nest.loops.gpu_threads(0);
            }
        }
        return nest;
    }

    std::optional<Group> does_not_fit(const Verdict &verdict, const KernelStages &kernel) const {
        if (refused_.empty() || kernel.shared_bytes < asked_) {
            refused_ = verdict.reason();
            asked_ = kernel.shared_bytes;
        }
        return std::nullopt;
    }

    /** A pair is made of its partial results before anything may read it. */
    void read_last(Group &g) const {
        if (q_.graph.last_stage(q_.root).pair) {
            std::stable_partition(g.added.begin(), g.added.end(),
                                  [](const Added &a) { return a.kind != Added::Kind::write_tile; });
        }
    }

    /** Copies for the partial results that are made by now, and the registers that they take. */
    void keep_rows(const BlockShape &shape, Group &g, KernelStages &kernel) const {
        std::vector<FuncId> copies;
        int64_t row = 0;
        for (const RegisterRow &k : register_rows_) {
            g.added.push_back(Added::pack(k.made, k.func, k.read_by));
            copies.push_back(k.made);
            row = q_.graph.funcs[k.func].extents[0];
        }
        kernel.row_values = static_cast<int>(alive_at_once(g.tree.of_kernels(), copies) *
                                             ((row + shape.threads - 1) / shape.threads));
    }

    std::optional<Group> build(const Inside &inside, DimId cut, const BlockShape &shape) const {
        const Dims dims(blocks_.root.dims.begin(),
                        blocks_.root.dims.begin() + static_cast<std::ptrdiff_t>(info_.extents.size()));
        const Nest nest = writer_nest(cut, shape);
        const auto threads = std::find_if(nest.loops.begin(), nest.loops.end(),
                                          [](const Loop &l) { return l.kind != Loop::Kind::gpu_block; });
        Group g;
        g.root = q_.root;
        g.policy = register_rows_.empty() ? "gpu_block" : "gpu_registers";
        KernelStages kernel;
        FuncId writer = q_.root;
        StageWork written = stage_work(q_.graph, info_.stages.front(), q_.inlined);
        if (reduces()) {
            written = add_writer(q_, writer, g);
        }
        g.tree.add_at_root(writer);
        NestedStage write{written};
        write.local = blocks_.members;
        g.tree.add_stage(writer, -1, dims, nest.loops, {}, write);
        const LoopRef block{writer, -1, static_cast<int>(threads - nest.loops.begin()) - 1};
        const InBlock in_block(blocks_, inside, shape, cut, block, register_rows_);
        in_block.add_copies(g);
        for (const FuncId f : q_.blocked) {
            if (const Verdict fits = in_block.add(f, f, g, kernel); !fits) {
                return does_not_fit(fits, kernel);
            }
        }
        if (reduces()) {
            if (const Verdict fits = in_block.add(q_.root, written.loads.back().producer, g, kernel); !fits) {
                return does_not_fit(fits, kernel);
            }
            read_last(g);
        }
        keep_rows(shape, g, kernel);
        g.kernels.push_back(price_kernel(g.tree, kernel, q_.machine));
        g.cost += g.kernels.back().cost;
        return g;
    }
};

/** Does anything in the block read each of its Funcs? A sum that is online no longer reads what its terms
 * were made of. */
bool all_read(const GroupRequest &q) {
    std::vector<FuncId> readers = q.blocked;
    readers.push_back(q.root);
    std::set<FuncId> read;
    for (const FuncId f : readers) {
        for (const StageId s : q.graph.funcs[f].stages) {
            for (const Load &load : stage_work(q.graph, s, q.inlined).loads) {
                read.insert(load.producer);
            }
        }
    }
    return std::all_of(q.blocked.begin(), q.blocked.end(), [&](FuncId f) { return read.count(f) > 0; });
}

}  // namespace

bool chosen(const StageWork &work, FuncId f) {
    return std::any_of(work.loads.begin(), work.loads.end(),
                       [&](const Load &l) { return l.producer == f && l.chosen; });
}

bool may_move(const Graph &graph, FuncId reduction) {
    const Stage &update = graph.last_stage(reduction);
    return graph.may_reorder(update) &&
           (!graph.funcs[reduction].output || update.starts_neutral || !graph.strict);
}

StageWork add_writer(const GroupRequest &q, FuncId &writer, Group &g) {
    const FuncInfo info = stored(q, q.root);
    const FuncId sum = add_pair(q, q.root, g);
    const FuncId made = q.made(info.output ? "moved_sum" : "write_tile", q.root);
    const Grade moved = q.graph.last_stage(q.root).starts_neutral ? Grade::exact : Grade::reassociating;
    g.added.push_back(info.output ? Added::rewrite("moved_sum", made, sum, {}, moved)
                                  : Added::write_tile(made, sum));
    StageWork work = stage_work(q.graph, info.stages.front(), q.inlined);
    work.loads.push_back({info.output ? made : sum, identity_access(info.extents.size(), info.extents.size()),
                          info.bytes_per_point, info.extents});
    work.stored_bytes = info.bytes_per_point;
    work.stores = info.tuple_size;
    writer = info.output ? q.root : made;
    return work;
}

std::optional<Group> gpu_block_of_rows(const GroupRequest &q, const std::vector<RegisterRow> &register_rows) {
    return std::move(Search(q, register_rows).run().group());
}

bool has_pairs(const GroupRequest &q) {
    const auto online = [&](FuncId f) { return q.graph.last_stage(f).pair.has_value(); };
    return online(q.root) || std::any_of(q.blocked.begin(), q.blocked.end(), online);
}

Offer gpu_block(const GroupRequest &q) {
    const FuncInfo &info = q.graph.funcs[q.root];
    const Role role = q.graph.last_stage(q.root).role;
    const bool pure = info.stages.size() == 1 && role != Role::opaque;
    const bool reduction = is_single_reduction(q.graph, q.root);
    if (!q.sharing_nest.empty() && !q.graph.last_stage(q.root).pair) {
        return Offer::other_kind("writes one Func in a kernel, and of a sum with its maximum the pair");
    }
    if (!q.tiled.empty() || !(reduction ? q.blocked.empty() : pure && !q.blocked.empty())) {
        return Offer::other_kind("is for a sum in one update, or for a pure Func with others in its blocks");
    }
    if (reduction && !may_move(q.graph, q.root)) {
        return Offer::reorders(info.name);
    }
    if (has_pairs(q) && !all_read(q)) {
        return Offer::refuse("keeps no values that nothing reads any more");
    }
    const bool tiles_inside = std::any_of(q.blocked.begin(), q.blocked.end(), [&](FuncId f) {
        return !placed_in(q.placements, Placement::Kind::at, f).empty();
    });
    return tiles_inside ? Offer::refuse("has no loops yet for reductions in tiles of what a block computes")
                        : Search(q).run();
}

}  // namespace eutectic
