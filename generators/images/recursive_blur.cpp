// A blur by a filter of second order that runs over the image in four directions, as wide as one likes at the
// same cost (Young and van Vliet, "Recursive implementation of the Gaussian filter", 1995, with two poles):
// rows forth and back, then columns down and up.

#include "generators/images/images.h"

using namespace Halide;

namespace eutectic::images {

class RecursiveBlur : public Generator<RecursiveBlur> {
public:
    GeneratorParam<int> width{"width", 1536};
    GeneratorParam<int> height{"height", 1024};

    Input<Buffer<float, 2>> in{"in"};     // (columns, rows)
    Input<float> pole{"pole"};            // of the filter, twice: 0 (no blur) to less than 1
    Output<Buffer<float, 2>> out{"out"};  // (columns, rows)

    void generate() {
        const Func rows = both_ways(Func(in), in.dim(0).extent(), 0, "rows");
        const Func columns = both_ways(rows, in.dim(1).extent(), 1, "columns");
        out(x, y) = columns(x, y);

        in.set_estimates({{0, width}, {0, height}});
        pole.set_estimate(0.8f);
        out.set_estimates({{0, width}, {0, height}});
    }

private:
    /// g[i] = (1 - p)^2 f[i] + 2 p g[i - 1] - p^2 g[i - 2], forth and back over `extent` points of dimension
    /// `d`, as if the points before the first and beyond the last were as the ends are.
    Func both_ways(const Func &f, const Expr &extent, int d, const std::string &name) {
        Func g(name);
        const auto at = [&](const Expr &i) { return d == 0 ? g(i, y) : g(x, i); };
        const Expr gain = (1.0f - pole) * (1.0f - pole), first = 2.0f * pole, second = -pole * pole;
        g(x, y) = f(x, y);
        const RDom r(1, max(extent - 1, 0), name + "_r");
        at(r) = gain * at(r) + first * at(r - 1) + second * at(max(r - 2, 0));
        const Expr i = extent - 1 - r;
        at(i) = gain * at(i) + first * at(i + 1) + second * at(min(i + 2, extent - 1));
        return g;
    }
};

}  // namespace eutectic::images

HALIDE_REGISTER_GENERATOR(eutectic::images::RecursiveBlur, recursive_blur)
