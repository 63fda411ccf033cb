// The smaller pipeline inside one block: loops for each Func in it.

#include <algorithm>
#include <limits>
#include <utility>

#include "fusion/policies/cpu/block.h"
#include "fusion/search/content_key.h"

namespace eutectic {

namespace {

/** Gives `graph`, which is that of the request but for the extents of another block, those of this one. */
void set_extents(const Graph &request, const Inside &in, Graph &graph) {
    for (const auto &[f, own] : in.computed) {
        FuncInfo &info = graph.funcs[f];
        for (const DimId d : info.constant.ids()) {
            info.constant[d] = request.funcs[f].constant[d] && own.extents[d] == request.funcs[f].extents[d];
        }
        info.extents = own.extents;
        info.when = own.when;
        info.at_least = own.at_least;
        info.inside = own.inside;
        for (const StageId s : info.stages) {
            Dims &dims = graph.stages[s].dims;
            for (const DimId d : own.extents.ids()) {
                dims[d].blocks = 1;
            }
            for (const DimId d : in.blocks_along.ids()) {
                if (own.position[d] >= 0) {
                    dims[own.position[d]].blocks = static_cast<double>(in.blocks_along[d]);
                }
            }
            for (const DimId d : own.extents.ids()) {
                const Dim &whole = request.stages[s].dims[d];
                dims[d].constant =
                    whole.constant &&
                    own.extents[d] == whole.extent;  // the last of several blocks has fewer points
                dims[d].extent = request.stages[s].is_own(d) ? own.extents[d] : whole.extent;
                dims[d].at_least = own.at_least[d];
                dims[d].inside = own.inside[d];
                dims[d].part_of.reset();
                dims[d].when = own.when[d];
            }
        }
    }
}

/** Seconds that the arithmetic of `f` in one block takes at least: all of it in whole vectors, as many at a
 * time as the core issues. What a loop may hoist does not count. */
Seconds least_arithmetic(const Blocks &b, const InOneBlock &own, FuncId f) {
    double cycles = 0;
    for (const StageWork &work : b.computed.at(f).works) {
        if (work.library) {
            continue;
        }
        double points = 1;
        for (const int64_t extent : tile_of(own, work)) {
            points *= static_cast<double>(extent);
        }
        double operations = 0;
        for (const Part &part : work.parts) {
            const bool everywhere =
                std::find(part.depends.begin(), part.depends.end(), false) == part.depends.end();
            const ExprSummary &body = part.chosen_by >= 0 ? part.decided : part.body;
            operations += everywhere ? std::max(0.0, body.flops - (part.multiply_accumulate ? 1 : 0)) *
                                           body.bytes_of_operation(work.element_bytes)
                                     : 0;
        }
        cycles +=
            points * share_of(work.taken) * operations * 8 / b.core.vector_bits / b.core.vector_ops_per_cycle;
    }
    return cycles / b.core.hertz;
}

/** Of everything in the block. */
Seconds least_arithmetic(const Blocks &b, const Inside &in) {
    Seconds all = 0;
    for (const auto &[f, own] : in.computed) {
        all += least_arithmetic(b, own, f);
    }
    return all;
}

void add(const std::optional<BufferDim> &buffer, std::vector<int64_t> &key) {
    key.push_back(buffer ? buffer->func : no_func);
    key.push_back(buffer ? buffer->dim : DimId(-1));
    key.push_back(buffer ? buffer->points : 0);
    key.push_back(buffer && buffer->from_zero ? 1 : 0);
}

/** May prices of `f` in a block depend on how many blocks there are? Guards and clamps are left out of the
 * inner ones, and copies are made once for all of them; of points alone it matters whether there are several.
 */
bool counts_blocks(const Blocks::Computed &f) {
    return std::any_of(f.works.begin(), f.works.end(), [&](const StageWork &work) {
        const auto is_clamped = [](const Load &load) {
            return std::any_of(load.access.indices.begin(), load.access.indices.end(),
                               [](const Index &i) { return i.cut; });
        };
        return work.update >= 0 || !f.tiled.empty() ||
               std::any_of(work.parts.begin(), work.parts.end(),
                           [](const Part &part) { return !part.guarded.empty(); }) ||
               std::any_of(work.loads.begin(), work.loads.end(), is_clamped);
    });
}

/** Adds what a group depends on in `f`, whose stages are to be computed in a block. */
void add_to_key(const Blocks &b, const Inside &in, FuncId f, std::vector<int64_t> &key) {
    const InOneBlock &own = in.computed.at(f);
    const Blocks::Computed &computed = b.computed.at(f);
    for (size_t s = 0; s < computed.works.size(); s++) {
        key.push_back(computed.ids[s]);
        for (const Load &load : computed.works[s]->loads) {
            if (b.is_member(load.producer)) {
                const Extents &extents = in.computed.at(load.producer).extents;
                key.insert(key.end(), extents.begin(), extents.end());
            }
        }
    }
    const int64_t most_blocks = counts_blocks(computed) ? std::numeric_limits<int64_t>::max() : 2;
    for (const DimId d : in.blocks_along.ids()) {
        key.push_back(own.position[d] >= 0 ? std::min(in.blocks_along[d], most_blocks) : 1);
    }
    for (const DimId d : own.extents.ids()) {
        key.push_back(own.extents[d]);
        key.push_back(own.when[d]);
        add(own.at_least[d], key);
        add(own.inside[d], key);
    }
}

}  // namespace

Inside extents_inside(const Blocks &blocks, DimId dim, int64_t size) {
    Inside in = one_block(blocks, {dim, size});
    in.graph = blocks.q.graph;
    set_extents(blocks.q.graph, in, in.graph);
    return in;
}

std::optional<Inside> BlockPlanner::plan(const Cut &cut, Seconds limit) {
    Inside in = one_block(blocks_, cut);
    if (cut.slides && std::none_of(in.computed.begin(), in.computed.end(),
                                   [](const auto &c) { return c.second.slides >= 0; })) {
        return std::nullopt;
    }
    const Seconds of_block = limit * blocks_.q.machine.cores / in.blocks;
    Seconds least = least_arithmetic(blocks_, in);  // of those groups that are known, and of the rest
    if (least >= of_block) {
        return std::nullopt;
    }
    bool set = false;
    const auto add = [&](FuncId f) {
        Seconds of_group = least_arithmetic(blocks_, in.computed.at(f), f);
        for (const FuncId tiled : blocks_.computed.at(f).tiled) {
            of_group += least_arithmetic(blocks_, in.computed.at(tiled), tiled);
        }
        const Seconds rest = least - of_group;
        std::shared_ptr<const Group> known = least < of_block ? group(in, f, of_block - rest, set) : nullptr;
        const Seconds compute = known ? known->cost.compute - blocks_.seconds_outside(*known)
                                      : std::numeric_limits<Seconds>::infinity();
        in.compute += compute;
        least = rest + compute;
        in.groups.push_back(std::move(known));
    };
    std::for_each(blocks_.q.blocked.begin(), blocks_.q.blocked.end(), add);
    std::for_each(blocks_.q.sharing_nest.begin(), blocks_.q.sharing_nest.end(), add);
    add(blocks_.q.root);
    return in.compute < of_block ? std::optional(std::move(in)) : std::nullopt;
}

std::shared_ptr<const Group> BlockPlanner::search(const Inside &in, FuncId f, Seconds limit, bool &set) {
    if (!graph_) {
        graph_ = blocks_.q.graph;
    }
    if (!set) {
        set_extents(blocks_.q.graph, in, *graph_);
        set = true;
    }
    const Table<FuncId, bool> inlined = blocks_.inlined(f);
    const GroupRequest &of = blocks_.q;
    GroupRequest q{*graph_, blocks_.core, of.placements, inlined, of.ids, f, blocks_.computed.at(f).tiled,
                   {}};
    q.inside_block = true;
    q.pins = of.pins;
    q.blocks = in.blocks;
    q.members = blocks_.members;
    q.computing_limit = limit;
    Group best = best_group(q);
    if (best.cost.compute - blocks_.seconds_outside(best) >= limit) {
        return nullptr;
    }
    if (best.cost.total() >= limit) {  // what was not looked at computes for longer, but may be better
        q.computing_limit = std::numeric_limits<Seconds>::infinity();
        best = best_group(q);
    }
    return std::make_shared<const Group>(std::move(best));
}

std::shared_ptr<const Group> BlockPlanner::group(const Inside &in, FuncId f, Seconds limit, bool &set) {
    if (!blocks_.q.found) {
        return search(in, f, limit, set);
    }
    const bool counts = counts_blocks(blocks_.computed.at(f));
    std::vector<int64_t> key{counts ? static_cast<int64_t>(in.blocks) : 0};
    for (const FuncId tiled : blocks_.computed.at(f).tiled) {
        add_to_key(blocks_, in, tiled, key);
    }
    add_to_key(blocks_, in, f, key);
    FoundInside::Known &known = blocks_.q.found->groups[std::move(key)];
    if (!known.group && known.at_least < limit) {
        known.group = search(in, f, limit, set);
        known.at_least = limit;
    }
    return known.group;
}

}  // namespace eutectic
