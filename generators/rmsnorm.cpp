// y = x / sqrt(mean of x^2 + epsilon) * scale: root mean square normalization of each row.

#include "autodiff/register.h"
#include "generators/ops.h"

using namespace Halide;

namespace eutectic {

class Rmsnorm : public Generator<Rmsnorm> {
public:
    GeneratorParam<Type> type{"type", Float(32)};
    GeneratorParam<int> rows{"rows", 1024};
    GeneratorParam<int> cols{"cols", 1024};
    GeneratorParam<bool> fixed_cols{"fixed_cols", false};  // cols is their number at every call
    GeneratorParam<float> epsilon{"epsilon", 1e-5f};

    Input<Buffer<void, 2>> x{"x"};          // (cols, rows)
    Input<Buffer<void, 1>> scale{"scale"};  // (cols)
    Output<Buffer<void, 2>> y{"y"};         // (cols, rows)

    void configure() {
        x.set_type(type);
        scale.set_type(type);
        y.set_type(type);
    }

    void generate() {
        define_rmsnorm(y, x, RDom(x.dim(0).min(), x.dim(0).extent(), "r"), scale, epsilon);

        if (fixed_cols) {
            fix_columns(cols, x, scale, y);
        }
        x.set_estimates({{0, cols}, {0, rows}});
        scale.set_estimates({{0, cols}});
        y.set_estimates({{0, cols}, {0, rows}});
    }
};

}  // namespace eutectic

EUTECTIC_REGISTER_DIFFERENTIABLE(eutectic::Rmsnorm, rmsnorm);
