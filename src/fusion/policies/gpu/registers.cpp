// m(i) = max over k of x(k, i);  e(k, i) = f(x(k, i), m(i));  s(i) += e(k, i);  y(j, i) = g(e(j, i), s(i))
// → one kernel, whose warps sum up rows lane by lane (in_warps.cpp): each thread keeps what it reads of x
// (Func::in) and of e in registers, and nothing of a row is read, or computed, twice. Where the root has one
// value for each row, z(i) = g(m(i), s(i)), a block's threads sum up by trees (in_block.cpp) what they have
// in registers.
//
// Registers have constant numbers. Legal where
//  1. rows are as long at every size: the root's first dim, and the same points of all that is in registers;
//  2. what is in registers is read at the reader's own point of the row, so that each thread has what it
//  needs, and nowhere outside the kernel;
//  3. all else in the block has one value for each row.

#include "fusion/policies/gpu/warps.h"

#include <algorithm>
#include <map>
#include <set>

namespace eutectic {

namespace {

class Rows {
public:
    /** `along`: is the row along the root's first dim? Otherwise the root has one value for each. */
    Rows(const Blocks &blocks, bool along)
        : b_(blocks),
          q_(blocks.q),
          along_(along),
          inside_(extents_inside(blocks, along ? 1 : 0, 1)),
          dims_(q_.graph.funcs[q_.root].extents.size()) {
        std::vector<FuncId> readers = b_.members;
        readers.push_back(q_.root);
        for (const FuncId reader : readers) {
            for (const StageId s : q_.graph.funcs[reader].stages) {
                read(reader, s);
            }
        }
    }

    /** Fills `register_rows`; a refusal, what follows the policy's name, where only the caller's sizes are in
     * the way.
     */
    Verdict find(std::vector<RegisterRow> &register_rows) const {
        std::vector<RegisterRow> rows;
        for (const auto &[f, reads] : reads_) {
            const bool alone = reads.own_only && only_read_here(f);
            if (!b_.is_member(f) && reads.readers.size() > 1 && at_own_points(f) &&
                (alone || copied_for_some(f))) {
                rows.push_back({f, q_.made("pack", f), reads.position, {}});
                for (auto r = reads.readers.begin(); !alone && r != reads.readers.end(); ++r) {
                    rows.back().read_by.push_back(q_.made("lanes", *r));
                }
            }
        }
        for (const FuncId f : q_.blocked) {
            if (belongs_to_row(b_, inside_, f, along_ ? 0 : -1)) {
                continue;
            }
            if (!along_ || !of_row_points(f) || !at_own_points(f) || !reads_.at(f).own_only) {
                return Verdict::allow();
            }
            rows.push_back({f, f, reads_.at(f).position, {}});
        }
        for (const RegisterRow &k : rows) {
            if (!is_constant(k.func)) {
                return Verdict::forbid("keeps rows of " + q_.graph.funcs[k.func].name +
                                       " in registers, of which a thread has a constant number, and they are "
                                       "as long as the caller's buffers: say how long, as set_bounds(0, " +
                                       std::to_string(row()) + ") does for the first dimension of each");
            }
        }
        register_rows = std::move(rows);
        return Verdict::allow();
    }

private:
    /** How the stages of the kernel read one Func. */
    struct Reads {
        std::set<FuncId> readers;  ///< those that read a thread's own points
        DimMap position;           ///< dim of the root → of the Func; empty: not the same for all readers
        bool own_only = true;      ///< nothing in the kernel reads others
        bool row = true;           ///< all loops over the row are as long, at every size
    };

    const Blocks &b_;
    const GroupRequest &q_;
    bool along_;
    Inside inside_;
    size_t dims_;
    std::map<FuncId, Reads> reads_;

    void read(FuncId reader, StageId s) {
        const StageWork work = stage_work(q_.graph, s, q_.inlined);
        for (const Load &load : work.loads) {
            if (load.producer == reader) {
                continue;
            }
            const DimMap position = load.chosen ? DimMap() : own_points(reader, work, load);
            Reads &reads = reads_[load.producer];
            if (position.empty()) {
                reads.own_only = false;
                continue;
            }
            if (reads.readers.empty()) {
                reads.position = position;
            } else if (reads.position != position) {
                reads.position.clear();
            }
            reads.readers.insert(reader);
            reads.row = reads.row && std::all_of(work.dims.begin(), work.dims.end(), [&](const Dim &d) {
                            return !d.reduction || d.extent == row();
                        });
        }
    }

    int64_t row() const {
        int64_t extent = q_.graph.funcs[q_.root].extents[0];
        for (const FuncId f : along_ ? std::vector<FuncId>() : q_.blocked) {
            const Dim &last = q_.graph.last_stage(f).dims.back();
            extent = last.reduction ? last.extent : extent;
        }
        return extent;
    }

