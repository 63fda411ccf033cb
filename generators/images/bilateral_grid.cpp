// A blur that keeps edges (Chen, Paris and Durand, "Real-time edge-aware image processing with the bilateral
// grid", SIGGRAPH 2007): pixels are gathered in cells of 8 x 8 places and some levels of brightness, the
// cells are blurred, and each pixel reads the grid where it lies, by place and brightness.

#include "generators/images/images.h"

using namespace Halide;

namespace eutectic::images {

class BilateralGrid : public Generator<BilateralGrid> {
public:
    GeneratorParam<int> width{"width", 1536};
    GeneratorParam<int> height{"height", 1024};
    GeneratorParam<int> cell{"cell", 8, 2, 64};  // pixels of a cell, each way

    Input<Buffer<float, 2>> in{"in"};     // (columns, rows), 0 to 1
    Input<float> range{"range"};          // of brightness in a cell, 0.05 to 1
    Output<Buffer<float, 2>> out{"out"};  // (columns, rows)

    void generate() {
        Var z("z"), k("k");
        const Func edges = BoundaryConditions::repeat_edge(in);
        const RDom r(0, cell, 0, cell, "r");
        const Expr value = clamp(edges(x * cell + r.x - cell / 2, y * cell + r.y - cell / 2), 0.0f, 1.0f);
        // The sums of values, and how many there are.
        Func grid("grid");
        grid(x, y, z, k) = 0.0f;
        grid(x, y, cast<int>(value / range + 0.5f), k) += select(k == 0, value, 1.0f);

        const Func blurred = blur_in(blur_in(blur_in(grid, 2, "blur_z"), 0, "blur_x"), 1, "blur_y");
        const Expr level = clamp(edges(x, y), 0.0f, 1.0f) / range, at = floor(level), fraction = level - at;
        const Expr zi = cast<int>(at), xi = x / cell, yi = y / cell;
        const Expr xf = cast<float>(x % cell) / cell, yf = cast<float>(y % cell) / cell;
        Func sampled("sampled");
        const auto plane = [&](const Expr &at_z) {
            return lerp(lerp(blurred(xi, yi, at_z, k), blurred(xi + 1, yi, at_z, k), xf),
                        lerp(blurred(xi, yi + 1, at_z, k), blurred(xi + 1, yi + 1, at_z, k), xf), yf);
        };
        sampled(x, y, k) = lerp(plane(zi), plane(zi + 1), fraction);
        out(x, y) = sampled(x, y, 0) / sampled(x, y, 1);

        in.set_estimates({{0, width}, {0, height}});
        range.set_estimate(0.1f);
        out.set_estimates({{0, width}, {0, height}});
    }

private:
    /// (1 4 6 4 1) along dimension `d` of four.
    static Func blur_in(const Func &f, size_t d, const std::string &name) {
        Func out(name);
        const std::vector<Var> all = {x, y, Var("z"), Var("k")};
        const auto tap = [&](int by) {
            std::vector<Expr> at(all.begin(), all.end());
            at[d] = at[d] + by;
            return f(at);
        };
        out(all) = tap(-2) + 4.0f * tap(-1) + 6.0f * tap(0) + 4.0f * tap(1) + tap(2);
        return out;
    }
};

}  // namespace eutectic::images

HALIDE_REGISTER_GENERATOR(eutectic::images::BilateralGrid, bilateral_grid)
