// A blur that keeps edges (Tomasi and Manduchi, "Bilateral filtering for gray and color images", 1998): each
// pixel is the mean of those around it, weighted by how near and how like it they are. The edge is repeated
// outside of the image.

#include "autodiff/register.h"
#include "generators/models/models.h"

using namespace Halide;

namespace eutectic::models {

class BilateralFilter : public Generator<BilateralFilter> {
public:
    GeneratorParam<Type> type{"type", Float(32)};
    GeneratorParam<int> width{"width", 256};
    GeneratorParam<int> height{"height", 256};
    GeneratorParam<int> radius{"radius", 2, 1, 32};
    GeneratorParam<float> near{"near", 1.5f};  // standard deviation of the distance, in pixels
    GeneratorParam<float> like{"like", 0.2f};  // and of the difference of brightness

    Input<Buffer<void, 2>> x{"x"};   // (width, height)
    Output<Buffer<void, 2>> y{"y"};  // (width, height)

    void configure() {
        x.set_type(type);
        y.set_type(type);
    }

    void generate() {
        const Var u("u"), v("v");
        const int size = 2 * int(radius) + 1;
        const RDom r(-int(radius), size, -int(radius), size, "r");
        const Func image = BoundaryConditions::repeat_edge(x);
        const auto scale = [&](float deviation) {
            return cast(type, Expr(-0.5 / (static_cast<double>(deviation) * static_cast<double>(deviation))));
        };
        const Expr other = image(u + r.x, v + r.y), difference = other - image(u, v);
        const Expr squared = cast(type, r.x * r.x + r.y * r.y);
        const Expr weight = exp(squared * scale(near) + difference * difference * scale(like));
        Func sum("sum"), total("total");
        sum(u, v) = cast(type, 0);
        sum(u, v) += weight * other;
        total(u, v) = cast(type, 0);
        total(u, v) += weight;
        y(u, v) = sum(u, v) / total(u, v);

        x.set_estimates({{0, width}, {0, height}});
        y.set_estimates({{0, width}, {0, height}});
    }
};

}  // namespace eutectic::models

EUTECTIC_REGISTER_DIFFERENTIABLE(eutectic::models::BilateralFilter, bilateral_filter);
