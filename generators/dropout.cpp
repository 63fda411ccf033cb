// y(j, i) = dropout(x(j, i)): each element is dropped or scaled by a number drawn from the seed and its
// coordinates.

#include "autodiff/register.h"
#include "generators/ops.h"

using namespace Halide;

namespace eutectic {

class Dropout : public Generator<Dropout> {
public:
    GeneratorParam<Type> type{"type", Float(32)};
    GeneratorParam<int> rows{"rows", 1024};
    GeneratorParam<int> cols{"cols", 1024};
    GeneratorParam<float> rate{"rate", 0.1f};

    Input<Buffer<void, 2>> x{"x"};  // (cols, rows)
    Input<uint32_t> seed{"seed"};
    Output<Buffer<void, 2>> y{"y"};  // (cols, rows)

    void configure() {
        x.set_type(type);
        y.set_type(type);
    }

    void generate() {
        Var i("i"), j("j");
        y(j, i) = dropout(x(j, i), rate, random_bits(seed, j, i));

        x.set_estimates({{0, cols}, {0, rows}});
        seed.set_estimate(1);
        y.set_estimates({{0, cols}, {0, rows}});
    }
};

}  // namespace eutectic

EUTECTIC_REGISTER_DIFFERENTIABLE(eutectic::Dropout, dropout);
