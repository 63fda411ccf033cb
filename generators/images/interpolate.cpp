// What is not there is filled from what is around it, by pull and push: colours times their alpha are added
// up level by level, and come back up to where alpha is too small.

#include "generators/images/images.h"

using namespace Halide;

namespace eutectic::images {

class Interpolate : public Generator<Interpolate> {
public:
    GeneratorParam<int> width{"width", 1536};
    GeneratorParam<int> height{"height", 1024};
    GeneratorParam<int> levels{"levels", 6, 2, 12};

    Input<Buffer<float, 3>> in{"in"};     // (columns, rows, 3 colours and alpha, 0 to 1)
    Output<Buffer<float, 3>> out{"out"};  // (columns, rows, 3 colours)

    void generate() {
        const Func edges = BoundaryConditions::repeat_edge(in);
        Func weighted("weighted");
        weighted(x, y, c) = select(c < 3, edges(x, y, c) * edges(x, y, 3), edges(x, y, 3));
        const std::vector<Func> down = gaussian_pyramid(weighted, levels, "pulled");
        Func filled = down.back();
        for (size_t level = down.size() - 1; level-- > 0;) {
            const Func coarse = upsampled(filled, "larger" + std::to_string(level) + "_");
            Func pushed("pushed" + std::to_string(level) + "_");
            pushed(x, y, c) = down[level](x, y, c) + (1.0f - down[level](x, y, 3)) * coarse(x, y, c);
            filled = pushed;
        }
        out(x, y, c) = filled(x, y, c) / max(filled(x, y, 3), 1e-6f);

        in.set_estimates({{0, width}, {0, height}, {0, 4}});
        out.set_estimates({{0, width}, {0, height}, {0, 3}});
    }
};

}  // namespace eutectic::images

HALIDE_REGISTER_GENERATOR(eutectic::images::Interpolate, interpolate)
