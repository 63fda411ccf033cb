// Convolutions with channels innermost: a register tile is pixels of one line × channels, and a line is a task.
//
// The image with its border of zeros is stored, so that no load asks whether it is inside.

#include "schedules/manual/contraction.h"
#include "schedules/manual/schedule.h"

namespace eutectic::manual {

using namespace Halide;

void schedule_bottleneck(const Funcs &funcs, const Tuning &tuning) {
    Func y = funcs["y"], inside = funcs["constant_exterior"];
    const Expr width = input_extent(funcs["x_im"], 1), inner = input_extent(funcs["w1_im"], 0), channels = input_extent(funcs["w3_im"], 0);
    const auto convolve = [&](const std::string &out, const std::string &sum, const Expr &count, const std::optional<LoopLevel> &at) {
        Tile tile;
        tile.rows = tuning.get("rows_" + out, 8);
        tile.columns = tuning.get("columns_" + out, 32);
        tile.parallel = tuning.get("by_rows_" + out, 0) ? Tile::by_rows : Tile::by_columns;
        tile.fast = width >= tile.rows && count >= tile.columns;
        tile.at = at;
        if (!at) {
            tile.over = funcs[out].args()[2];
        }
        schedule_contraction(funcs[out], funcs[sum], tile);
    };
    // Each line of the first result with its border, then lines of the second as a line of the last needs them.
    const Var line = inside.args()[2];
    inside.compute_root().vectorize(inside.args()[0], vector_floats, TailStrategy::GuardWithIf).parallel(line);
    convolve("h1", "matmul", inner, LoopLevel(inside, line));
    convolve("y", "matmul$1", channels, std::nullopt);
    convolve("h2", "conv2d", inner, LoopLevel(y, y.args()[2]));
}

}  // namespace eutectic::manual
