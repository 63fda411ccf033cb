// Bytes, and colours that lie side by side.

#include "schedules/manual/contraction.h"
#include "schedules/manual/images/strips.h"

namespace eutectic::manual {

using namespace Halide;

void schedule_color_matrix(const Funcs &funcs, const Tuning &tuning) {
    Func out = funcs["out"];
    const Var c = out.args()[0], x = out.args()[1];
    const Strips strips = in_strips(out, tuning.get("rows", 32), tuning.get("columns", 32), 1);
    out.reorder(c, x, strips.row, strips.strip).bound(c, 0, 3).unroll(c);
    // Only of pixels that lie side by side are loads and stores dense.
    const Expr in_stride = input_stride(funcs["in_im"], 1);
    out.specialize(out.output_buffer().dim(1).stride() == 3 && in_stride == 3);
}

void schedule_composite(const Funcs &funcs, const Tuning &tuning) {
    Func out = funcs["out"], over = funcs["over"];
    const int width = tuning.get("vectors", 1) * lanes(over);
    const Strips strips = in_strips(out, tuning.get("rows", 32), width);
    const Var x = out.args()[0], c = out.args()[2];
    out.reorder(c, x, strips.row, strips.strip).bound(c, 0, 3).unroll(c);
    const RVar layer = over.rvars(0)[0];
    over.compute_at(out, x).vectorize(over.args()[0], width).unroll(over.args()[2]);
    over.update()
        .reorder(over.args()[2], over.args()[0], over.args()[1], layer)
        .unroll(over.args()[2])
        .vectorize(over.args()[0], width)
        .unroll(layer);
}

void schedule_demosaic(const Funcs &funcs, const Tuning &tuning) {
    Func out = funcs["out"], mirrored = funcs["mirror_interior"];
    const int width = tuning.get("vectors", 1) * lanes(out);
    const Var x = out.args()[0], y = out.args()[1], c = out.args()[2];
    Var strip("strip"), row("row"), pair("pair"), lane("lane");
    out.compute_root()
        .split(y, strip, row, tuning.get("rows", 64), TailStrategy::GuardWithIf)
        .split(row, row, pair, 2, TailStrategy::GuardWithIf)
        .split(x, x, lane, width, TailStrategy::GuardWithIf)
        .reorder(lane, pair, c, x, row, strip)
        .bound(c, 0, 3)
        .unroll(c)
        .unroll(pair)
        .vectorize(lane)
        .parallel(strip);
    if (tuning.get("mirrored", 1) == 1) {
        mirrored.store_at(out, strip).compute_at(out, row);
    } else {
        mirrored.compute_root().parallel(mirrored.args()[1], 64);
    }
    mirrored.vectorize(mirrored.args()[0], lanes(mirrored));
    // From an even site on it is known which sites are even: lanes are shuffled, and of rows one kind
    // computed.
    out.specialize(out.output_buffer().dim(0).min() % 2 == 0 && out.output_buffer().dim(1).min() % 2 == 0);
}

void schedule_camera(const Funcs &funcs, const Tuning &tuning) {
    Func out = funcs["out"];
    const int width = tuning.get("vectors", 1) * lanes(funcs["denoised"]);
    const Var x = out.args()[0], y = out.args()[1], c = out.args()[2];
    Var strip("strip"), row("row"), pair("pair");
    // Two rows at a time: the pattern's rows differ.
    out.compute_root()
        .split(y, strip, row, tuning.get("rows", 32), TailStrategy::GuardWithIf)
        .split(row, row, pair, 2, TailStrategy::GuardWithIf)
        .reorder(x, c, pair, row, strip)
        .vectorize(x, 2 * width, TailStrategy::GuardWithIf)
        .parallel(strip);
    funcs["curve"].compute_root().vectorize(funcs["curve"].args()[0], lanes(out));
    const auto slide_pair = [&](Func f, int wide) {
        f.store_at(out, strip).compute_at(out, row).vectorize(f.args()[0], wide);
    };
    Func curved = funcs["curved"], corrected = funcs["corrected"];
    slide_pair(curved, width);
    curved.reorder(curved.args()[2], curved.args()[0], curved.args()[1]).bound(curved.args()[2], 0, 3);
    curved.unroll(curved.args()[2]);
    (void)corrected;
    for (const char *name : {"unsharp_y"}) {
        funcs[name].compute_at(out, pair).vectorize(funcs[name].args()[0], 2 * width);
    }
    slide_pair(funcs["denoised"], width);
    for (const char *name : {"g_gr", "r_r", "b_b", "g_gb", "g_r", "g_b"}) {
        slide_pair(funcs[name], width);
    }
    for (const char *name : {"r", "g", "b"}) {
        Func f = funcs[name];
        f.compute_at(curved, curved.args()[1]).vectorize(f.args()[0], 2 * width);
    }
}

void schedule_quantized_conv(const Funcs &funcs, const Tuning &tuning) {
    // Sums of some pixels times 16 channels in registers; weights of 16 channels side by side.
    Func out = funcs["out"], sum = funcs["sum"], padded = funcs["constant_exterior"],
         filter = funcs["filter_im"];
    const int width = tuning.get("vectors", 2) * lanes(sum), pixels = tuning.get("pixels", 4);
    const Var o = out.args()[0], x = out.args()[1], y = out.args()[2];
    Var xo("xo"), xi("xi"), oo("oo"), oi("oi");
    out.compute_root()
        .split(x, xo, xi, pixels, TailStrategy::GuardWithIf)
        .split(o, oo, oi, width, TailStrategy::GuardWithIf)
        .reorder(oi, xi, oo, xo, y)
        .vectorize(oi)
        .unroll(xi)
        .parallel(y, tuning.get("rows", 4));
    const std::vector<RVar> r = sum.rvars(0);
    sum.compute_at(out, oo).vectorize(sum.args()[0], lanes(sum)).unroll(sum.args()[0]).unroll(sum.args()[1]);
    sum.update()
        .reorder(sum.args()[0], sum.args()[1], r[0], r[1], r[2])
        .vectorize(sum.args()[0], lanes(sum))
        .unroll(sum.args()[0])
        .unroll(sum.args()[1]);
    Func packed = filter.in(sum);
    packed.compute_root()
        .reorder_storage(packed.args()[3], packed.args()[0], packed.args()[1], packed.args()[2])
        .parallel(packed.args()[3]);
    padded.compute_root()
        .parallel(padded.args()[2])
        .vectorize(padded.args()[0], 64, TailStrategy::GuardWithIf);
}

}  // namespace eutectic::manual
