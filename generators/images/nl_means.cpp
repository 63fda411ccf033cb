// Denoising by non-local means (Buades, Coll and Morel, CVPR 2005): each pixel becomes the mean of those
// around it, weighted by how much the patches around both look alike.

#include "generators/images/images.h"

using namespace Halide;

namespace eutectic::images {

class NonLocalMeans : public Generator<NonLocalMeans> {
public:
    GeneratorParam<int> width{"width", 768};
    GeneratorParam<int> height{"height", 512};
    GeneratorParam<int> patch{"patch", 5, 1, 31};    // pixels, each way
    GeneratorParam<int> search{"search", 7, 1, 31};  // pixels, each way

    Input<Buffer<float, 3>> in{"in"};     // (columns, rows, 3 colours), 0 to 1
    Input<float> sigma{"sigma"};          // of the noise
    Output<Buffer<float, 3>> out{"out"};  // (columns, rows, 3 colours)

    void generate() {
        Var i("i"), j("j");
        const Func edges = BoundaryConditions::repeat_edge(in);
        const Expr strength = -1.0f / (sigma * sigma * static_cast<float>(patch.value() * patch.value()));
        Func difference("difference"), distance("distance"), in_y("in_y"), patches("patches");
        difference(x, y, i, j, c) = edges(x, y, c) - edges(x + i, y + j, c);
        const RDom colours(0, 3, "colours");
        distance(x, y, i, j) += difference(x, y, i, j, colours) * difference(x, y, i, j, colours);
        const RDom along(-(patch / 2), patch, "along");
        in_y(x, y, i, j) += distance(x, y + along, i, j);
        patches(x, y, i, j) += in_y(x + along, y, i, j);
        Func weight("weight"), sums("sums");
        weight(x, y, i, j) = fast_exp(patches(x, y, i, j) * strength);
        const RDom around(-(search / 2), search, -(search / 2), search, "around");
        const Expr share = weight(x, y, around.x, around.y);
        const Expr source = select(c == 3, 1.0f, edges(x + around.x, y + around.y, min(c, 2)));
        sums(x, y, c) += share * source;
        out(x, y, c) = sums(x, y, c) / sums(x, y, 3);

        in.set_estimates({{0, width}, {0, height}, {0, 3}});
        sigma.set_estimate(0.12f);
        out.set_estimates({{0, width}, {0, height}, {0, 3}});
    }
};

}  // namespace eutectic::images

HALIDE_REGISTER_GENERATOR(eutectic::images::NonLocalMeans, nl_means)
