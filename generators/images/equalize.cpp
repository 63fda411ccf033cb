// Histogram equalization: each of the 256 levels becomes the share of the image's pixels that are no
// brighter.

#include "generators/images/images.h"

using namespace Halide;

namespace eutectic::images {

class Equalize : public Generator<Equalize> {
public:
    GeneratorParam<int> width{"width", 1536};
    GeneratorParam<int> height{"height", 1024};

    Input<Buffer<uint8_t, 2>> in{"in"};     // (columns, rows): fewer than 2^31 pixels
    Output<Buffer<uint8_t, 2>> out{"out"};  // (columns, rows)

    void generate() {
        Func count("count"), up_to("up_to");
        const RDom pixels(in.dim(0).min(), in.dim(0).extent(), in.dim(1).min(), in.dim(1).extent(), "pixels");
        const RDom levels(1, 255, "levels");
        Var level("level");
        count(level) = 0;
        count(in(pixels.x, pixels.y)) += 1;
        up_to(level) = count(0);
        up_to(levels) = up_to(levels - 1) + count(levels);
        const Expr share =
            cast<float>(up_to(in(x, y))) / cast<float>(in.dim(0).extent() * in.dim(1).extent());
        out(x, y) = to_byte(255.0f * share);

        in.set_estimates({{0, width}, {0, height}});
        out.set_estimates({{0, width}, {0, height}});
    }
};

}  // namespace eutectic::images

HALIDE_REGISTER_GENERATOR(eutectic::images::Equalize, equalize)
