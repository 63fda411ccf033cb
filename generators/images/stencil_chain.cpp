// `stages` square stencils one after the other, `size` x `size` taps each with a weight of its own, in 16
// bits that wrap around. Only the input is clamped, so that each stage needs more of the one before.

#include "generators/images/images.h"

using namespace Halide;

namespace eutectic::images {

class StencilChain : public Generator<StencilChain> {
public:
    GeneratorParam<int> stages{"stages", 8, 1, 200};
    GeneratorParam<int> size{"size", 5, 1, 31};
    GeneratorParam<int> width{"width", 1536};
    GeneratorParam<int> height{"height", 1024};

    Input<Buffer<uint16_t, 2>> in{"in"};     // (columns, rows)
    Output<Buffer<uint16_t, 2>> out{"out"};  // (columns, rows)

    void generate() {
        Func last = BoundaryConditions::repeat_edge(in);
        for (int s = 0; s + 1 < stages; s++) {
            Func stage("stage" + std::to_string(s) + "_");
            stage(x, y) = weighted(last);
            last = stage;
        }
        out(x, y) = weighted(last);

        in.set_estimates({{0, width}, {0, height}});
        out.set_estimates({{0, width}, {0, height}});
    }

private:
    Expr weighted(const Func &f) const {
        Expr sum = cast<uint16_t>(0);
        for (int j = 0; j < size; j++) {
            for (int i = 0; i < size; i++) {
                sum += f(x + i - size / 2, y + j - size / 2) * cast<uint16_t>((i + 1) * (j + 1));
            }
        }
        return sum;
    }
};

}  // namespace eutectic::images

HALIDE_REGISTER_GENERATOR(eutectic::images::StencilChain, stencil_chain)
