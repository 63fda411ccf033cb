// Stencils: strips of rows in parallel, in each of which rows slide down, so that nothing is computed twice
// but where strips meet.

#include "schedules/manual/images/strips.h"

namespace eutectic::manual {

using namespace Halide;

void schedule_blur(const Funcs &funcs, const Tuning &tuning) {
    Func out = funcs["out"];
    const int width = tuning.get("vectors", 1) * lanes(out);
    const Strips strips = in_strips(out, tuning.get("rows", 64), width);
    slide(funcs["blur_x"], strips, width);
}

void schedule_harris(const Funcs &funcs, const Tuning &tuning) {
    Func out = funcs["out"];
    const int width = tuning.get("vectors", 1) * lanes(out);
    const Strips strips = in_strips(out, tuning.get("rows", 32), width);
    for (const char *name : {"gray", "d_x", "d_y"}) {
        slide(funcs[name], strips, width);
    }
}

void schedule_median(const Funcs &funcs, const Tuning &tuning) {
    Func out = funcs["out"];
    const int width = tuning.get("vectors", 1) * lanes(out);
    const Strips strips = in_strips(out, tuning.get("rows", 32), width);
    for (const char *name : {"low", "middle", "high"}) {
        each_row(funcs[name], strips, width);
    }
    if (tuning.get("edges", 1)) {
        slide(funcs["mirror_image"], strips, width);
    }
}

void schedule_unsharp(const Funcs &funcs, const Tuning &tuning) {
    Func out = funcs["out"];
    const int width = tuning.get("vectors", 1) * lanes(funcs["gray"]);
    const Strips strips = in_strips(out, tuning.get("rows", 32), width);
    const Var x = out.args()[0], c = out.args()[2];
    out.reorder(x, c, strips.row, strips.strip).bound(c, 0, 3).unroll(c);
    slide(funcs["gray"], strips, width);
    each_row(funcs["blur_y"], strips, width);
    each_row(funcs["ratio"], strips, width);
}

void schedule_stencil_chain(const Funcs &funcs, const Tuning &tuning) {
    // Groups of stages slide down a strip; between groups is memory.
    Func out = funcs["out"];
    const int width = tuning.get("vectors", 2) * lanes(out), group = tuning.get("group", 4);
    std::vector<Func> stages;
    for (int s = 0; funcs.has("stage" + std::to_string(s) + "_"); s++) {
        stages.push_back(funcs["stage" + std::to_string(s) + "_"]);
    }
    Strips strips = in_strips(out, tuning.get("rows", 128), width);
    int in_group = 1;
    for (size_t s = stages.size(); s-- > 0; in_group++) {
        if (in_group == group) {
            strips = in_strips(stages[s], tuning.get("rows", 128), width);
            in_group = 0;
        } else {
            slide(stages[s], strips, width);
        }
    }
    slide(funcs["repeat_edge"], strips, width);  // clamped once, not for each tap
}

void schedule_dilate(const Funcs &funcs, const Tuning &tuning) {
    Func out = funcs["out"];
    const int width = tuning.get("vectors", 1) * lanes(out);
    const Strips strips = in_strips(out, tuning.get("rows", 64), width);
    for (int length = 2; funcs.has("run" + std::to_string(length) + "_"); length *= 2) {
        slide(funcs["run" + std::to_string(length) + "_"], strips, width);
    }
    slide(funcs["repeat_edge"], strips, width);
}

void schedule_nl_means(const Funcs &funcs, const Tuning &tuning) {
    // For each move, a tile's differences, their sums along columns and rows, and what they add.
    Func out = funcs["out"], sums = funcs["sums"], patches = funcs["patches"], in_y = funcs["in_y"],
         weight = funcs["weight"];
    const int width = tuning.get("vectors", 1) * lanes(out);
    const Var x = out.args()[0], y = out.args()[1], c = out.args()[2];
    Var tile_x("tile_x"), tile_y("tile_y"), xi("xi"), yi("yi");
    out.compute_root()
        .tile(x, y, tile_x, tile_y, xi, yi, tuning.get("columns", 64), tuning.get("rows", 32),
              TailStrategy::GuardWithIf)
        .reorder(xi, yi, c, tile_x, tile_y)
        .vectorize(xi, width, TailStrategy::GuardWithIf)
        .parallel(tile_y);
    const std::vector<RVar> around = sums.rvars(0);
    const std::vector<Var> args = sums.args();
    sums.compute_at(out, tile_x).vectorize(args[0], width);
    sums.update()
        .reorder(args[2], args[0], args[1], around[0], around[1])
        .unroll(args[2])
        .vectorize(args[0], width);
    sums.bound(args[2], 0, 4);
    weight.compute_at(sums, around[0]).vectorize(weight.args()[0], width);
    in_y.compute_at(sums, around[0]).vectorize(in_y.args()[0], width);
    Func distance = funcs["distance"];
    patches.compute_at(weight, weight.args()[1]).vectorize(patches.args()[0], width);
    patches.update().reorder(patches.rvars(0)[0], patches.args()[0]).vectorize(patches.args()[0], width);
    in_y.update().reorder(in_y.rvars(0)[0], in_y.args()[0], in_y.args()[1]).vectorize(in_y.args()[0], width);
    distance.compute_at(sums, around[0]).vectorize(distance.args()[0], width);
    distance.update()
        .reorder(distance.rvars(0)[0], distance.args()[0], distance.args()[1])
        .unroll(distance.rvars(0)[0])
        .vectorize(distance.args()[0], width);
}

}  // namespace eutectic::manual
