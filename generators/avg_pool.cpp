// y = the mean of each window of x, channels innermost. Where the image is padded, its zeros count.

#include "autodiff/register.h"
#include "generators/ops.h"

using namespace Halide;

namespace eutectic {

class AvgPool : public Generator<AvgPool> {
public:
    GeneratorParam<Type> type{"type", Float(32)};
    GeneratorParam<int> batch{"batch", 1};
    GeneratorParam<int> width{"width", 56};
    GeneratorParam<int> height{"height", 56};
    GeneratorParam<int> channels{"channels", 256};
    GeneratorParam<int> kernel{"kernel", 2, 1, 64};
    GeneratorParam<int> stride{"stride", 2, 1, 64};
    GeneratorParam<int> padding{"padding", 0, 0, 64};  // 0: x must hold all that the windows reach

    Input<Buffer<void, 4>> x{"x"};   // (channels, width, height, batch)
    Output<Buffer<void, 4>> y{"y"};  // (channels, windows of width, windows of height, batch)

    void configure() {
        x.set_type(type);
        y.set_type(type);
    }

    void generate() {
        Var c("c"), u("u"), v("v"), n("n");
        Func image = x;
        if (padding > 0) {
            image = padded(x, {x.dim(1).min(), x.dim(1).extent()}, {x.dim(2).min(), x.dim(2).extent()},
                           cast(type, 0));
        }
        const RDom window({{0, kernel}, {0, kernel}}, "r");
        const Expr element = image(c, u * stride + window.x - padding, v * stride + window.y - padding, n);
        Func sum("sum");
        sum(c, u, v, n) = cast(arithmetic_type(type), 0);
        sum(c, u, v, n) += widen(element);
        y(c, u, v, n) = cast(type, sum(c, u, v, n) / cast(sum.type(), window.x.extent() * window.y.extent()));

        const int columns = windows(width, kernel, stride, padding),
                  lines = windows(height, kernel, stride, padding);
        x.set_estimates({{0, channels}, {0, width}, {0, height}, {0, batch}});
        y.set_estimates({{0, channels}, {0, columns}, {0, lines}, {0, batch}});
    }
};

}  // namespace eutectic

EUTECTIC_REGISTER_DIFFERENTIABLE(eutectic::AvgPool, avg_pool);
