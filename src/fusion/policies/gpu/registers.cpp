// m(i) = max over k of x(k, i);  e(k, i) = f(x(k, i), m(i));  s(i) += e(k, i);  y(j, i) = g(e(j, i), s(i))   →   one kernel, whose warps sum up rows lane by lane (in_warps.cpp): each thread keeps what it
// reads of x (Func::in) and of e in registers, and nothing of a row is read, or computed, twice.
//
// Registers have constant numbers. Legal where
//  1. rows are as long at every size: the root's first dim, and the same points of all that is kept;
//  2. what is kept is read at the reader's own point of the row, so that each thread has what it needs, and nowhere outside the kernel;
//  3. all else in the block has one value for each row.

#include "fusion/policies/gpu/warps.h"

#include <algorithm>
#include <map>
#include <set>

namespace eutectic {

namespace {

class Rows {
public:
    explicit Rows(const Blocks &blocks)
        : b_(blocks), q_(blocks.q), inside_(extents_inside(blocks, 1, 1)), dims_(q_.graph.funcs[static_cast<size_t>(q_.root)].extents.size()) {
    }

    /** Fills `kept`; a refusal, what follows the policy's name, where only the caller's sizes are in the way. */
    Verdict find(std::vector<KeptRow> &kept) {
        read_stages();
        for (const auto &[f, reads] : reads_) {
            if (!b_.is_member(f) && reads.stages.size() > 1 && at_own_points(f) && only_read_here(f)) {
                rows_.push_back({f, added_id(q_.graph.funcs.size(), f, Added::Kind::pack), reads.position});
            }
        }
        for (const FuncId f : q_.blocked) {
            if (belongs_to_row(b_, inside_, f)) {
                continue;
            }
            if (!of_row_points(f) || !at_own_points(f)) {
                return Verdict::allow();
            }
            rows_.push_back({f, f, reads_.at(f).position});
        }
        for (const KeptRow &k : rows_) {
            if (!is_constant(k.func)) {
                const std::string points = std::to_string(q_.graph.funcs[static_cast<size_t>(q_.root)].extents[0]);
                return Verdict::forbid("keeps rows of " + q_.graph.funcs[static_cast<size_t>(k.func)].name + " in registers, of which a thread has a constant number, and they are as long as the caller's buffers: say how long, as set_bounds(0, " + points + ") does for the first dimension of each");
            }
        }
        kept = rows_;
        return Verdict::allow();
    }

private:
    /** How the stages of the kernel read one Func. */
    struct Reads {
        std::set<StageId> stages;
        std::vector<int> position;  ///< dim of the root → of the Func; empty: not that of a thread's own points, or not the same for all
        bool row = true;            ///< all loops over the row are as long as the root's
    };

    const Blocks &b_;
    const GroupRequest &q_;
    Inside inside_;
    size_t dims_;
    std::map<FuncId, Reads> reads_;
    std::vector<KeptRow> rows_;

    void read_stages() {
        std::vector<FuncId> readers = b_.members;
        readers.push_back(q_.root);
        for (const FuncId reader : readers) {
            for (const StageId s : q_.graph.funcs[static_cast<size_t>(reader)].stages) {
                const StageWork work = stage_work(q_.graph, s, q_.inlined);
                for (const Load &load : work.loads) {
                    if (load.producer != reader) {
                        add(reader, s, work, load);
                    }
                }
            }
        }
    }

    void add(FuncId reader, StageId s, const StageWork &work, const Load &load) {
        const std::vector<int> position = load.chosen ? std::vector<int>() : own_points(reader, work, load);
        const auto [reads, first] = reads_.emplace(load.producer, Reads{{}, position, true});
        reads->second.stages.insert(s);
        if (!first && reads->second.position != position) {
            reads->second.position.clear();
        }
        for (const Dim &d : work.dims) {
            reads->second.row = reads->second.row && (!d.reduction || d.extent == row());
        }
    }

    int64_t row() const {
        return q_.graph.funcs[static_cast<size_t>(q_.root)].extents[0];
    }

