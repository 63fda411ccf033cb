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

/** The loops of a copy, in vectors of what a tile's columns are: those outside, so that the lines that the
 * lanes of one vector read, which may all be of a few sets of a cache, are the only ones before their next
 * points are read. */
Loops loops_of_copy(const StageWork &copy, DimId along, int64_t lanes, bool parallel) {
    Loops loops;
    const auto outside = [&](DimId d, int64_t size) {
        loops.split(d, size, parallel && loops.empty() ? Loop::Kind::parallel : Loop::Kind::serial);
    };
    if (along > 0) {
        outside(along, lanes);
    }
    for (const DimId d : copy.dims.reversed_ids()) {
        if (d != along) {
            outside(d, 1);
        }
    }
    if (along == 0) {
        loops.split(along, lanes);
    }
    loops.vectorize(along);
    return loops;
}

/** Those of the vectors that copy fastest, of as many lanes as a tile's or fewer: of lines that are a
 * multiple of conflict_bytes apart a set of the first level may hold half of what a whole vector reads, and
 * all of half a vector's. */
int64_t copied_lanes(const StageWork &copy, DimId along, int64_t lanes, const Machine &machine) {
    const auto cycles = [&](int64_t of) {
        return compute_cycles(NestedStage{copy, Nest{loops_of_copy(copy, along, of, false), 0, {}}}, machine);
    };
    double least = cycles(lanes);
    while (along > 0 && lanes % 2 == 0) {
        const double fewer = cycles(lanes / 2);
        if (fewer >= least) {
            break;
        }
        least = fewer;
        lanes /= 2;
    }
    return lanes;
}

/** Of the copy alone, made before all else. */
Seconds seconds_of_copy(const StageWork &copy, const Loops &loops, const Machine &machine) {
    LoopTree tree;
    tree.add_at_root(copy.func);
    tree.add_stage(copy.func, -1, copy.dims, loops, {}, NestedStage{copy});
    return price(tree, machine).total();
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
        copy.dims[d].extent = by < 0 ? 1 : std::min(place.points[by], load.extents[d]);
        if (by >= 0 && place.host[by] >= 0) {
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
    const Machine &machine = request.machine;
    const int64_t at_once = copied_lanes(copy, along, lanes, machine);
    Loops loops = loops_of_copy(copy, along, at_once, false);
    if (!place.loop && machine.cores > 1) {
        Loops tasks = loops_of_copy(copy, along, at_once, true);
        if (seconds_of_copy(copy, tasks, machine) < seconds_of_copy(copy, loops, machine)) {
            loops = std::move(tasks);
        }
    }
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

/** The one dim of the reader that moves `index`, point by point, from wherever it begins; -1: it stays where
 * it is. Nothing for any other index. Where it is clamped, which is what Halide derives of a sum over more
 * points than a buffer may have, it stays at its ends. */
std::optional<DimId> dim_that_moves(const Index &index) {
    if (index.clamped_dim >= 0) {
        return index.clamped_dim;
    }
    DimId by = -1;
    for (const DimId d : index.consumer_dims()) {
        if (index.scale[d] == 0) {
            continue;
        }
        if (by >= 0 || index.scale[d] != 1) {
            return std::nullopt;
        }
        by = d;
    }
    return index.affine && !index.cut ? std::optional(by) : std::nullopt;
}

/** Each dim of the producer → the reader's that it is read by; nothing where some are not read so, or two of
 * them by one. */
std::optional<DimMap> read_by(const Access &access) {
    DimMap by;
    for (const Index &index : access.indices) {
        const std::optional<DimId> moved = dim_that_moves(index);
        if (!moved || (*moved >= 0 && std::find(by.begin(), by.end(), *moved) != by.end())) {
            return std::nullopt;
        }
        by.push_back(*moved);
    }
    return by;
}

}  // namespace

std::vector<PackableOperand> packable_operands(const Graph &graph, const StageWork &work, DimId column,
                                               DimId row) {
    std::vector<PackableOperand> result;
    for (size_t l = 0; l < work.loads.size(); l++) {
        const Load &load = work.loads[l];
        std::optional<DimMap> by = read_by(load.access);
        const bool rows_change_it = row >= 0 && load.access.depends_on(row);
        if (!by || rows_change_it || !is_direct(graph, work, load.producer)) {
            continue;
        }
        const auto along = std::find(by->begin(), by->end(), column);
        if (along != by->end() && load.access.indices[by->id_of(along)].clamped_dim < 0) {
            result.push_back({l, by->id_of(along), std::move(*by)});
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
