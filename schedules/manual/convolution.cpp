// Convolutions with channels innermost: a register tile is pixels of one line × channels, and a line is a
// task.
//
// The image with its border of zeros is stored, so that no load asks whether it is inside.

#include "schedules/manual/contraction.h"
#include "schedules/manual/schedule.h"

namespace eutectic::manual {

using namespace Halide;

void schedule_bottleneck(const Funcs &funcs, const Tuning &tuning) {
    Func y = funcs["y"], inside = funcs["constant_exterior"];
    const Expr width = input_extent(funcs["x_im"], 1), channels = input_extent(funcs["w3_im"], 0);
    const auto convolve = [&](const std::string &out, const std::string &sum, const Expr &count,
                              const std::optional<LoopLevel> &at) {
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
    // Each line of the first result with its border, then lines of the second as a line of the last needs
    // them.
    const Var line = inside.args()[2];
    inside.compute_root()
        .vectorize(inside.args()[0], vector_floats, TailStrategy::GuardWithIf)
        .parallel(line);
    convolve("h1", "matmul", input_extent(funcs["w1_im"], 0), LoopLevel(inside, line));
    convolve("y", "matmul$1", channels, std::nullopt);
    convolve("h2", "conv2d", input_extent(funcs["w2_im"], 0), LoopLevel(y, y.args()[2]));
}

namespace {

/// A convolution's output with its sum: pixels of a line × channels in registers, lines in parallel.
void schedule_lines(const Func &out, const Func &sum, const Tuning &tuning) {
    Tile tile;
    tile.rows = tuning.get("rows", 8);
    tile.columns = tuning.get("columns", 32);
    tile.parallel = tuning.get("by_rows", 0) ? Tile::by_rows : Tile::by_columns;
    const OutputImageParam image = out.output_buffer();
    tile.fast = image.dim(0).extent() >= tile.columns && image.dim(1).extent() >= tile.rows;
    tile.over = out.args()[2];
    tile.over_block = tuning.get("lines", 1);
    schedule_contraction(out, sum, tile);
}

/// The image with its border, in memory; a kernel without padding has none.
void store_border(const Funcs &funcs) {
    if (funcs.has("constant_exterior")) {
        Func inside = funcs["constant_exterior"];
        inside.compute_root()
            .vectorize(inside.args()[0], vector_floats, TailStrategy::GuardWithIf)
            .parallel(inside.args()[2]);
    }
}

/// Reads of windows: channels in vectors, the window's loops unrolled, nothing stored but the result.
void unroll_window(Stage stage, const Func &f) {
    const std::vector<RVar> window = f.rvars(0);
    stage.reorder(window[0], window[1], f.args()[0]).unroll(window[0]).unroll(window[1]);
}

}  // namespace

void schedule_conv2d(const Funcs &funcs, const Tuning &tuning) {
    store_border(funcs);
    schedule_lines(funcs["y"], funcs["conv2d"], tuning);
}

void schedule_depthwise_separable(const Funcs &funcs, const Tuning &tuning) {
    store_border(funcs);
    Func y = funcs["y"], depthwise = funcs["depthwise"];
    schedule_lines(y, funcs["matmul"], tuning);
    // A line of the first convolution at a time; a pixel's sums stay in registers over its window.
    const Var c = depthwise.args()[0];
    Var block("block");
    const std::vector<RVar> window = depthwise.rvars(0);
    const int vectors = tuning.get("vectors", 4);
    depthwise.compute_at(y, y.args()[2]).vectorize(c, vector_floats, TailStrategy::GuardWithIf);
    Stage sum = depthwise.update();
    sum.split(c, block, c, vectors * vector_floats, TailStrategy::GuardWithIf)
        .reorder(c, window[0], window[1], block, depthwise.args()[1])
        .vectorize(c, vector_floats)
        .unroll(c)
        .unroll(window[0])
        .unroll(window[1]);
}

void schedule_max_pool(const Funcs &funcs, const Tuning &tuning) {
    Func y = funcs["y"];
    Var block("block"), task("task");
    const Var c = y.args()[0], line = y.args()[2];
    const int lines = tuning.get("lines", 4);
    y.compute_root().vectorize(c, vector_floats, TailStrategy::GuardWithIf);
    Stage reduce = y.update();
    for (Stage stage : {Stage(y), reduce}) {
        stage.split(line, task, line, lines, TailStrategy::GuardWithIf).parallel(task);
    }
    const std::vector<RVar> window = y.rvars(0);
    reduce.split(c, block, c, tuning.get("vectors", 1) * vector_floats, TailStrategy::GuardWithIf);
    reduce.reorder(c, window[0], window[1], block, y.args()[1])
        .vectorize(c, vector_floats)
        .unroll(c)
        .unroll(window[0])
        .unroll(window[1]);
}

void schedule_avg_pool(const Funcs &funcs, const Tuning &tuning) {
    Func y = funcs["y"], sum = funcs["sum"];
    Var block("block");
    const Var c = y.args()[0], line = y.args()[2];
    Var task("task");
    y.compute_root().split(c, block, c, tuning.get("vectors", 1) * vector_floats, TailStrategy::GuardWithIf);
    y.split(line, task, line, tuning.get("lines", 7), TailStrategy::GuardWithIf)
        .vectorize(c, vector_floats)
        .unroll(c)
        .parallel(task);
    sum.compute_at(y, block).vectorize(sum.args()[0], vector_floats, TailStrategy::GuardWithIf);
    unroll_window(sum.update(), sum);
    sum.update().vectorize(sum.args()[0], vector_floats, TailStrategy::GuardWithIf);
}

}  // namespace eutectic::manual
