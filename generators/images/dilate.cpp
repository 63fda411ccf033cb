// Dilation by a disc: the brightest pixel within `radius` of each. Runs of a row are maxima over twice as
// long ones; each row of the disc takes two that overlap.

#include "generators/images/images.h"

#include <cmath>

using namespace Halide;

namespace eutectic::images {

class Dilate : public Generator<Dilate> {
public:
    GeneratorParam<int> width{"width", 1536};
    GeneratorParam<int> height{"height", 1024};
    GeneratorParam<int> radius{"radius", 5, 0, 64};  // pixels

    Input<Buffer<uint8_t, 2>> in{"in"};     // (columns, rows)
    Output<Buffer<uint8_t, 2>> out{"out"};  // (columns, rows)

    void generate() {
        const int reach = radius;
        // runs[n](x, y): the maximum of the 2^n pixels from x on.
        std::vector<Func> runs = {BoundaryConditions::repeat_edge(in)};
        for (int length = 1; 2 * length <= 2 * reach + 1; length *= 2) {
            Func longer("run" + std::to_string(2 * length) + "_");
            longer(x, y) = max(runs.back()(x, y), runs.back()(x + length, y));
            runs.push_back(longer);
        }
        Expr brightest;
        for (int dy = -reach; dy <= reach; dy++) {
            const int half = static_cast<int>(std::sqrt(reach * reach - dy * dy)), length = 2 * half + 1;
            const int level = static_cast<int>(std::log2(length));
            const Func &run = runs[static_cast<size_t>(level)];
            const Expr row = max(run(x - half, y + dy), run(x + half + 1 - (1 << level), y + dy));
            brightest = brightest.defined() ? max(brightest, row) : row;
        }
        out(x, y) = brightest;

        in.set_estimates({{0, width}, {0, height}});
        out.set_estimates({{0, width}, {0, height}});
    }
};

}  // namespace eutectic::images

HALIDE_REGISTER_GENERATOR(eutectic::images::Dilate, dilate)
