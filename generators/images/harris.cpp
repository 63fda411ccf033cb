// Corners by Harris and Stephens ("A combined corner and edge detector", 1988): out = det(A) - 0.04
// trace(A)^2, A the products of the luma's Sobel derivatives, summed over 3 x 3 points. Where it is large,
// there is a corner.

#include "generators/images/images.h"

using namespace Halide;

namespace eutectic::images {

class Harris : public Generator<Harris> {
public:
    GeneratorParam<int> width{"width", 1536};
    GeneratorParam<int> height{"height", 1024};

    Input<Buffer<float, 3>> in{"in"};     // (columns, rows, 3 colours), 0 to 1
    Output<Buffer<float, 2>> out{"out"};  // (columns, rows)

    void generate() {
        const Func edges = BoundaryConditions::repeat_edge(in);
        const Func gray = luma(edges, "gray");
        Func d_x("d_x"), d_y("d_y");
        d_x(x, y) = (gray(x + 1, y - 1) - gray(x - 1, y - 1) + 2.0f * (gray(x + 1, y) - gray(x - 1, y)) +
                     gray(x + 1, y + 1) - gray(x - 1, y + 1)) /
                    12.0f;
        d_y(x, y) = (gray(x - 1, y + 1) - gray(x - 1, y - 1) + 2.0f * (gray(x, y + 1) - gray(x, y - 1)) +
                     gray(x + 1, y + 1) - gray(x + 1, y - 1)) /
                    12.0f;
        const Func xx = summed(d_x, d_x, "xx"), xy = summed(d_x, d_y, "xy"), yy = summed(d_y, d_y, "yy");
        const Expr determinant = xx(x, y) * yy(x, y) - xy(x, y) * xy(x, y), trace = xx(x, y) + yy(x, y);
        out(x, y) = determinant - 0.04f * trace * trace;

        in.set_estimates({{0, width}, {0, height}, {0, 3}});
        out.set_estimates({{0, width}, {0, height}});
    }

private:
    /// a b, summed over the 3 x 3 points around each.
    static Func summed(const Func &a, const Func &b, const std::string &name) {
        Func product("product_" + name), sum("sum_" + name);
        product(x, y) = a(x, y) * b(x, y);
        Expr all = 0.0f;
        for (int j = -1; j <= 1; j++) {
            for (int i = -1; i <= 1; i++) {
                all += product(x + i, y + j);
            }
        }
        sum(x, y) = all;
        return sum;
    }
};

}  // namespace eutectic::images

HALIDE_REGISTER_GENERATOR(eutectic::images::Harris, harris)
