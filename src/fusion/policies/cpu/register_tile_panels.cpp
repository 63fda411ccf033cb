// c(j, i) += a(k, i) * w(j, k), w handed over as v(j, k, p) = w(16 p + j, k)
//   →   tiles of 16 columns that begin where a panel does: inside one all of v lies end to end. The last
//   panel is whole, filled up with zeros, so that the last tile is, too: its accumulators are the registers
//   of any other, and only what is written of them is cut short. (A tile that were shifted inwards, as others
//   are, would begin inside a panel, and gather.)

#include <algorithm>

#include "fusion/policies/cpu/register_tile_pack.h"

namespace eutectic {

namespace {

const std::vector<PackedInput> &packed(const GroupRequest &request) {
    static const std::vector<PackedInput> none;
    return request.pins && !request.inside_block ? request.pins->packed : none;
}

}  // namespace

bool in_panels(const GroupRequest &request, FuncId input) {
    const std::vector<PackedInput> &all = packed(request);
    return std::any_of(all.begin(), all.end(), [&](const PackedInput &p) { return p.input == input; });
}

std::string no_tile(const GroupRequest &request) {
    return packed(request).empty()
               ? "has no tile with the loops that the pins of what it computes ask for"
               : "has no tile whose columns are a panel's, with nothing else read along them";
}

bool reads_panels(const GroupRequest &request, const std::vector<SharedWork> &stages) {
    return std::any_of(stages.begin(), stages.end(), [&](const SharedWork &s) {
        return std::any_of(s->loads.begin(), s->loads.end(),
                           [&](const Load &l) { return in_panels(request, l.producer); });
    });
}

bool reads_whole_panels(const GroupRequest &request, const std::vector<SharedWork> &stages, DimId column) {
    return std::all_of(stages.begin(), stages.end(), [&](const SharedWork &s) {
        return std::all_of(s->loads.begin(), s->loads.end(), [&](const Load &l) {
            return in_panels(request, l.producer) || !l.access.depends_on(column);
        });
    });
}

void read_panels(const GroupRequest &request, const PackableOperand &operand, const RegisterTile &tile,
                 FuncId reader, StageWork &stage, Group &g) {
    Load &load = stage.loads[operand.load];
    Added panels = Added::pack(request.made("panels", load.producer), load.producer, {reader});
    panels.name = "panels";
    panels.reduction_dim = operand.by[operand.along];
    panels.factor = tile.columns();
    for (const DimId d : operand.by.ids()) {
        if (d != operand.along) {
            panels.each.push_back(d);
        }
    }
    // As the tile goes over them: sums inside what is beside the tile, the innermost first.
    const Dims &dims = request.graph.last_stage(stage.func).dims;
    std::stable_sort(panels.each.begin(), panels.each.end(), [&](DimId a, DimId b) {
        const Dim &of_a = dims[operand.by[a]], &of_b = dims[operand.by[b]];
        return of_a.reduction != of_b.reduction ? of_a.reduction : operand.by[a] < operand.by[b];
    });
    panels.each.insert(panels.each.begin(), operand.along);
    g.added.push_back(panels);
    load.packed = true;
    load.any_pitch = false;
    load.interleaving = {};
    std::swap(load.access.indices[0], load.access.indices[operand.along]);
    std::swap(load.extents[0], load.extents[operand.along]);
}

void begin_at_panels(Nest &nest, const Dim &dim, int64_t columns) {
    for (size_t l = 0; l < nest.loops.size(); l++) {
        if (nest.loops[l].dim == 0) {
            nest.loops.set_tail(l, Loop::Tail::guarded);
        }
    }
    if (!dim.at_least) {
        return;
    }
    const auto of_columns = [&](const Condition &c) { return c.buffer == *dim.at_least; };
    nest.whole.erase(std::remove_if(nest.whole.begin(), nest.whole.end(), of_columns), nest.whole.end());
    nest.whole.insert(nest.whole.begin(), {*dim.at_least, columns, std::nullopt, Condition::Kind::multiple});
}

}  // namespace eutectic
