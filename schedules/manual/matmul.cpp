// Matrix products, one parallel panel of columns at a time, as in dense.cpp.
//
// Neither operand is blocked along k: with the panel of b packed (128 KiB at k = 1024, an eighth of the
// second-level cache) both stream from there at 8 bytes a cycle, and 8 × 32 sums keep the multiply-adders
// 0.95 busy at 1024³ on one core.

#include "schedules/manual/contraction.h"
#include "schedules/manual/schedule.h"

namespace eutectic::manual {

using namespace Halide;

namespace {

Tile matmul_tile(const Tuning &tuning, Tile::Parallel parallel) {
    Tile tile;
    tile.rows = tuning.get("rows", 8);
    tile.columns = tuning.get("columns", 32);
    tile.parallel = static_cast<Tile::Parallel>(tuning.get("parallel", parallel));
    return tile;
}

}  // namespace

void schedule_matmul(const Funcs &funcs, const Tuning &tuning) {
    Func c = funcs["c"], sum = funcs["matmul"], b = funcs["b_im"];
    Tile tile = matmul_tile(tuning, Tile::by_columns);
    const OutputImageParam out = c.output_buffer();
    tile.fast = out.width() >= tile.columns && out.height() >= tile.rows;
    const Nest nest = schedule_contraction(c, sum, tile);
    if (tuning.get("pack", 1)) {
        pack(b, sum, LoopLevel(c, nest.outer), reads_transposed(sum, b));
    }
}

void schedule_product(Func c, Func b, bool packed, const Tuning &tuning) {
    // The output is the sum itself, and the last tile of an update cannot move inwards. So blocks of k are
    // summed in a Func of their own, and a wrapper of that, which is as large as a panel of c, is tiled as
    // the output of a matmul with an epilogue is.
    RVar block("block"), inside("inside");
    Var blocks("blocks"), jo("jo"), ji("ji");
    c.update().split(c.rvars(0)[0], block, inside, tuning.get("block", 1024), TailStrategy::GuardWithIf);
    Func sum = c.update().rfactor(block, blocks), tiles = sum.in(c);
    const Var j = c.args()[0], i = c.args()[1];
    const OutputImageParam out = c.output_buffer();

    Tile tile = matmul_tile(tuning, Tile::by_columns);
    tile.fast = out.dim(0).extent() % tile.columns == 0 && out.dim(1).extent() >= tile.rows;
    tile.at = LoopLevel(c, jo);
    c.compute_root().vectorize(j, vector_floats, TailStrategy::GuardWithIf);
    c.update()
        .split(j, jo, ji, tuning.get("panel", 1) * tile.columns, TailStrategy::GuardWithIf)
        .reorder(ji, i, block, jo);
    c.update().vectorize(ji, vector_floats);
    const bool batch = c.dimensions() > 2;
    c.parallel(batch ? c.args()[2] : i);
    c.update().parallel(batch ? c.args()[2] : jo);
    schedule_contraction(tiles, sum, tile);
    if (tuning.get("pack", packed)) {
        pack(b, sum, tile.at, false);
    }
}

void schedule_batched_matmul(const Funcs &funcs, const Tuning &tuning) {
    schedule_product(funcs["c"], funcs["b_im"], false, tuning);
}

}  // namespace eutectic::manual