    /** Dim of the root → of what `reader` loads at its own coordinates, with the row along its first;
     * empty: it loads it in another way. */
    DimMap own_points(FuncId reader, const StageWork &work, const Load &load) const {
        const size_t row = along_ ? 0 : dims_;  // behind the root's dims, where that is not one of them
        DimMap position(along_ ? dims_ : dims_ + 1, -1);
        for (const DimId i : load.access.indices.ids()) {
            const DimId at = load.access.indices[i].equals_dim();
            const DimMap &of_reader = inside_.computed.at(reader).position;
            const auto root = at < 0 ? of_reader.end() : std::find(of_reader.begin(), of_reader.end(), at);
            const bool sums = at >= 0 && work.dims[at].reduction;
            if (root == of_reader.end() && !sums) {
                return {};
            }
            position[sums ? row : static_cast<size_t>(root - of_reader.begin())] = i;
        }
        const bool whole = load.access.indices.size() == position.size() &&
                           std::count(position.begin(), position.end(), -1) == 0 && position[row] == 0;
        position.resize(whole ? dims_ : 0);
        return position;
    }

    bool at_own_points(FuncId f) const {
        const auto reads = reads_.find(f);
        const FuncInfo &info = q_.graph.funcs[f];
        return reads != reads_.end() && !reads->second.position.empty() && reads->second.row &&
               info.tuple_size == 1 && info.element_bytes <= 4 && info.extents[0] == row();
    }

    /** Is it one of the block's, with a value for each point of the root's rows? */
    bool of_row_points(FuncId f) const {
        const FuncInfo &info = q_.graph.funcs[f];
        return info.stages.size() == 1 && q_.graph.last_stage(f).role != Role::opaque &&
               !chosen_member(b_, stage_work(q_.graph, info.stages.front(), q_.inlined));
    }

    /** Is `f` read by what this kernel computes alone? Its copy takes its place wherever it is read. */
    bool only_read_here(FuncId f) const {
        const std::vector<FuncId> readers = q_.graph.consumer_funcs(f);
        return !q_.graph.funcs[f].output && std::all_of(readers.begin(), readers.end(), [&](FuncId r) {
            return r == q_.root || b_.is_member(r) || (q_.inlined[r] && only_read_here(r));
        });
    }

    /** Can there be a copy for the sums that read it at their own points, which name it themselves? */
    bool copied_for_some(FuncId f) const {
        const std::vector<FuncId> readers = q_.graph.consumer_funcs(f);
        return !along_ &&
               std::none_of(readers.begin(), readers.end(), [&](FuncId r) { return q_.inlined[r]; });
    }

    bool is_constant(FuncId f) const {
        const bool root = !along_ || b_.root.dims[0].constant;
        const std::set<FuncId> &readers = reads_.at(f).readers;
        const bool loops = std::all_of(readers.begin(), readers.end(), [&](FuncId r) {
            const Dim &last = q_.graph.last_stage(r).dims.back();
            return !last.reduction || last.constant;
        });
        return root && loops && q_.graph.funcs[f].is_constant(0);
    }
};

/** Has the root, a pure Func, one value for each of the rows that the Funcs of its block are sums of? */
bool is_of_rows(const Blocks &b) {
    const FuncInfo &info = b.q.graph.funcs[b.q.root];
    return info.stages.size() == 1 && !info.extents.empty() && b.root.role != Role::opaque &&
           b.q.tiled.empty() && b.members == b.q.blocked && !b.members.empty();
}

}  // namespace

int64_t alive_at_once(const std::vector<NestedStage> &stages, const std::vector<FuncId> &held) {
    const auto reads = [](const NestedStage &s, FuncId f) {
        return std::any_of(s.work->loads.begin(), s.work->loads.end(),
                           [&](const Load &l) { return l.producer == f; });
    };
    int64_t most = 0;
    for (auto after = stages.begin(); after != stages.end(); ++after) {
        most = std::max<int64_t>(
            most, std::count_if(held.begin(), held.end(), [&](FuncId f) {
                const bool there = std::any_of(stages.begin(), after + 1,
                                               [&](const NestedStage &s) { return s.work->func == f; });
                return there && std::any_of(after + 1, stages.end(),
                                            [&](const NestedStage &s) { return reads(s, f); });
            }));
    }
    return most;
}

Offer gpu_registers(const GroupRequest &q) {
    if (q.blocked.empty() || !q.sharing_nest.empty() || has_pairs(q)) {
        return Offer::other_kind("is for values of rows in blocks, none of them running pairs");
    }
    const Blocks blocks(q);
    std::string reason = "is for rows along the first dim, or for one value a row";
    std::optional<Group> best;
    for (const bool along : {true, false}) {
        if (along ? !has_rows(blocks) : best || !is_of_rows(blocks)) {
            continue;
        }
        std::vector<RegisterRow> register_rows;
        if (const Verdict suits = Rows(blocks, along).find(register_rows); !suits) {
            reason = suits.reason();
        }
        if (!along && !register_rows.empty()) {
            best = gpu_block_of_rows(q, register_rows);
        }
        for (const WarpShape &shape :
             along && !register_rows.empty() ? warp_shapes(q) : std::vector<WarpShape>()) {
            best = cheaper(std::move(best), warps_kernel(blocks, shape, register_rows));
        }
    }
    return Offer::of(std::move(best), reason);
}

}  // namespace eutectic
