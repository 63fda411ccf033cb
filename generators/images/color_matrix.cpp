// Colours by a 3 x 3 matrix with 8 fractional bits and an offset, of an 8-bit image whose channels lie side
// by side, as files and cameras have them: (colours, columns, rows).

#include "generators/images/images.h"

using namespace Halide;

namespace eutectic::images {

class ColorMatrix : public Generator<ColorMatrix> {
public:
    GeneratorParam<int> width{"width", 1536};
    GeneratorParam<int> height{"height", 1024};

    Input<Buffer<uint8_t, 3>> in{"in"};          // (3 colours, columns, rows)
    Input<Buffer<int16_t, 2>> matrix{"matrix"};  // (3 of the input and the offset, 3 of the output), 256 is 1
    Output<Buffer<uint8_t, 3>> out{"out"};       // (3 colours, columns, rows)

    void generate() {
        const auto term = [&](int i) { return cast<int32_t>(matrix(i, c)) * cast<int32_t>(in(i, x, y)); };
        const Expr sum = term(0) + term(1) + term(2) + cast<int32_t>(matrix(3, c)) * 256;
        out(c, x, y) = cast<uint8_t>(clamp((sum + 128) >> 8, 0, 255));

        in.set_estimates({{0, 3}, {0, width}, {0, height}});
        matrix.set_estimates({{0, 4}, {0, 3}});
        out.set_estimates({{0, 3}, {0, width}, {0, height}});
    }
};

}  // namespace eutectic::images

HALIDE_REGISTER_GENERATOR(eutectic::images::ColorMatrix, color_matrix)
