// s(i) += e(k, i);  y(j, i) = f(e(j, i), s(i))   →   y in blocks of a few i; e and s computed for one block
// at a time, in buffers that stay in cache.
//
// One dim of the root is cut into blocks, the dims outside it are stepped over point by point, or all of them
// are in each block. Inside a block the rest of the pipeline is a smaller one, with the extents that the
// block requires (halos included, hence recomputed, unless the blocks of a task slide), on one core: the
// other policies find its loops. What they find is then put inside the root's loops and priced as a whole.
// Pure Funcs that the same nest writes have the loops outside in common with the root, and their own inside
// each block.

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "fusion/plan/shared_rows.h"
#include "fusion/policies/cpu/block.h"
#include "fusion/search/content_key.h"

namespace eutectic {

namespace {

// What is tried, not what is decided: prices do that, which fall with the size and rise again, slowly enough
// for powers of two. Up to 64, chosen, not measured: each size is a search for the loops inside such a block;
// larger ones save less and less of what is recomputed for halos.
constexpr int64_t block_sizes[] = {1, 2, 4, 8, 16, 32, 64};  // of any dim but the innermost, in points
constexpr int64_t vector_block_sizes[] = {1, 4, 16, 64};     // of the innermost dim, in vectors
// Blocks that slide are single points: of larger ones Halide (21) slides only the last Func of a chain.
constexpr int64_t sliding_block = 1;
constexpr int64_t strips_per_core[] = {1, 4};  // tasks; the more, the more often windows are filled

/** Can a loop over it have a tail that is fitted? */
bool fits_any_size(const Dim &dim) {
    return (dim.at_least && !dim.inside) || dim.constant;
}

/** The loops around a block, one after the other. */
Outside serial_loops(const Blocks &blocks, const Cut &cut) {
    Outside serial;
    serial.gone.assign(blocks.root.dims.size(), false);
    for (DimId d = blocks.root.dims.next_id() - 1; d >= cut.dim; d--) {
        if (d == cut.dim || !cut.has_all(d)) {
            serial.loops.split(d, d == cut.dim ? cut.size : 1);
            serial.gone[d] = d > cut.dim || cut.size == 1;
        }
    }
    return serial;
}

class Search {
public:
    explicit Search(const GroupRequest &q) : blocks_(q), planner_(blocks_) {
    }

    std::optional<Group> run() {
        const std::vector<Cut> all = cuts();
        try_last_best(all);
        for (const Cut &cut : all) {
            try_block(cut);
        }
        if (blocks_.q.found && best_) {
            blocks_.q.found->best[blocks_.q.root] = best_cut_;
        }
        return best_;
    }

private:
    Blocks blocks_;
    BlockPlanner planner_;
    std::optional<Group> best_;
    Cut best_cut_;                                             ///< of that
    Seconds limit_ = std::numeric_limits<double>::infinity();  ///< what takes longer is not the best

    /** What was best when the same root had other Funcs in its blocks is likely near the best again: what is
     * dearer is then given up early. It changes nothing else: what is found is the same. */
    void try_last_best(const std::vector<Cut> &all) {
        const FoundInside *found = blocks_.q.found;
        const auto last = found ? found->best.find(blocks_.q.root) : std::map<FuncId, Cut>::const_iterator();
        if (!found || last == found->best.end() ||
            std::find(all.begin(), all.end(), last->second) == all.end()) {
            return;
        }
        try_block(last->second);
        if (best_) {
            limit_ =
                best_->cost.total() * (1 + std::numeric_limits<float>::epsilon());  // of equals the first
            best_.reset();
        }
    }

