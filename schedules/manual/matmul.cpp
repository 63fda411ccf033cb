// epilogue(a b), one parallel panel of columns at a time, as in dense.cpp.
//
// Neither a nor the sums are blocked along k: with the panel of b packed (128 KiB at k = 1024, half of the second-level cache's way) both operands
// stream from there at 8 bytes a cycle, and 8 × 32 sums keep the multiply-adders 0.95 busy at 1024³ on one core.

#include "schedules/manual/contraction.h"
#include "schedules/manual/schedule.h"

namespace eutectic::manual {

using namespace Halide;

void schedule_matmul(const Funcs &funcs, const Tuning &tuning) {
    Func c = funcs["c"], sum = funcs["matmul"], b = funcs["b_im"];
    Tile tile;
    tile.rows = tuning.get("rows", 8);
    tile.columns = tuning.get("columns", 32);
    tile.parallel = static_cast<Tile::Parallel>(tuning.get("parallel", Tile::by_columns));
    const OutputImageParam out = c.output_buffer();
    tile.fast = out.width() >= tile.columns && out.height() >= tile.rows;
    const Nest nest = schedule_contraction(c, sum, tile);
    if (tuning.get("pack", 1)) {
        pack(b, sum, LoopLevel(c, nest.outer), reads_transposed(sum, b));
    }
}

}  // namespace eutectic::manual
