// Which of some centres is nearest to each point, and how far: no schedule, only the sizes to expect.

#include <Halide.h>

using namespace Halide;

class Nearest : public Generator<Nearest> {
public:
    Input<Buffer<float, 2>> points{"points"};       // coordinates, points
    Input<Buffer<float, 2>> centres{"centres"};     // coordinates, centres
    Output<Buffer<int32_t, 1>> which{"which"};      // points
    Output<Buffer<float, 1>> distance{"distance"};  // points

    void generate() {
        Var j("j"), i("i");
        RDom k(0, points.dim(0).extent(), "k"), c(0, centres.dim(1).extent(), "c");
        Func squares("squares"), best("best");
        const Expr off = points(k, i) - centres(k, j);
        squares(j, i) += off * off;
        best(i) = {0, Float(32).max()};
        const Expr closer = squares(c, i) < best(i)[1];
        best(i) = {select(closer, c, best(i)[0]), select(closer, squares(c, i), best(i)[1])};
        which(i) = best(i)[0];
        distance(i) = sqrt(best(i)[1]);

        points.set_estimates({{0, 16}, {0, 20000}});
        centres.set_estimates({{0, 16}, {0, 32}});
        which.set_estimates({{0, 20000}});
        distance.set_estimates({{0, 20000}});
    }
};
HALIDE_REGISTER_GENERATOR(Nearest, nearest)