    /** Everything that is tried. */
    std::vector<Cut> cuts() const {
        std::vector<Cut> all;
        const int lanes = blocks_.q.machine.lanes(blocks_.q.graph.funcs[blocks_.q.root].element_bytes);
        const bool alone = blocks_.q.strip == 0 && blocks_.q.sharing_nest.empty();
        for (const DimId dim : blocks_.root.dims.reversed_ids()) {
            std::vector<int64_t> sizes(std::begin(block_sizes), std::end(block_sizes));
            if (std::any_of(blocks_.q.sharing_nest.begin(), blocks_.q.sharing_nest.end(),
                            [&](FuncId f) { return dim < blocks_.missing_dims(f); })) {
                break;  // a loop that not all have
            }
            if (blocks_.q.strip > 0 && dim + 1 < blocks_.root.dims.next_id()) {
                break;
            }
            if (blocks_.root.dims[dim].extent == 1 && blocks_.root.dims.size() > 1) {
                continue;  // a block of it is everything that the dims outside it leave
            }
            if (blocks_.q.strip > 0 || (dim > 0 && !blocks_.q.sharing_nest.empty())) {
                sizes = {1};  // larger ones are for loops in two versions, which several Funcs cannot share
            } else if (dim == 0) {
                sizes = blocks_.root.dims.size() > 1 ? std::vector<int64_t>() : std::vector<int64_t>{1};
                for (const int64_t vectors : vector_block_sizes) {
                    sizes.push_back(vectors * lanes);
                }
            }
            sizes.erase(std::remove_if(sizes.begin(), sizes.end(),
                                       [&](int64_t s) { return dim == 0 && !cuts_all(s); }),
                        sizes.end());
            for (const DimFlags &whole : alone ? whole_dims(dim) : std::vector<DimFlags>{{}}) {
                for (const int64_t size : sizes) {
                    all.push_back({dim, size, whole});
                }
                if (alone && dim > 0) {
                    all.push_back({dim, sliding_block, whole, true});
                }
            }
        }
        return all;
    }

    /** Which dims further out than `dim` a block may have all points of: none, or those that some Func in it
     * lacks, whose values they share, and those of few points that read some of the same, as each of three
     * channels does that is divided by a fourth. */
    std::vector<DimFlags> whole_dims(DimId dim) const {
        std::vector<DimFlags> result{{}};
        DimFlags shared(blocks_.root.dims.size(), false);
        const std::map<FuncId, InOneBlock> of_one = required(blocks_, {dim, 1});
        for (DimId d = dim + 1; d < blocks_.root.dims.next_id(); d++) {
            const int64_t extent = blocks_.root.dims[d].extent;
            shared[d] = extent > 1 && (some_lacks(of_one, d) ||
                                       (extent <= *std::rbegin(block_sizes) && share_values(of_one, dim, d)));
        }
        if (std::find(shared.begin(), shared.end(), true) != shared.end()) {
            result.push_back(shared);
        }
        return result;
    }

    /** Has some Func in the block no dim that follows `d`, so that all points of it need the same values? */
    bool some_lacks(const std::map<FuncId, InOneBlock> &of_one, DimId d) const {
        return std::any_of(of_one.begin(), of_one.end(), [&](const auto &one) {
            const DimMap &position = one.second.position;
            return one.first != blocks_.q.root && (!position.contains(d) || position[d] < 0);
        });
    }

    /** Do the points of `d`, which all Funcs in blocks along `dim` have, need some of the same values? */
    bool share_values(const std::map<FuncId, InOneBlock> &of_one, DimId dim, DimId d) const {
        DimFlags whole(blocks_.root.dims.size(), false);
        whole[d] = true;
        const std::map<FuncId, InOneBlock> of_all = required(blocks_, {dim, 1, whole});
        return std::any_of(of_one.begin(), of_one.end(), [&](const auto &one) {
            const auto &[f, own] = one;
            if (f == blocks_.q.root) {
                return false;
            }
            const DimId at = own.position[d];
            return of_all.at(f).extents[at] < blocks_.root.dims[d].extent * own.extents[at];
        });
    }

    /** Is a block of `size` points of the innermost dim made of several points of everything that the nest
     * writes? A loop over single ones would have no name in common with the root's. */
    bool cuts_all(int64_t size) const {
        return std::all_of(blocks_.q.sharing_nest.begin(), blocks_.q.sharing_nest.end(), [&](FuncId f) {
            return blocks_.run(f) == 1 || (size % blocks_.run(f) == 0 && size > blocks_.run(f));
        });
    }

    Seconds to_beat() const {
        return best_ ? best_->cost.total() : limit_;
    }

