#include "fusion/policies/cpu/register_tile_pack.h"

#include <utility>

namespace eutectic {

namespace {

/** Does the stage itself read `producer`, once, and not through what is inlined into it? */
bool is_direct(const Graph &graph, const NestedStage &stage, FuncId producer) {
    const FuncInfo &info = graph.funcs[stage.work->func];
    const Stage &s = graph.stages[info.stages[stage.work->update + 1]];
    int mentions = 0;
    for (const EdgeId e : s.edges) {
        mentions += graph.edges[e].producer == producer ? 1 : 0;
    }
    return mentions == 1;
}

/** Packs what `load` of `stage` reads, with the producer's dim `along` innermost. */
void add_pack(const PackedTile &t, FuncId reader, const NestedStage &stage, Load &load, DimId along,
              int operand, Group &g) {
    const FuncId id = t.request.made("pack", stage.work->func, operand);
    g.added.push_back(Added::pack(id, load.producer, {reader}));
    // Inside the loop over column tiles a panel is packed once for all the rows; with rows outside, the
    // whole operand is packed first.
    int column_loop = -1;
    for (int l = 0; l < t.outer_loops; l++) {
        column_loop = t.loops[l].dim == 0 ? l : column_loop;
    }
    const bool panel = !t.request.inside_block && (t.row_dim == 0 || t.columns_outside);
    DimMap position(t.work.dims.size(), -1);  // a panel changes with its columns alone
    position[0] = along;
    TreeFunc &copied =
        panel ? g.tree.add_in_loop(id, {t.writer, -1, column_loop}, position) : g.tree.add_at_root(id);
    copied.storage = {along};
    for (const DimId d : load.extents.ids()) {
        if (d != along) {
            copied.storage.push_back(d);
        }
    }

    StageWork copy = copy_work(id, load);
    copy.stores_packed = true;
    Loops loops;
    for (const DimId d : load.extents.reversed_ids()) {
        if (d != along) {
            loops.split(d, 1);
        }
    }
    loops.split(along, t.lanes);
    loops.vectorize(along);
    g.tree.add_stage(id, -1, copy.dims, std::move(loops), {}, NestedStage{copy});
    // From here on the tile reads the packed copy: the lanes' dim is its innermost.
    load.producer = id;
    load.packed = panel;
    std::swap(load.access.indices[0], load.access.indices[along]);
    std::swap(load.extents[0], load.extents[along]);
}

}  // namespace

void pack_operands(const PackedTile &t, FuncId reader, NestedStage &stage, Group &g) {
    if (t.lanes == 1) {
        return;
    }
    const DimMap map = dims_in_producer(t.work, stage.work->func);
    const DimId column = map[0];
    int operand = 0;
    StageWork packed = *stage.work;
    for (Load &load : packed.loads) {
        const bool direct = is_direct(t.request.graph, stage, load.producer);
        DimId along = -1;  // the producer's dim that the lanes run along
        bool plain = load.access.affine();
        for (const DimId i : load.access.indices.ids()) {
            const Index &index = load.access.indices[i];
            plain = plain && index.equals_dim() >= 0;
            along = index.equals_dim() == column ? i : along;
        }
        const bool rows_change_it = t.row_dim != 0 && load.access.depends_on(map[t.row_dim]);
        if (!direct || !plain || along <= 0 || rows_change_it) {
            continue;
        }
        add_pack(t, reader, stage, load, along, operand++, g);
    }
    if (operand > 0) {
        stage.work = std::move(packed);
    }
}

}  // namespace eutectic
