#include "fusion/policies/gpu/shared_tile_sum.h"

#include <algorithm>

namespace eutectic {

namespace {

std::string count(int64_t n) {
    return std::to_string(n);
}

class Reader {
public:
    Reader(const GroupRequest &q, SharedTileSum &sum)
        : q_(q), info_(q.graph.funcs[q.root]), s_(sum), inlined_(q.inlined) {
        s_.made = info_.stages.size() > 1;
        s_.func = s_.made ? q.root : q.tiled.front();
        const Dims &dims = q.graph.pure_stage(q.root).dims;
        s_.dims.assign(dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(info_.extents.size()));
    }

    Verdict run() {
        for (const auto read : {&Reader::read_sum, &Reader::read_operands, &Reader::read_rows}) {
            if (const Verdict suits = (this->*read)(); !suits) {
                return suits;
            }
        }
        return Verdict::allow();
    }

private:
    const GroupRequest &q_;
    const FuncInfo &info_;
    SharedTileSum &s_;
    Table<FuncId, bool> inlined_;  // but for the operands

    /** One sum over one dim, of a tile whose size can be tested at run time. */
    Verdict read_sum() {
        const FuncInfo &f = q_.graph.funcs[s_.func];
        const size_t over = q_.graph.last_stage(s_.func).dims.size() - f.extents.size();
        if (s_.dims.size() < 2 || s_.dims.size() > exact_blocks_of_tiles) {
            return Verdict::forbid("has tiles of two dims, and blocks for at most " +
                                   count(exact_blocks_of_tiles - 2) + " more: " + f.name + " has " +
                                   count(static_cast<int64_t>(s_.dims.size())));
        }
        if (!s_.dims[0].at_least || !s_.dims[1].at_least) {
            return Verdict::forbid("has whole tiles where a buffer of the caller's says so, and none is as "
                                   "long as the rows or columns of " +
                                   info_.name);
        }
        if (f.element_bytes != floats_at_once || over != 1) {
            return Verdict::forbid("adds up values of 4 bytes along one dim: those of " + f.name + " have " +
                                   count(f.element_bytes) + " and go along " +
                                   count(static_cast<int64_t>(over)));
        }
        s_.written = stage_work(q_.graph, info_.stages.front(), q_.inlined);
        s_.map = s_.made ? DimMap() : dims_in_producer(s_.written, s_.func);
        for (DimId d = 0; s_.made && d < s_.dims.next_id(); d++) {
            s_.map.push_back(d);
        }
        // Of a sum that is chosen by where it is (a mask), a block may need less than its tile, and threads
        // would no longer agree on whose point is whose.
        if (!s_.made && chosen(s_.written, s_.func)) {
            return Verdict::forbid("adds up whole tiles, and " + info_.name +
                                   " chooses by its coordinates which points of " + f.name + " it needs");
        }
        const bool mapped = s_.map.size() == s_.dims.size() &&
                            std::all_of(s_.map.begin(), s_.map.end(), [](DimId d) { return d >= 0; });
        return mapped ? Verdict::allow()
                      : Verdict::forbid("needs " + f.name + " at the coordinates of " + info_.name);
    }

    Verdict read_operands() {
        const Stage &update = q_.graph.last_stage(s_.func);
        const DimId k = update.dims.next_id() - 1;
        for (const EdgeId e : update.edges) {
            const Edge &edge = q_.graph.edges[e];
            if (edge.producer == s_.func) {
                continue;
            }
            const auto reads = std::count_if(update.edges.begin(), update.edges.end(), [&](int o) {
                return q_.graph.edges[o].producer == edge.producer;
            });
            std::optional<SharedOperand> operand = operand_of(edge, k);
            if (operand && reads == 1) {
                inlined_[edge.producer] = false;
                operand->made = q_.made("pack", s_.func, static_cast<int>(s_.operands.size()));
                s_.operands.push_back(*operand);
            }
        }
        if (s_.operands.empty()) {
            return Verdict::forbid(
                "copies operands that change along the sum and with either rows or columns, and finds none");
        }
        s_.work = stage_work(q_.graph, q_.graph.funcs[s_.func].stages.back(), inlined_);
        for (const SharedOperand &o : s_.operands) {
            const auto loads = std::count_if(s_.work.loads.begin(), s_.work.loads.end(),
                                             [&](const Load &l) { return l.producer == o.func; });
            if (loads != 1) {
                return Verdict::forbid("copies what the sum reads once: " + q_.graph.funcs[o.func].name +
                                       " is read by something inlined, too");
            }
            for (Load &load : s_.work.loads) {
                if (load.producer == o.func) {
                    load.producer = o.made;
                    // As it lies in shared memory.
                    std::swap(load.access.indices[0], load.access.indices[o.along]);
                    std::swap(load.extents[0], load.extents[o.along]);
                }
            }
        }
        return Verdict::allow();
    }

    /** What is computed in the block with the sum has one value for each row, and no tiles of its own. */
    Verdict read_rows() {
        if (q_.blocked.empty()) {
            return Verdict::allow();
        }
        s_.blocks.emplace(q_);
        const Inside inside = extents_inside(*s_.blocks, 1, 1);
        const auto of_rows = [&](FuncId f) {
            const auto at = inside.computed.find(f);
            return at != inside.computed.end() && at->second.position[0] < 0 &&
                   placed_in(q_.placements, Placement::Kind::at, f).empty();
        };
        const auto other = std::find_if_not(q_.blocked.begin(), q_.blocked.end(), of_rows);
        return other == q_.blocked.end()
                   ? Verdict::allow()
                   : Verdict::forbid("computes one value for each row with a sum: " +
                                     q_.graph.funcs[*other].name + " has more, or tiles of its own");
    }

    /** Does it take the values of k, in blocks from wherever they begin? */
    bool runs_along(const Index &index, DimId k) const {
        return index.exact && index.scale[k] == 1 && !index.depends_on(s_.map[0]) &&
               !index.depends_on(s_.map[1]);
    }

    std::optional<SharedOperand> operand_of(const Edge &edge, DimId k) const {
        const FuncInfo &f = q_.graph.funcs[edge.producer];
        SharedOperand o{edge.producer,    -1, q_.inlined[edge.producer], edge.access, {}, f.extents,
                        f.bytes_per_point};
        int tiled = 0;
        o.along_k = -1;
        for (const DimId i : edge.access.indices.ids()) {
            const DimId d = runs_along(edge.access.indices[i], k) ? k : edge.access.indices[i].equals_dim();
            if (d < 0 || std::count(o.dims.begin(), o.dims.end(), d) > 0) {
                return std::nullopt;
            }
            o.dims.push_back(d);
            o.along_k = d == k ? i : o.along_k;
            if (d == s_.map[0] || d == s_.map[1]) {
                o.along = i;
                tiled++;
            }
        }
        if (o.along_k < 0 || tiled != 1 || f.tuple_size != 1 || f.element_bytes != floats_at_once) {
            return std::nullopt;
        }
        o.turned = o.along_k < o.along;
        return o;
    }
};

}  // namespace

Verdict read_shared_tile_sum(const GroupRequest &request, SharedTileSum &sum) {
    return Reader(request, sum).run();
}

}  // namespace eutectic
