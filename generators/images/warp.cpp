// A lens corrected: each pixel reads the image at a place that is scaled about the centre by 1 + k r^2,
// between four pixels. Places are clamped to the image.

#include "generators/images/images.h"

using namespace Halide;

namespace eutectic::images {

class Warp : public Generator<Warp> {
public:
    GeneratorParam<int> width{"width", 1536};
    GeneratorParam<int> height{"height", 1024};

    Input<Buffer<float, 3>> in{"in"};       // (columns, rows, 3 colours)
    Input<float> distortion{"distortion"};  // k, of a radius of half the width: -0.5 to 0.5
    Output<Buffer<float, 3>> out{"out"};    // (columns, rows, 3 colours)

    void generate() {
        const Expr columns = in.dim(0).extent(), rows = in.dim(1).extent(),
                   half = 0.5f * cast<float>(columns);
        const Expr dx = (x + 0.5f) / half - 1.0f, dy = (y + 0.5f - 0.5f * cast<float>(rows)) / half;
        Func place("place");
        const Expr factor = 1.0f + distortion * (dx * dx + dy * dy);
        place(x, y) =
            Tuple(clamp((dx * factor + 1.0f) * half - 0.5f, 0.0f, cast<float>(columns - 1)),
                  clamp(dy * factor * half + 0.5f * cast<float>(rows) - 0.5f, 0.0f, cast<float>(rows - 1)));
        const Expr u = place(x, y)[0], v = place(x, y)[1];
        const Expr column = clamp(cast<int>(u), 0, columns - 1), row = clamp(cast<int>(v), 0, rows - 1);
        const Expr right = min(column + 1, columns - 1), below = min(row + 1, rows - 1);
        const Expr fx = u - cast<float>(column), fy = v - cast<float>(row);
        out(x, y, c) = lerp(lerp(in(column, row, c), in(right, row, c), fx),
                            lerp(in(column, below, c), in(right, below, c), fx), fy);

        in.set_estimates({{0, width}, {0, height}, {0, 3}});
        distortion.set_estimate(-0.1f);
        out.set_estimates({{0, width}, {0, height}, {0, 3}});
    }
};

}  // namespace eutectic::images

HALIDE_REGISTER_GENERATOR(eutectic::images::Warp, warp)
