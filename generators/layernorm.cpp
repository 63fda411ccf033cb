// y = (x - mean) / sqrt(variance + epsilon) * scale + bias: layer normalization of each row.

#include "autodiff/register.h"
#include "generators/ops.h"

using namespace Halide;

namespace eutectic {

class Layernorm : public Generator<Layernorm> {
public:
    GeneratorParam<Type> type{"type", Float(32)};
    GeneratorParam<int> rows{"rows", 1024};
    GeneratorParam<int> cols{"cols", 1024};
    GeneratorParam<bool> fixed_cols{"fixed_cols", false};  // cols is their number at every call
    GeneratorParam<float> epsilon{"epsilon", 1e-5f};

    Input<Buffer<void, 2>> x{"x"};          // (cols, rows)
    Input<Buffer<void, 1>> scale{"scale"};  // (cols)
    Input<Buffer<void, 1>> bias{"bias"};    // (cols)
    Output<Buffer<void, 2>> y{"y"};         // (cols, rows)

    void configure() {
        x.set_type(type);
        scale.set_type(type);
        bias.set_type(type);
        y.set_type(type);
    }

    void generate() {
        define_layernorm(y, x, RDom(x.dim(0).min(), x.dim(0).extent(), "r"), scale, bias, epsilon);

        if (fixed_cols) {
            fix_columns(cols, x, scale, bias, y);
        }
        x.set_estimates({{0, cols}, {0, rows}});
        scale.set_estimates({{0, cols}});
        bias.set_estimates({{0, cols}});
        y.set_estimates({{0, cols}, {0, rows}});
    }
};

}  // namespace eutectic

EUTECTIC_REGISTER_DIFFERENTIABLE(eutectic::Layernorm, layernorm);
