// One level of a U-Net (Ronneberger, Fischer and Brox, arXiv:1505.04597) with the one below: a convolution,
// half the size by the maximum of 2 x 2, two convolutions, twice the size by repeating, and a convolution
// over both, side by side in channels. Convolutions are 3 x 3 with zeros around, each with a bias and relu.

#include "autodiff/register.h"
#include "generators/models/models.h"

using namespace Halide;

namespace eutectic::models {

class UnetLevel : public Generator<UnetLevel> {
    using Weights = Input<Buffer<void, 4>>;
    using Bias = Input<Buffer<void, 1>>;

public:
    GeneratorParam<Type> type{"type", Float(32)};
    GeneratorParam<int> batch{"batch", 1};
    GeneratorParam<int> width{"width", 64};    // even
    GeneratorParam<int> height{"height", 64};  // even
    GeneratorParam<int> channels{"channels", 16};

    // All from 0, weights as (channels out, channels in, 3, 3).
    Input<Buffer<void, 4>> x{"x"};                   // (channels, width, height, batch)
    Weights w1{"w1"}, w2{"w2"}, w3{"w3"}, w4{"w4"};  // c to c, c to 2c, 2c to c, 2c to c
    Bias b1{"b1"}, b2{"b2"}, b3{"b3"}, b4{"b4"};
    Output<Buffer<void, 4>> y{"y"};  // (channels, width, height, batch)

    void configure() {
        for (Weights *weights : {&x, &w1, &w2, &w3, &w4}) {
            weights->set_type(type);
        }
        for (Bias *bias : {&b1, &b2, &b3, &b4}) {
            bias->set_type(type);
        }
        y.set_type(type);
    }

    void generate() {
        const Expr columns = x.dim(1).extent(), lines = x.dim(2).extent();
        const Func skip = layer(x, w1, b1, columns, lines, "skip");
        const RDom r(0, 2, 0, 2, "r");
        Func pooled("pooled");
        pooled(c, u, v, n) = type.value().min();
        pooled(c, u, v, n) = max(pooled(c, u, v, n), skip(c, 2 * u + r.x, 2 * v + r.y, n));
        const Func inner = layer(pooled, w2, b2, columns / 2, lines / 2, "inner");
        const Func below = layer(inner, w3, b3, columns / 2, lines / 2, "below");
        Func both("both");
        const Expr end = x.dim(0).extent();
        both(c, u, v, n) =
            select(c < end, skip(min(c, end - 1), u, v, n), below(max(c - end, 0), u / 2, v / 2, n));
        y(c, u, v, n) = layer(both, w4, b4, columns, lines, "last")(c, u, v, n);

        const int k = channels;
        x.set_estimates({{0, k}, {0, width}, {0, height}, {0, batch}});
        w1.set_estimates({{0, k}, {0, k}, {0, 3}, {0, 3}});
        w2.set_estimates({{0, 2 * k}, {0, k}, {0, 3}, {0, 3}});
        w3.set_estimates({{0, k}, {0, 2 * k}, {0, 3}, {0, 3}});
        w4.set_estimates({{0, k}, {0, 2 * k}, {0, 3}, {0, 3}});
        b1.set_estimates({{0, k}});
        b2.set_estimates({{0, 2 * k}});
        b3.set_estimates({{0, k}});
        b4.set_estimates({{0, k}});
        y.set_estimates({{0, k}, {0, width}, {0, height}, {0, batch}});
    }

private:
    /// relu(conv3x3(image) + b) of an image with so many columns and lines.
    Func layer(const Func &image, Weights &w, Bias &b, const Expr &columns, const Expr &lines,
               const std::string &name) {
        const RDom window({{0, w.dim(1).extent()}, {0, 3}, {0, 3}}, "r");
        const Func around = padded(image, {0, columns}, {0, lines}, cast(type, 0));
        Func z("z_" + name), out(name);
        z(c, u, v, n) = conv2d(around, w, window, 1, 1)(c, u, v, n) + b(c);
        out(c, u, v, n) = relu(z(c, u, v, n));
        return out;
    }

    const Var c{"c"}, u{"u"}, v{"v"}, n{"n"};
};

}  // namespace eutectic::models

EUTECTIC_REGISTER_DIFFERENTIABLE(eutectic::models::UnetLevel, unet_level);