    /** Dim of the root → of what `reader` loads at its own coordinates, with the row along its first; empty: it loads it in another way. */
    std::vector<int> own_points(FuncId reader, const StageWork &work, const Load &load) const {
        std::vector<int> position(dims_, -1);
        for (size_t i = 0; i < load.access.indices.size(); i++) {
            const int at = load.access.indices[i].equals_dim();
            const std::vector<int> &of_reader = inside_.position.at(reader);
            const auto root = at < 0 ? of_reader.end() : std::find(of_reader.begin(), of_reader.end(), at);
            const bool sums = at >= 0 && work.dims[static_cast<size_t>(at)].reduction;
            if (root == of_reader.end() && !sums) {
                return {};
            }
            position[sums ? 0 : static_cast<size_t>(root - of_reader.begin())] = static_cast<int>(i);
        }
        const bool whole = load.access.indices.size() == dims_ && std::count(position.begin(), position.end(), -1) == 0;
        return whole && position[0] == 0 ? position : std::vector<int>();
    }

    bool at_own_points(FuncId f) const {
        const auto reads = reads_.find(f);
        const FuncInfo &info = q_.graph.funcs[static_cast<size_t>(f)];
        return reads != reads_.end() && !reads->second.position.empty() && reads->second.row && info.tuple_size == 1 && info.element_bytes <= 4 && info.extents[0] == row();
    }

    /** Is it one of the block's, with a value for each point of the root's rows? */
    bool of_row_points(FuncId f) const {
        const FuncInfo &info = q_.graph.funcs[static_cast<size_t>(f)];
        return info.stages.size() == 1 && q_.graph.last_stage(f).role != Role::opaque && !chosen_member(b_, stage_work(q_.graph, info.stages.front(), q_.inlined));
    }

    /** Is `f` read by what this kernel computes alone? Its copy takes its place wherever it is read. */
    bool only_read_here(FuncId f) const {
        const std::vector<FuncId> readers = q_.graph.consumer_funcs(f);
        return !q_.graph.funcs[static_cast<size_t>(f)].output && std::all_of(readers.begin(), readers.end(), [&](FuncId r) { return r == q_.root || b_.is_member(r) || (q_.inlined[static_cast<size_t>(r)] && only_read_here(r)); });
    }

    bool is_constant(FuncId f) const {
        const std::vector<Dim> &root = b_.root.dims;
        return root[0].constant && q_.graph.funcs[static_cast<size_t>(f)].is_constant(0);
    }
};

}  // namespace

int64_t alive_at_once(const std::vector<NestedStage> &stages, const std::vector<FuncId> &kept) {
    const auto reads = [](const NestedStage &s, FuncId f) { return std::any_of(s.work.loads.begin(), s.work.loads.end(), [&](const Load &l) { return l.producer == f; }); };
    int64_t most = 0;
    for (auto after = stages.begin(); after != stages.end(); ++after) {
        most = std::max<int64_t>(most, std::count_if(kept.begin(), kept.end(), [&](FuncId f) {
                                     const bool there = std::any_of(stages.begin(), after + 1, [&](const NestedStage &s) { return s.work.func == f; });
                                     return there && std::any_of(after + 1, stages.end(), [&](const NestedStage &s) { return reads(s, f); });
                                 }));
    }
    return most;
}

std::optional<Group> gpu_registers(const GroupRequest &q) {
    const Blocks blocks(q);
    if (!has_rows(blocks)) {
        return std::nullopt;
    }
    std::vector<KeptRow> kept;
    if (const Verdict suits = Rows(blocks).find(kept); !suits && q.refused) {
        q.refused->push_back("gpu_registers " + suits.reason());
    }
    std::optional<Group> best;
    for (const WarpShape &shape : kept.empty() ? std::vector<WarpShape>() : warp_shapes(q)) {
        best = cheaper(std::move(best), warps_kernel(blocks, shape, kept));
    }
    return best;
}

}  // namespace eutectic
