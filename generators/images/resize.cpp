// Resampling by a cubic (Keys, "Cubic convolution interpolation for digital image processing", 1981, a =
// -1/2), wider where the image becomes smaller. Weights are computed in the pipeline, once for each column
// and row.

#include "generators/images/images.h"

#include <cmath>

using namespace Halide;

namespace eutectic::images {

class Resize : public Generator<Resize> {
public:
    GeneratorParam<int> width{"width", 1536};  // of the input
    GeneratorParam<int> height{"height", 1024};
    GeneratorParam<double> scale{"scale", 0.5, 0.05, 20};  // of the output to the input

    Input<Buffer<float, 3>> in{"in"};     // (columns, rows, 3 colours)
    Output<Buffer<float, 3>> out{"out"};  // (columns, rows, 3 colours)

    void generate() {
        const Func edges = BoundaryConditions::repeat_edge(in);
        // Of a kernel of two points to either side, as wide as a point of the smaller of the two images.
        const double reach = 2 / std::min(1.0, scale.value());
        taps_ = static_cast<int>(std::ceil(2 * reach));
        const RDom r(0, taps_, "r");
        const Func weight_x = weights(x, "weight_x"), weight_y = weights(y, "weight_y");
        Func in_y("resized_y"), in_x("resized_x");
        in_y(x, y, c) += weight_y(r, y) * edges(x, first(y) + r, c);
        in_x(x, y, c) += weight_x(r, x) * in_y(first(x) + r, y, c);
        out(x, y, c) = clamp(in_x(x, y, c), 0.0f, 1.0f);

        in.set_estimates({{0, width}, {0, height}, {0, 3}});
        out.set_estimates({{0, static_cast<int>(width.value() * scale.value())},
                           {0, static_cast<int>(height.value() * scale.value())},
                           {0, 3}});
    }

private:
    int taps_ = 0;

    /// Where the output's point `v` lies in the input.
    Expr place(const Expr &v) const {
        return (v + 0.5f) / static_cast<float>(scale.value()) - 0.5f;
    }
    /// The first of the input's points that it takes.
    Expr first(const Expr &v) const {
        return cast<int>(ceil(place(v) - static_cast<float>(2 / std::min(1.0, scale.value()))));
    }
    static Expr cubic(const Expr &distance) {
        const Expr d = abs(distance);
        return select(d < 1.0f, (1.5f * d - 2.5f) * d * d + 1.0f, d < 2.0f,
                      ((-0.5f * d + 2.5f) * d - 4.0f) * d + 2.0f, 0.0f);
    }
    /// (k, v): the share of the k-th point in the output's point v; they add up to 1.
    Func weights(const Var &v, const std::string &name) const {
        Var k("k");
        const RDom all(0, taps_, "all");
        Func raw(name + "_raw"), sum(name + "_sum"), share(name);
        const auto narrowed = static_cast<float>(std::min(1.0, scale.value()));
        raw(k, v) = cubic((place(v) - cast<float>(first(v) + k)) * narrowed);
        sum(v) += raw(all, v);
        share(k, v) = raw(k, v) / sum(v);
        return share;
    }
};

}  // namespace eutectic::images

HALIDE_REGISTER_GENERATOR(eutectic::images::Resize, resize)
