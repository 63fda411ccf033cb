// y = relu(conv1x1(depthwise_conv2d(x, w1), w2) + b): a depthwise-separable convolution (Howard et al.,
// "MobileNets", arXiv:1704.04861) with channels innermost, zero outside of the image.

#include "autodiff/register.h"
#include "generators/ops.h"

using namespace Halide;

namespace eutectic {

class DepthwiseSeparable : public Generator<DepthwiseSeparable> {
public:
    GeneratorParam<Type> type{"type", Float(32)};
    GeneratorParam<int> batch{"batch", 1};
    GeneratorParam<int> width{"width", 56};
    GeneratorParam<int> height{"height", 56};
    GeneratorParam<int> channels_in{"channels_in", 128};
    GeneratorParam<int> channels_out{"channels_out", 128};
    GeneratorParam<int> kernel{"kernel", 3, 1, 64};
    GeneratorParam<int> stride{"stride", 1, 1, 64};
    GeneratorParam<int> padding{"padding", 1, 0, 64};  // 0: x must hold all that the windows reach

    Input<Buffer<void, 4>> x{"x"};    // (channels_in, width, height, batch)
    Input<Buffer<void, 3>> w1{"w1"};  // (channels_in, kernel, kernel), the last two from 0
    Input<Buffer<void, 2>> w2{"w2"};  // (channels_out, channels_in)
    Input<Buffer<void, 1>> b{"b"};    // (channels_out)
    Output<Buffer<void, 4>> y{"y"};   // (channels_out, windows of width, windows of height, batch)

    void configure() {
        x.set_type(type);
        w1.set_type(type);
        w2.set_type(type);
        b.set_type(type);
        y.set_type(type);
    }

    void generate() {
        Var c("c"), u("u"), v("v"), n("n");
        Func image = x, z("z");
        if (padding > 0) {
            image = padded(x, {x.dim(1).min(), x.dim(1).extent()}, {x.dim(2).min(), x.dim(2).extent()},
                           cast(type, 0));
        }
        const RDom window({{0, kernel}, {0, kernel}}, "r"), channels(x.dim(0).min(), x.dim(0).extent(), "k");
        const Func product = matmul(depthwise_conv2d(image, w1, window, stride, padding), w2, channels);
        z(c, u, v, n) = product(c, u, v, n) + widen(b(c));
        y(c, u, v, n) = cast(type, relu(z(c, u, v, n)));

        const int columns = windows(width, kernel, stride, padding),
                  lines = windows(height, kernel, stride, padding);
        x.set_estimates({{0, channels_in}, {0, width}, {0, height}, {0, batch}});
        w1.set_estimates({{0, channels_in}, {0, kernel}, {0, kernel}});
        w2.set_estimates({{0, channels_out}, {0, channels_in}});
        b.set_estimates({{0, channels_out}});
        y.set_estimates({{0, channels_out}, {0, columns}, {0, lines}, {0, batch}});
    }
};

}  // namespace eutectic

EUTECTIC_REGISTER_DIFFERENTIABLE(eutectic::DepthwiseSeparable, depthwise_separable);
