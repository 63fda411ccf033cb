// Sharpening of a photograph: the luma less its blur by a Gaussian of seven taps each way is added to it, and
// the colours follow in proportion. 8 bits a colour, planes one after the other.

#include "generators/images/images.h"

#include <cmath>

using namespace Halide;

namespace eutectic::images {

class Unsharp : public Generator<Unsharp> {
public:
    GeneratorParam<int> width{"width", 1536};
    GeneratorParam<int> height{"height", 1024};
    GeneratorParam<double> sigma{"sigma", 1.5, 0.1, 10};  // of the Gaussian, in pixels

    Input<Buffer<uint8_t, 3>> in{"in"};     // (columns, rows, 3 colours)
    Output<Buffer<uint8_t, 3>> out{"out"};  // (columns, rows, 3 colours)

    void generate() {
        Func level("level");
        level(x, y, c) = cast<float>(BoundaryConditions::repeat_edge(in)(x, y, c));
        const Func gray = luma(level, "gray");
        std::vector<Expr> weights;
        double sum = 0;
        for (int i = -3; i <= 3; i++) {
            sum += std::exp(-i * i / (2.0 * sigma * sigma));
        }
        for (int i = -3; i <= 3; i++) {
            weights.emplace_back(static_cast<float>(std::exp(-i * i / (2.0 * sigma * sigma)) / sum));
        }
        const Func blurred = taps_in_x(taps_in_y(gray, weights, "blur_y"), weights, "blur_x");
        Func sharp("sharp"), ratio("ratio");
        sharp(x, y) = 2.0f * gray(x, y) - blurred(x, y);
        ratio(x, y) = sharp(x, y) / max(gray(x, y), 1.0f);
        out(x, y, c) = to_byte(ratio(x, y) * level(x, y, c));

        in.set_estimates({{0, width}, {0, height}, {0, 3}});
        out.set_estimates({{0, width}, {0, height}, {0, 3}});
    }
};

}  // namespace eutectic::images

HALIDE_REGISTER_GENERATOR(eutectic::images::Unsharp, unsharp)