    /** Tries all loops outside such blocks. */
    void try_block(const Cut &cut) {
        if (cut.size > 1 && cut.size >= blocks_.root.dims[cut.dim].extent) {
            return;
        }
        const std::optional<Inside> inside = planner_.plan(cut, to_beat());
        if (!inside) {
            return;
        }
        for (const Outside &outside : cut.slides ? strips(cut, *inside) : loops_outside(cut)) {
            const double cores = std::min(tasks_of(outside), static_cast<double>(blocks_.q.machine.cores));
            if (inside->compute * inside->blocks / cores >= to_beat()) {
                continue;
            }
            Group group = block_nest(blocks_, *inside, outside, to_beat());
            if (std::isfinite(group.cost.compute) && group.cost.total() < to_beat() &&
                in_pinned_loops(blocks_.q.pins, group)) {
                best_ = std::move(group);
                best_cut_ = cut;
            }
        }
    }

    /** How many tasks its parallel loops make. */
    double tasks_of(const Outside &outside) const {
        const Nest nest{outside.loops, 0, {}};
        double tasks = 1;
        for (size_t l = 0; l < outside.loops.size() && outside.loops[l].kind == Loop::Kind::parallel; l++) {
            tasks *= static_cast<double>(trips(nest, l, blocks_.root.dims));
        }
        return tasks;
    }

    /** Strips of blocks, which slide through one. */
    std::vector<Outside> strips(const Cut &cut, const Inside &inside) const {
        const int64_t extent = blocks_.root.dims[cut.dim].extent;
        std::vector<Outside> result;
        for (const int64_t of_core : strips_per_core) {
            const int64_t count = std::max<int64_t>(2, of_core * blocks_.q.machine.cores);
            const int64_t strip = ((extent + count - 1) / count + cut.size - 1) / cut.size * cut.size;
            if (strip > cut.size && strip < extent && fits_any_size(blocks_.root.dims[cut.dim])) {
                result.push_back(loops_of_strips(blocks_, cut, inside, strip));
            }
        }
        return result;
    }

