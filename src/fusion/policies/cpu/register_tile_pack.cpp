#include "fusion/policies/cpu/register_tile_pack.h"

#include <algorithm>
#include <utility>

namespace eutectic {

namespace {

/** Does the stage itself read `producer`, once, and not through what is inlined into it? */
bool is_direct(const Graph &graph, const StageWork &work, FuncId producer) {
    const FuncInfo &info = graph.funcs[work.func];
    const Stage &s = graph.stages[info.stages[work.update + 1]];
    int mentions = 0;
    for (const EdgeId e : s.edges) {
        mentions += graph.edges[e].producer == producer ? 1 : 0;
    }
    return mentions == 1;
}

/** Packs one of them. `number`: of this copy among those of one reader. */
void pack_operand(const GroupRequest &request, const PackableOperand &operand, FuncId reader, int64_t lanes,
                  int number, const PackPlace &place, StageWork &stage, Group &g) {
    Load &load = stage.loads[operand.load];
    const DimId along = operand.along;
    const FuncId id = request.made("pack", stage.func, number);
    g.added.push_back(Added::pack(id, load.producer, {reader}));
    StageWork copy = copy_work(id, load);
    copy.stores_packed = true;
    DimMap position(place.host_dims, -1);
    for (DimId d = 0; place.loop && d < load.extents.next_id(); d++) {
        const DimId by = operand.by[d];
        copy.dims[d].extent = place.points[by];
        if (place.host[by] >= 0) {
            position[place.host[by]] = d;
        }
    }
    TreeFunc &copied = place.loop
                           ? g.tree.add_in_loop(id, *place.loop, std::move(position), place.loops_around)
                           : g.tree.add_at_root(id);
    copied.storage = {along};
    for (const DimId d : load.extents.ids()) {
        if (d != along) {
            copied.storage.push_back(d);
        }
    }
    Loops loops;
    for (const DimId d : load.extents.reversed_ids()) {
        if (d != along) {
            loops.split(d, 1);
        }
    }
    loops.split(along, lanes);
    loops.vectorize(along);
    g.tree.add_stage(id, -1, copy.dims, std::move(loops), {}, NestedStage{copy});
    // From here on the tile reads the packed copy: the lanes' dim is its innermost.
    load.producer = id;
    load.packed = place.loop.has_value();
    for (const DimId d : load.extents.ids()) {
        load.extents[d] = copy.dims[d].extent;
    }
    std::swap(load.access.indices[0], load.access.indices[along]);
    std::swap(load.extents[0], load.extents[along]);
}

/** A whole copy would have its rows as far apart as they were. */
bool makes_panels(const GroupRequest &request, const RegisterTile &tile) {
    return !request.inside_block && (tile.row_dim == 0 || tile.columns_outside);
}

std::vector<PackableOperand> operands_of(const Graph &graph, const StageWork &writer,
                                         const RegisterTile &tile, const StageWork &stage) {
    const DimMap map = dims_in_producer(writer, stage.func);
    return packable_operands(graph, stage, map[0], tile.row_dim == 0 ? DimId(-1) : map[tile.row_dim]);
}

/** Inside the loop over tiles of columns: a panel changes with that one, and with those around it. */
PackPlace panel_place(const PackedTile &t, const StageWork &stage) {
    int column_loop = 0;
    while (t.loops[column_loop].dim != 0) {
        column_loop++;
    }
    PackPlace place{LoopRef{t.writer, -1, column_loop},
                    DimMap(stage.dims.size(), -1),
                    {},
                    t.work.dims.size(),
                    static_cast<size_t>(column_loop) + 1};
    for (const Dim &dim : stage.dims) {
        place.points.push_back(dim.extent);
    }
    const DimMap map = dims_in_producer(t.work, stage.func);
    for (const DimId d : map.ids()) {
        if (map[d] >= 0) {
            place.host[map[d]] = d;
            place.points[map[d]] = t.tile.step(d);
        }
    }
    return place;
}

}  // namespace

std::vector<PackableOperand> packable_operands(const Graph &graph, const StageWork &work, DimId column,
                                               DimId row) {
    std::vector<PackableOperand> result;
    for (size_t l = 0; l < work.loads.size(); l++) {
        const Load &load = work.loads[l];
        PackableOperand operand{l, -1, {}};
        for (const DimId i : load.access.indices.ids()) {
            const DimId by = load.access.indices[i].equals_dim();
            operand.by.push_back(by);
            operand.along = by == column ? i : operand.along;
        }
        const bool rows_change_it = row >= 0 && load.access.depends_on(row);
        if (load.access.permutation() && operand.along >= 0 && !rows_change_it &&
            is_direct(graph, work, load.producer)) {
            result.push_back(std::move(operand));
        }
    }
    return result;
}

bool any_in_rows(const std::vector<PackableOperand> &operands) {
    return std::any_of(operands.begin(), operands.end(),
                       [](const PackableOperand &o) { return o.along == 0; });
}

bool reads_rows_again(const GroupRequest &request, const StageWork &writer, const RegisterTile &tile,
                      const StageWork &stage) {
    if (tile.lanes == 1 || tile.row_dim == 0 || !makes_panels(request, tile)) {
        return false;
    }
    return any_in_rows(operands_of(request.graph, writer, tile, stage));
}

void pack_operands(const GroupRequest &request, const std::vector<PackableOperand> &operands,
                   const RegisterTile &tile, FuncId reader, const PackPlace &place, SharedWork &stage,
                   Group &g) {
    int number = 0;
    for (const PackableOperand &o : operands) {
        if (in_panels(request, stage->loads[o.load].producer)) {
            read_panels(request, o, tile, reader, stage.edit(), g);
        } else if (o.along > 0 || tile.packs_rows) {
            pack_operand(request, o, reader, tile.lanes, number++, place, stage.edit(), g);
        }
    }
}

void pack_multipliers(const GroupRequest &request, const std::vector<PackableOperand> &multipliers,
                      const RegisterTile &tile, FuncId reader, const PackPlace &place, SharedWork &stage,
                      Group &g) {
    for (const PackableOperand &o : multipliers) {
        const int number = static_cast<int>(stage->loads.size() + o.load);  // beyond those of columns
        pack_operand(request, o, reader, tile.lanes, number, place, stage.edit(), g);
    }
}

void pack_operands(const PackedTile &t, FuncId reader, SharedWork &stage, Group &g) {
    if (t.tile.lanes > 1) {
        const PackPlace place = makes_panels(t.request, t.tile) ? panel_place(t, *stage) : PackPlace();
        pack_operands(t.request, operands_of(t.request.graph, t.work, t.tile, *stage), t.tile, reader, place,
                      stage, g);
    }
}

}  // namespace eutectic
