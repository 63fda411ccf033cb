// out = the median of the 3 x 3 points around each, which takes single wrong pixels away: columns of three
// are sorted, and the median is that of the largest of the smallest, the median of the middle ones and the
// smallest of the largest. 8 bits, the image's edge is mirrored.

#include "generators/images/images.h"

using namespace Halide;

namespace eutectic::images {

class Median : public Generator<Median> {
public:
    GeneratorParam<int> width{"width", 1536};
    GeneratorParam<int> height{"height", 1024};

    Input<Buffer<uint8_t, 2>> in{"in"};     // (columns, rows)
    Output<Buffer<uint8_t, 2>> out{"out"};  // (columns, rows)

    void generate() {
        const Func edges = BoundaryConditions::mirror_image(in);
        const Expr above = edges(x, y - 1), here = edges(x, y), below = edges(x, y + 1);
        Func low("low"), middle("middle"), high("high");
        low(x, y) = min(above, here, below);
        middle(x, y) = middle_of(above, here, below);
        high(x, y) = max(above, here, below);
        out(x, y) = middle_of(max(low(x - 1, y), low(x, y), low(x + 1, y)),
                              middle_of(middle(x - 1, y), middle(x, y), middle(x + 1, y)),
                              min(high(x - 1, y), high(x, y), high(x + 1, y)));

        in.set_estimates({{0, width}, {0, height}});
        out.set_estimates({{0, width}, {0, height}});
    }

private:
    static Expr middle_of(const Expr &a, const Expr &b, const Expr &d) {
        return max(min(a, b), min(max(a, b), d));
    }
};

}  // namespace eutectic::images

HALIDE_REGISTER_GENERATOR(eutectic::images::Median, median)
