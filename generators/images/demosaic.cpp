// Colours of a raw image, of which each site has one: red and green in even rows, green and blue in odd ones
// (RGGB). What is missing is the mean of its nearest neighbours (bilinear demosaicking), chosen by whether
// the column and the row are even.

#include "generators/images/images.h"

using namespace Halide;

namespace eutectic::images {

class Demosaic : public Generator<Demosaic> {
public:
    GeneratorParam<int> width{"width", 1536};
    GeneratorParam<int> height{"height", 1024};

    Input<Buffer<uint16_t, 2>> raw{"raw"};   // (columns, rows)
    Output<Buffer<uint16_t, 3>> out{"out"};  // (columns, rows, 3 colours)

    void generate() {
        // Mirrored, a neighbour has the colour that it would have beyond the border.
        const Func site = BoundaryConditions::mirror_interior(raw);
        const auto at = [&](int dx, int dy) { return cast<uint32_t>(site(x + dx, y + dy)); };
        const auto mean = [](const std::vector<Expr> &of) {
            Expr sum = cast<uint32_t>(static_cast<int>(of.size()) / 2);
            for (const Expr &e : of) {
                sum += e;
            }
            return cast<uint16_t>(sum / static_cast<int>(of.size()));
        };
        const Expr own = cast<uint16_t>(at(0, 0));
        const Expr in_row = mean({at(-1, 0), at(1, 0)}), in_column = mean({at(0, -1), at(0, 1)});
        const Expr beside = mean({at(-1, 0), at(1, 0), at(0, -1), at(0, 1)});
        const Expr across = mean({at(-1, -1), at(1, -1), at(-1, 1), at(1, 1)});
        const Expr even_x = x % 2 == 0, even_y = y % 2 == 0;
        const auto by_site = [&](const Expr &red, const Expr &green_of_red, const Expr &green_of_blue,
                                 const Expr &blue) {
            return select(even_y, select(even_x, red, green_of_red), select(even_x, green_of_blue, blue));
        };
        out(x, y, c) = mux(c, {by_site(own, in_row, in_column, across), by_site(beside, own, own, beside),
                               by_site(across, in_column, in_row, own)});

        raw.set_estimates({{0, width}, {0, height}});
        out.set_estimates({{0, width}, {0, height}, {0, 3}});
    }
};

}  // namespace eutectic::images

HALIDE_REGISTER_GENERATOR(eutectic::images::Demosaic, demosaic)
