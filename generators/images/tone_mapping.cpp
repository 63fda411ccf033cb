// Local tone mapping by a Laplacian pyramid: each level of detail of the luma's logarithm is kept, the
// coarsest one is compressed, so that dark parts and bright ones fit a display and edges stay. Float colours,
// planes one after the other.

#include "generators/images/images.h"

using namespace Halide;

namespace eutectic::images {

class ToneMapping : public Generator<ToneMapping> {
public:
    GeneratorParam<int> width{"width", 1536};
    GeneratorParam<int> height{"height", 1024};
    GeneratorParam<int> levels{"levels", 5, 2, 12};

    Input<Buffer<float, 3>> in{"in"};  // (columns, rows, 3 colours), linear light, > 0 where there is any
    Input<float> compression{"compression"};  // of the coarsest level, 0 to 1: 1 leaves it as it is
    Output<Buffer<float, 3>> out{"out"};      // (columns, rows, 3 colours)

    void generate() {
        const Func edges = BoundaryConditions::repeat_edge(in);
        const Func gray = luma(edges, "gray");
        const Expr dark = 1.0f / 1024;
        Func tone("tone");
        tone(x, y) = fast_log(gray(x, y) + dark);
        std::vector<Func> details =
            laplacian_pyramid(gaussian_pyramid(tone, levels, "gaussian"), "laplacian");
        Func compressed("compressed");
        compressed(x, y) = details.back()(x, y) * compression;
        details.back() = compressed;
        const Func mapped = collapsed(details, "mapped");
        out(x, y, c) = edges(x, y, c) * fast_exp(mapped(x, y) - tone(x, y));

        in.set_estimates({{0, width}, {0, height}, {0, 3}});
        compression.set_estimate(0.5f);
        out.set_estimates({{0, width}, {0, height}, {0, 3}});
    }
};

}  // namespace eutectic::images

HALIDE_REGISTER_GENERATOR(eutectic::images::ToneMapping, tone_mapping)
