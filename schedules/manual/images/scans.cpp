// Sums and filters that run along a dimension, counts, and grids: vectors and tasks are across.

#include "schedules/manual/images/strips.h"

namespace eutectic::manual {

using namespace Halide;

void schedule_recursive_blur(const Funcs &funcs, const Tuning &tuning) {
    // Rows: so many at a time, each in a lane, stored with rows innermost. Columns: a strip of them a task.
    Func out = funcs["out"], rows = funcs["rows"], columns = funcs["columns"];
    const int width = lanes(out), strip = tuning.get("strip", 4) * width;
    const Var x = rows.args()[0], y = rows.args()[1];
    Func turned = rows.in(columns);
    Var block("block"), inside("inside");
    turned.compute_root()
        .split(turned.args()[1], block, inside, width, TailStrategy::GuardWithIf)
        .split(turned.args()[0], turned.args()[0], Var("xi"), width, TailStrategy::GuardWithIf)
        .reorder(Var("xi"), inside, turned.args()[0], block)
        .vectorize(Var("xi"))
        .parallel(block);
    rows.compute_at(turned, block).reorder_storage(y, x).reorder(y, x).vectorize(y, width);
    for (int u = 0; u < 2; u++) {
        rows.update(u).reorder(y, rows.rvars(u)[0]).vectorize(y, width);
    }
    Var task("task"), column("column");
    out.compute_root()
        .split(out.args()[0], task, column, strip, TailStrategy::GuardWithIf)
        .reorder(column, out.args()[1], task)
        .vectorize(column, width)
        .parallel(task);
    columns.compute_at(out, task).vectorize(columns.args()[0], width);
    for (int u = 0; u < 2; u++) {
        columns.update(u)
            .reorder(columns.args()[0], columns.rvars(u)[0])
            .vectorize(columns.args()[0], width)
            .unroll(columns.args()[0], tuning.get("strip", 4));
    }
}

void schedule_box_blur(const Funcs &funcs, const Tuning &tuning) {
    // Rows: so many at a time, each in a lane, stored with rows innermost. Columns: a strip of them a task.
    Func out = funcs["out"], along_x = funcs["along_x"], blur_x = funcs["blur_x"], along_y = funcs["along_y"];
    const int width = lanes(along_y), strip = tuning.get("strip", 4) * width;
    const Var x = blur_x.args()[0], y = blur_x.args()[1], c = blur_x.args()[2];
    Var block("block"), inside("inside");
    blur_x.compute_root()
        .split(y, block, inside, tuning.get("rows", 1) * width, TailStrategy::GuardWithIf)
        .reorder(x, inside, block, c)
        .vectorize(x, width, TailStrategy::GuardWithIf)
        .parallel(block)
        .parallel(c);
    at_root(funcs["repeat_edge"], 64, lanes(out));
    along_x.compute_at(blur_x, block).reorder_storage(y, x, c).reorder(y, x).vectorize(y, width);
    along_x.update().reorder(y, along_x.rvars(0)[0]).vectorize(y, width);
    Var task("task"), column("column");
    out.compute_root()
        .split(out.args()[0], task, column, strip, TailStrategy::GuardWithIf)
        .reorder(column, out.args()[1], task, out.args()[2])
        .vectorize(column, width)
        .parallel(task)
        .parallel(out.args()[2]);
    along_y.compute_at(out, task).vectorize(along_y.args()[0], width);
    along_y.update().reorder(along_y.args()[0], along_y.rvars(0)[0]).vectorize(along_y.args()[0], width);
}

void schedule_equalize(const Funcs &funcs, const Tuning &tuning) {
    Func out = funcs["out"], count = funcs["count"];
    const int width = lanes(count);
    Var slice("slice");
    RVar rows("rows"), row("row");
    count.compute_root().vectorize(count.args()[0], width);
    count.update().split(count.rvars(0)[1], rows, row, tuning.get("rows", 64), TailStrategy::GuardWithIf);
    Func partial = count.update().rfactor(rows, slice);
    partial.compute_root().vectorize(partial.args()[0], width).parallel(slice);
    partial.update().parallel(slice);
    count.update().reorder(count.args()[0], rows).vectorize(count.args()[0], width);
    funcs["up_to"].compute_root();
    // The share of each level once, not of each pixel.
    at_root(out, tuning.get("rows", 64), lanes(out));
}

void schedule_bilateral_grid(const Funcs &funcs, const Tuning &tuning) {
    Func out = funcs["out"], grid = funcs["grid"], z = funcs["blur_z"], x = funcs["blur_x"],
         y = funcs["blur_y"];
    const int width = tuning.get("vectors", 1) * lanes(out);
    const auto blur = [&](Func f) {
        const std::vector<Var> args = f.args();
        f.compute_root()
            .reorder(args[3], args[0], args[1], args[2])
            .vectorize(args[0], 8, TailStrategy::GuardWithIf)
            .unroll(args[3])
            .parallel(args[2]);
        f.bound(args[3], 0, 2);
    };
    blur(x);
    blur(y);
    z.compute_root()
        .reorder(z.args()[3], z.args()[2], z.args()[0], z.args()[1])
        .vectorize(z.args()[0], 8, TailStrategy::GuardWithIf)
        .unroll(z.args()[3])
        .parallel(z.args()[1]);
    z.bound(z.args()[3], 0, 2);
    const std::vector<RVar> r = grid.rvars(0);
    grid.compute_at(z, z.args()[1]);
    grid.update().reorder(grid.args()[3], r[0], r[1], grid.args()[0], grid.args()[1]).unroll(grid.args()[3]);
    const Strips strips = in_strips(out, tuning.get("rows", 16), width);
    (void)strips;
}

}  // namespace eutectic::manual
