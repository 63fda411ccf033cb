// A 3 x 3 convolution of 8-bit activations with 8-bit weights, added up in 32 bits, scaled back to 8 bits and
// clamped: a layer of a quantized network. Channels are innermost.

#include "generators/images/images.h"

using namespace Halide;

namespace eutectic::images {

class QuantizedConv : public Generator<QuantizedConv> {
public:
    GeneratorParam<int> width{"width", 56};
    GeneratorParam<int> height{"height", 56};
    GeneratorParam<int> channels_in{"channels_in", 64};
    GeneratorParam<int> channels_out{"channels_out", 64};

    Input<Buffer<uint8_t, 3>> in{"in"};         // (channels in, columns, rows)
    Input<Buffer<int8_t, 4>> filter{"filter"};  // (channels in, columns of 3, rows of 3, channels out)
    Input<Buffer<int32_t, 1>> bias{"bias"};     // (channels out)
    Input<uint8_t> zero{"zero"};                // the activation that stands for 0, also outside of the image
    Input<int> multiplier{"multiplier"};        // of 32-bit sums, with 16 fractional bits
    Output<Buffer<uint8_t, 3>> out{"out"};      // (channels out, columns, rows)

    void generate() {
        Var o("o");
        const Func padded = BoundaryConditions::constant_exterior(
            in, zero,
            {{Expr(), Expr()}, {in.dim(1).min(), in.dim(1).extent()}, {in.dim(2).min(), in.dim(2).extent()}});
        const RDom r(0, in.dim(0).extent(), 0, 3, 0, 3, "r");
        Func sum("sum");
        sum(o, x, y) = bias(o);
        sum(o, x, y) += (cast<int32_t>(padded(r.x, x + r.y - 1, y + r.z - 1)) - cast<int32_t>(zero)) *
                        cast<int32_t>(filter(r.x, r.y, r.z, o));
        const Expr scaled = cast<int32_t>((cast<int64_t>(sum(o, x, y)) * multiplier + (1 << 15)) >> 16);
        out(o, x, y) = cast<uint8_t>(clamp(scaled + cast<int32_t>(zero), 0, 255));

        in.set_estimates({{0, channels_in}, {0, width}, {0, height}});
        filter.set_estimates({{0, channels_in}, {0, 3}, {0, 3}, {0, channels_out}});
        bias.set_estimates({{0, channels_out}});
        zero.set_estimate(128);
        multiplier.set_estimate(100);
        out.set_estimates({{0, channels_out}, {0, width}, {0, height}});
    }
};

}  // namespace eutectic::images

HALIDE_REGISTER_GENERATOR(eutectic::images::QuantizedConv, quantized_conv)
