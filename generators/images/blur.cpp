// out = the mean of the 3 x 3 points around each, first along rows, then down columns: 16-bit unsigned, each
// quotient rounded down. The image's edge is repeated.

#include "generators/images/images.h"

using namespace Halide;

namespace eutectic::images {

class Blur : public Generator<Blur> {
public:
    GeneratorParam<int> width{"width", 1536};
    GeneratorParam<int> height{"height", 1024};

    Input<Buffer<uint16_t, 2>> in{"in"};     // (columns, rows); sums of three values must fit 16 bits
    Output<Buffer<uint16_t, 2>> out{"out"};  // (columns, rows)

    void generate() {
        const Func edges = BoundaryConditions::repeat_edge(in);
        Func in_x("blur_x");
        in_x(x, y) = (edges(x - 1, y) + edges(x, y) + edges(x + 1, y)) / 3;
        out(x, y) = (in_x(x, y - 1) + in_x(x, y) + in_x(x, y + 1)) / 3;

        in.set_estimates({{0, width}, {0, height}});
        out.set_estimates({{0, width}, {0, height}});
    }
};

}  // namespace eutectic::images

HALIDE_REGISTER_GENERATOR(eutectic::images::Blur, blur)