    /** The loops around a block, with more and more of them parallel; a lone loop over points may also run in
     * parallel chunks (chunks of larger blocks would be whole only at larger sizes). */
    std::vector<Outside> loops_outside(const Cut &cut) const {
        const DimId dim = cut.dim;
        const int64_t size = cut.size;
        const Outside serial = serial_loops(blocks_, cut);
        if (blocks_.q.strip > 0) {
            Outside strips = serial;
            strips.loops.around({dim, blocks_.q.strip,
                                 blocks_.q.machine.cores > 1 ? Loop::Kind::parallel : Loop::Kind::serial});
            return {strips};
        }
        std::vector<Outside> result{serial};
        for (size_t parallel = 0; parallel < std::min<size_t>(2, serial.loops.size()); parallel++) {
            result.push_back(result.back());
            result.back().loops.run_as(parallel, Loop::Kind::parallel);
        }
        const int64_t extent = blocks_.root.dims[dim].extent;
        for (const int64_t tasks_per_core : {1, 4}) {
            const int64_t tasks = tasks_per_core * blocks_.q.machine.cores;
            const int64_t chunk = chunk_of(extent, tasks, size);
            if (serial.loops.size() == 1 && (size == 1 || !blocks_.q.sharing_nest.empty()) && chunk > size &&
                chunk < extent) {
                result.push_back(serial);
                result.back().loops.around({dim, chunk, Loop::Kind::parallel});
            }
        }
        std::rotate(result.begin(), result.begin() + 1,
                    result.end());  // on one core last: it is given up early where others are faster
        return result;
    }
};

}  // namespace

Outside loops_of_strips(const Blocks &blocks, const Cut &cut, const Inside &inside, int64_t strip) {
    Outside outside = serial_loops(blocks, cut);
    const size_t last = outside.loops.size() - 1;
    const Loop::Kind kind = blocks.q.machine.cores > 1 ? Loop::Kind::parallel : Loop::Kind::serial;
    // Halide (21) slides all Funcs of a chain only where no turn is guarded.
    outside.loops.split_at(last, strip).run_as(last, kind).set_tail(last, Loop::Tail::fitted);
    for (size_t l = 0; l < last; l++) {
        outside.loops.run_as(l, kind);
    }
    const std::map<FuncId, InOneBlock> whole = required(blocks, {cut.dim, strip, cut.whole});
    const int64_t turns = (strip + cut.size - 1) / cut.size;
    for (const auto &[f, own] : inside.computed) {
        if (own.slides >= 0) {
            const int64_t fresh = own.extents[own.slides], points = whole.at(f).extents[own.slides];
            outside.warm_up[f] = (points + fresh - 1) / fresh - turns;
        }
    }
    return outside;
}

Blocks::Blocks(const GroupRequest &request)
    : q(request), root(q.graph.pure_stage(q.root)), core(q.machine), members(q.blocked) {
    core.cores = 1;
    core.launch_seconds = core.task_seconds = 0;
    core.memory_bytes_per_second /= std::max(1, q.machine.cores);
    core.lone_core_share = 1;
    const auto append = [&](const std::vector<FuncId> &funcs) {
        members.insert(members.end(), funcs.begin(), funcs.end());
    };
    for (const FuncId f : q.blocked) {
        append(placed_in(q.placements, Placement::Kind::at, f));
    }
    append(q.tiled);
    std::sort(members.begin(), members.end());
    const auto add = [&](FuncId f) {
        Computed &c = computed[f];
        c.tiled = placed_in(q.placements, Placement::Kind::at, f);
        const Table<FuncId, bool> merged = inlined(f);
        for (const StageId s : q.graph.funcs[f].stages) {
            c.works.emplace_back(stage_work(q.graph, s, merged));
            if (q.found) {
                ContentKey key;
                key.add(*c.works.back());
                for (const Load &load : c.works.back()->loads) {
                    key.add(is_member(load.producer));
                }
                const int next = static_cast<int>(q.found->works.size());
                c.ids.push_back(q.found->works.emplace(key.text(), next).first->second);
            }
        }
    };
    std::for_each(members.begin(), members.end(), add);
    std::for_each(q.sharing_nest.begin(), q.sharing_nest.end(), add);
    add(q.root);
}

int Blocks::missing_dims(FuncId f) const {
    return static_cast<int>(root.dims.size() - q.graph.funcs[f].extents.size());
}

int64_t Blocks::run(FuncId f) const {
    return missing_dims(f) > 0 ? 1 : run_length(q.graph, q.placements, f, q.root);
}

Table<FuncId, bool> Blocks::inlined(FuncId f) const {
    return inlined_for(q.graph, q.placements, q.inlined, f);
}

bool Blocks::is_member(FuncId f) const {
    return std::binary_search(members.begin(), members.end(), f);
}

bool Blocks::stays_outside(const Group &g, FuncId f) const {
    return std::any_of(g.added.begin(), g.added.end(), [&](const Added &a) {
        return a.kind == Added::Kind::pack && a.id == f && !is_member(a.of);
    });
}

Seconds Blocks::seconds_outside(const Group &g) const {
    double cycles = 0;
    for (const TreeFunc &f : g.tree.funcs()) {
        if (!f.computed && stays_outside(g, f.func)) {
            NestedStage copy = *f.stages.front().priced;
            copy.nest = g.tree.nest(f.func, -1).nest;
            cycles += compute_cycles(copy, core);
        }
    }
    return cycles / core.hertz;
}

Offer block(const GroupRequest &q) {
    const auto extents = [&](FuncId f) { return q.graph.funcs[f].extents; };
    const bool other_loops = std::any_of(q.sharing_nest.begin(), q.sharing_nest.end(),
                                         [&](FuncId f) { return extents(f) != extents(q.root); });
    if (q.blocked.empty() && !other_loops) {
        return Offer::other_kind("is for Funcs that are computed in blocks of " + q.graph.funcs[q.root].name +
                                 ": there are none");
    }
    if (!q.sharing_nest.empty() && q.placements[q.sharing_nest.front()].kind == Placement::Kind::strips) {
        return Offer::other_kind("has no loops for sums over the rows that it writes");
    }
    return Offer::of(Search(q).run(), "finds no loops that all Funcs in the blocks of " +
                                          q.graph.funcs[q.root].name + " may share");
}

}  // namespace eutectic
