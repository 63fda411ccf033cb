// Where a pixel comes from is computed: resampling and warps.

#include "schedules/manual/images/strips.h"

namespace eutectic::manual {

using namespace Halide;

void schedule_resize(const Funcs &funcs, const Tuning &tuning) {
    Func out = funcs["out"], in_x = funcs["resized_x"], in_y = funcs["resized_y"];
    const int width = tuning.get("vectors", 1) * lanes(out);
    for (const char *name : {"weight_x", "weight_y"}) {
        Func weight = funcs[name], raw = funcs[std::string(name) + "_raw"],
             sum = funcs[std::string(name) + "_sum"];
        const Var k = weight.args()[0], v = weight.args()[1];
        weight.compute_root().reorder_storage(v, k).reorder(k, v).vectorize(v, width,
                                                                            TailStrategy::GuardWithIf);
        raw.compute_at(weight, v)
            .reorder_storage(raw.args()[1], raw.args()[0])
            .vectorize(raw.args()[1], width);
        sum.compute_at(weight, v).vectorize(sum.args()[0], width);
        sum.update().reorder(sum.rvars(0)[0], sum.args()[0]).vectorize(sum.args()[0], width);
    }
    const Strips strips = in_strips(out, tuning.get("rows", 8), width);
    const Var x = out.args()[0], c = out.args()[2];
    out.reorder(x, strips.row, strips.strip, c);
    in_y.compute_at(strips.each_row()).vectorize(in_y.args()[0], width);
    in_y.update()
        .reorder(in_y.rvars(0)[0], in_y.args()[0])
        .vectorize(in_y.args()[0], width)
        .unroll(in_y.rvars(0)[0]);
    in_x.compute_at(out, x).vectorize(in_x.args()[0], width);
    in_x.update()
        .reorder(in_x.args()[0], in_x.rvars(0)[0])
        .vectorize(in_x.args()[0], width)
        .unroll(in_x.rvars(0)[0]);
}

void schedule_warp(const Funcs &funcs, const Tuning &tuning) {
    Func out = funcs["out"], place = funcs["place"];
    const int width = tuning.get("vectors", 1) * lanes(out);
    const Strips strips = in_strips(out, tuning.get("rows", 16), width);
    out.reorder(out.args()[2], out.args()[0], strips.row, strips.strip)
        .bound(out.args()[2], 0, 3)
        .unroll(out.args()[2]);
    place.compute_at(out, out.args()[0]).vectorize(place.args()[0], width);
}

}  // namespace eutectic::manual
