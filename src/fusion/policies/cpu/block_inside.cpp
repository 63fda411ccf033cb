// The smaller pipeline inside one block: loops for each Func in it.

#include <algorithm>
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

/** Seconds that the arithmetic of one block takes at least: all of it in whole vectors, as many at a time as
 * the core issues. What a loop may hoist does not count. */
Seconds least_arithmetic(const Blocks &b, const Inside &in) {
    double cycles = 0;
    for (const auto &[f, own] : in.computed) {
        for (const StageWork &work : b.computed.at(f).works) {
            double points = 1;
            for (const int64_t extent : tile_of(own, work)) {
                points *= static_cast<double>(extent);
            }
            double operations = 0;
            for (const Part &part : work.library ? std::vector<Part>() : work.parts) {
                const bool everywhere =
                    std::find(part.depends.begin(), part.depends.end(), false) == part.depends.end();
                const ExprSummary &body = part.chosen_by >= 0 ? part.decided : part.body;
                operations += everywhere ? std::max(0.0, body.flops - (part.multiply_accumulate ? 1 : 0)) *
                                               body.bytes_of_operation(work.element_bytes)
                                         : 0;
            }
            cycles += points * share_of(work.taken) * operations * 8 / b.core.vector_bits /
                      b.core.vector_ops_per_cycle;
        }
    }
    return cycles / b.core.hertz;
}

void add(const std::optional<BufferDim> &buffer, std::vector<int64_t> &key) {
    key.push_back(buffer ? buffer->func : no_func);
    key.push_back(buffer ? buffer->dim : DimId(-1));
    key.push_back(buffer ? buffer->points : 0);
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
    for (const DimId d : in.blocks_along.ids()) {
        key.push_back(own.position[d] >= 0 ? in.blocks_along[d] : 1);
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
    if (least_arithmetic(blocks_, in) * in.blocks / blocks_.q.machine.cores >= limit) {
        return std::nullopt;
    }
    bool set = false;
    const auto add = [&](FuncId f) { in.groups.push_back(group(in, f, set)); };
    std::for_each(blocks_.q.blocked.begin(), blocks_.q.blocked.end(), add);
    std::for_each(blocks_.q.sharing_nest.begin(), blocks_.q.sharing_nest.end(), add);
    add(blocks_.q.root);
    return in;
}

Group BlockPlanner::search(const Inside &in, FuncId f, bool &set) {
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
    return best_group(q);
}

std::shared_ptr<const Group> BlockPlanner::group(const Inside &in, FuncId f, bool &set) {
    if (!blocks_.q.found) {
        return std::make_shared<const Group>(search(in, f, set));
    }
    std::vector<int64_t> key{static_cast<int64_t>(in.blocks)};
    for (const FuncId tiled : blocks_.computed.at(f).tiled) {
        add_to_key(blocks_, in, tiled, key);
    }
    add_to_key(blocks_, in, f, key);
    std::shared_ptr<const Group> &known = blocks_.q.found->groups[std::move(key)];
    if (!known) {
        known = std::make_shared<const Group>(search(in, f, set));
    }
    return known;
}

}  // namespace eutectic
