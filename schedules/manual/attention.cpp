// y = softmax(q k^T / sqrt(d)) v, a block of 8 queries at a time: their scores and exponentials (16 KiB each
// at 512 keys) stay in the first-level cache, and both products are register tiles of 8 × 32. k is
// transposed once, so that the first product reads 16 keys at once. Weights are not divided by their sum; the
// 64 results are.

#include "schedules/manual/contraction.h"
#include "schedules/manual/rows.h"
#include "schedules/manual/schedule.h"

namespace eutectic::manual {

using namespace Halide;

void schedule_attention(const Funcs &funcs, const Tuning &tuning) {
    Func y = funcs["y"], scores = funcs["scores"], exps = funcs["exps"];
    const bool masked = funcs.has("masked");
    Func product = funcs["matmul"], mixed = funcs["matmul$1"];
    Func reciprocal = divide_late(y, mixed, funcs["softmax"]);
    const Expr keys = input_extent(funcs["k_im"], 1);
    Tile tile;
    tile.rows = tuning.get("rows", 8);
    tile.columns = tuning.get("columns", 32);
    tile.parallel = Tile::by_rows;
    const OutputImageParam out = y.output_buffer();
    tile.fast = out.width() >= tile.columns && out.height() >= tile.rows && keys >= tile.columns;
    const Nest nest = schedule_contraction(y, mixed, tile);
    const LoopLevel block(y, nest.outer);

    tile.parallel = Tile::serial;
    tile.at = block;
    schedule_contraction(masked ? funcs["masked"] : scores, product, tile);
    pack(funcs["k_im"], product, std::nullopt, true);
    exps.compute_at(block).vectorize(exps.args()[0], vector_floats * tuning.get("exps", 2),
                                     TailStrategy::GuardWithIf);
    reciprocal.compute_at(block);
    schedule_row_reduction(funcs["row_max"], block, tuning.get("vectors", 4));
    schedule_row_reduction(funcs["sum_exp"], block, tuning.get("vectors", 4));
}

}  // namespace eutectic::manual
