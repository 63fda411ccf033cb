// relu(x w + b), one parallel panel of columns at a time.
//
// A register tile of 8 rows × 32 columns: 16 accumulators of 16 floats, two vectors of w and one broadcast
// of x, of 32 registers. 12 rows would fill the registers and are 3 % slower: they do not divide 128, and the
// last tile is computed in part twice. The panel of w that the tile's columns need is copied once,
// contiguous, so that rows of w a power of two apart do not meet in L1. Bias and activation happen as the
// tile is stored.

#include "schedules/manual/contraction.h"
#include "schedules/manual/schedule.h"

namespace eutectic::manual {

using namespace Halide;

void schedule_dense(const Funcs &funcs, const Tuning &tuning) {
    Func y = funcs["y"], w = funcs["w_im"];
    Tile tile;
    tile.rows = tuning.get("rows", 8);
    tile.columns = tuning.get("columns", 32);
    const OutputImageParam out = y.output_buffer();
    tile.fast = out.width() >= tile.columns && out.height() >= tile.rows;
    tile.parallel = static_cast<Tile::Parallel>(tuning.get("parallel", Tile::by_columns));
    const Nest nest = schedule_contraction(y, funcs["matmul"], tile);
    if (tuning.get("pack", 1)) {
        pack(w, funcs["matmul"], LoopLevel(y, nest.outer), false);
    }
}

void schedule_mlp(const Funcs &funcs, const Tuning &tuning) {
    const auto layer = [&](const std::string &number, const std::string &out, bool narrow) {
        Tile tile;
        tile.rows = tuning.get("rows" + number, narrow ? 16 : 8);
        tile.columns = tuning.get("columns" + number, narrow ? 16 : 32);
        tile.parallel = static_cast<Tile::Parallel>(
            tuning.get("parallel" + number, narrow ? Tile::by_rows : Tile::by_columns));
        tile.narrow = narrow;
        tile.fast = input_extent(funcs["x_im"], 1) >= tile.rows;
        if (!narrow) {
            tile.fast = tile.fast && input_extent(funcs["w" + number + "_im"], 0) >= tile.columns;
        }
        const Nest nest = schedule_contraction(funcs[out], funcs["matmul" + number], tile);
        if (tuning.get("pack" + number, 0)) {
            pack(funcs["w" + number + "_im"], funcs["matmul" + number], LoopLevel(funcs[out], nest.outer),
                 false);
        }
    };
    layer("1", "h1", false);
    layer("2", "h2", false);
    layer("3", "logits", true);
}

}  // namespace eutectic::manual
