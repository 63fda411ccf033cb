// An unsharp mask on 8-bit colours: each point is moved away from the mean around it, which is weighted by a
// Gaussian of 5 x 5 points, (1 4 6 4 1)/16 each way. The picture's edge is repeated. All is in integers,
// which do not overflow their 16 bits. No schedule.

#include <Halide.h>

using namespace Halide;

class Sharpen : public Generator<Sharpen> {
public:
    GeneratorParam<int> sixteenths{"sixteenths", 16, 0, 64};  // of the distance to the mean, added to it

    Input<Buffer<uint8_t, 3>> in{"in"};     // columns, rows, 3 colours
    Output<Buffer<uint8_t, 3>> out{"out"};  // columns, rows, 3 colours

    void generate() {
        const Func edges = BoundaryConditions::repeat_edge(
            in, {{in.dim(0).min(), in.dim(0).extent()}, {in.dim(1).min(), in.dim(1).extent()}});
        Func wide("wide"), down("down"), along("along"), mean("mean");
        wide(x, y, c) = cast<uint16_t>(edges(x, y, c));
        down(x, y, c) = weighted(
            {wide(x, y - 2, c), wide(x, y - 1, c), wide(x, y, c), wide(x, y + 1, c), wide(x, y + 2, c)});
        along(x, y, c) = weighted(
            {down(x - 2, y, c), down(x - 1, y, c), down(x, y, c), down(x + 1, y, c), down(x + 2, y, c)});
        mean(x, y, c) = cast<int16_t>((along(x, y, c) + 128) / 256);
        const Expr here = cast<int16_t>(in(x, y, c)), strength = cast<int16_t>(sixteenths);
        out(x, y, c) = cast<uint8_t>(clamp(here + ((here - mean(x, y, c)) * strength + 8) / 16, 0, 255));

        in.set_estimates({{0, 1536}, {0, 1024}, {0, 3}});
        out.set_estimates({{0, 1536}, {0, 1024}, {0, 3}});
        // As files have them: the three colours of a point side by side.
        in.dim(0).set_stride(3);
        in.dim(2).set_stride(1).set_bounds(0, 3);
        out.dim(0).set_stride(3);
        out.dim(2).set_stride(1).set_bounds(0, 3);
    }

private:
    Var x{"x"}, y{"y"}, c{"c"};

    /// At most 16 times the largest of the five.
    static Expr weighted(const std::vector<Expr> &taps) {
        return taps[0] + taps[4] + (taps[1] + taps[3]) * 4 + taps[2] * 6;
    }
};
HALIDE_REGISTER_GENERATOR(Sharpen, sharpen)
