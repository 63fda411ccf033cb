// Two images blended under a mask, each level of detail of their Laplacian pyramids by itself, with a mask
// that is as smooth as the level is coarse (Burt and Adelson, "A multiresolution spline with application to
// image mosaics", 1983).

#include "generators/images/images.h"

using namespace Halide;

namespace eutectic::images {

class PyramidBlend : public Generator<PyramidBlend> {
public:
    GeneratorParam<int> width{"width", 1536};
    GeneratorParam<int> height{"height", 1024};
    GeneratorParam<int> levels{"levels", 6, 2, 12};

    Input<Buffer<float, 2>> a{"a"}, b{"b"};  // (columns, rows)
    Input<Buffer<float, 2>> mask{"mask"};    // (columns, rows): the share of a, 0 to 1
    Output<Buffer<float, 2>> out{"out"};     // (columns, rows)

    void generate() {
        const std::vector<Func> first = details(BoundaryConditions::repeat_edge(a), "a"),
                                second = details(BoundaryConditions::repeat_edge(b), "b"),
                                share =
                                    gaussian_pyramid(BoundaryConditions::repeat_edge(mask), levels, "mask");
        std::vector<Func> blended;
        for (size_t level = 0; level < share.size(); level++) {
            Func blend("blend" + std::to_string(level) + "_");
            blend(x, y) =
                share[level](x, y) * first[level](x, y) + (1.0f - share[level](x, y)) * second[level](x, y);
            blended.push_back(blend);
        }
        out(x, y) = collapsed(blended, "collapsed")(x, y);

        for (Input<Buffer<float, 2>> *in : {&a, &b, &mask}) {
            in->set_estimates({{0, width}, {0, height}});
        }
        out.set_estimates({{0, width}, {0, height}});
    }

private:
    std::vector<Func> details(const Func &f, const std::string &name) const {
        return laplacian_pyramid(gaussian_pyramid(f, levels, "gaussian_" + name), "laplacian_" + name);
    }
};

}  // namespace eutectic::images

HALIDE_REGISTER_GENERATOR(eutectic::images::PyramidBlend, pyramid_blend)
