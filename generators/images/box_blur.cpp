// The mean of the (2 radius + 1)^2 points around each by sums that run along: prefix sums of rows, then of
// columns, so that the cost does not depend on the radius. 8 bits, planes one after the other; the edge is
// repeated.

#include "generators/images/images.h"

using namespace Halide;

namespace eutectic::images {

class BoxBlur : public Generator<BoxBlur> {
public:
    GeneratorParam<int> width{"width", 1536};
    GeneratorParam<int> height{"height", 1024};
    GeneratorParam<int> radius{"radius", 8, 0, 100};

    Input<Buffer<uint8_t, 3>> in{"in"};     // (columns, rows, 3 colours)
    Output<Buffer<uint8_t, 3>> out{"out"};  // (columns, rows, 3 colours)

    void generate() {
        const Func edges = BoundaryConditions::repeat_edge(in);
        const int reach = radius, points = 2 * reach + 1;
        // Sums of the points -reach … i of a row, and of rows of those.
        Func along_x("along_x"), blur_x("blur_x"), along_y("along_y");
        const RDom columns(-reach, in.dim(0).extent() + 2 * reach, "columns"),
            rows(-reach, in.dim(1).extent() + 2 * reach, "rows");
        along_x(x, y, c) = cast<uint32_t>(0);
        along_x(columns, y, c) = along_x(columns - 1, y, c) + cast<uint32_t>(edges(columns, y, c));
        blur_x(x, y, c) = along_x(x + reach, y, c) - along_x(x - reach - 1, y, c);
        along_y(x, y, c) = cast<uint32_t>(0);
        along_y(x, rows, c) = along_y(x, rows - 1, c) + blur_x(x, rows, c);
        const Expr sum = along_y(x, y + reach, c) - along_y(x, y - reach - 1, c);
        out(x, y, c) = cast<uint8_t>((sum + points * points / 2) / cast<uint32_t>(points * points));

        in.set_estimates({{0, width}, {0, height}, {0, 3}});
        out.set_estimates({{0, width}, {0, height}, {0, 3}});
    }
};

}  // namespace eutectic::images

HALIDE_REGISTER_GENERATOR(eutectic::images::BoxBlur, box_blur)
