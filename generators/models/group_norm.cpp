// y = (x - mean) / sqrt(variance + epsilon) * scale + bias of images, mean and variance over a group of
// channels of one image (Wu and He, "Group normalization", arXiv:1803.08494).

#include "autodiff/register.h"
#include "generators/models/models.h"

using namespace Halide;

namespace eutectic::models {

class GroupNorm : public Generator<GroupNorm> {
public:
    GeneratorParam<Type> type{"type", Float(32)};
    GeneratorParam<int> batch{"batch", 8};
    GeneratorParam<int> width{"width", 32};
    GeneratorParam<int> height{"height", 32};
    GeneratorParam<int> channels{"channels", 64};
    GeneratorParam<int> group{"group", 8, 1, 1 << 20};  // channels of a group
    GeneratorParam<float> epsilon{"epsilon", 1e-5f};

    Input<Buffer<void, 4>> x{"x"};          // (channels, width, height, batch)
    Input<Buffer<void, 1>> scale{"scale"};  // (channels)
    Input<Buffer<void, 1>> bias{"bias"};    // (channels)
    Output<Buffer<void, 4>> y{"y"};         // (channels, width, height, batch)

    void configure() {
        x.set_type(type);
        scale.set_type(type);
        bias.set_type(type);
        y.set_type(type);
    }

    void generate() {
        const Var c("c"), u("u"), v("v"), n("n"), g("g");
        const Expr first = x.dim(0).min(), zero = cast(type, 0);
        const RDom r({{0, group}, {x.dim(1).min(), x.dim(1).extent()}, {x.dim(2).min(), x.dim(2).extent()}},
                     "r");
        const Expr count = cast(type, int(group) * x.dim(1).extent() * x.dim(2).extent());
        Func sum("sum"), mean("mean"), square_sum("square_sum"), inverse("inverse_deviation");
        sum(g, n) = zero;
        sum(g, n) += x(first + g * group + r.x, r.y, r.z, n);
        mean(g, n) = sum(g, n) / count;
        const Expr centred = x(first + g * group + r.x, r.y, r.z, n) - mean(g, n);
        square_sum(g, n) = zero;
        square_sum(g, n) += centred * centred;
        inverse(g, n) = cast(type, 1) / sqrt(square_sum(g, n) / count + cast(type, epsilon));
        const Expr of = (c - first) / group;
        y(c, u, v, n) = (x(c, u, v, n) - mean(of, n)) * inverse(of, n) * scale(c) + bias(c);

        x.set_estimates({{0, channels}, {0, width}, {0, height}, {0, batch}});
        scale.set_estimates({{0, channels}});
        bias.set_estimates({{0, channels}});
        y.set_estimates({{0, channels}, {0, width}, {0, height}, {0, batch}});
    }
};

}  // namespace eutectic::models

EUTECTIC_REGISTER_DIFFERENTIABLE(eutectic::models::GroupNorm, group_norm);
