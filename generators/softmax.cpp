// y(j, i) = exp(x(j, i) - m(i)) / sum over j of the same: the softmax of each row, stable.

#include "autodiff/register.h"
#include "generators/ops.h"

using namespace Halide;

namespace eutectic {

class Softmax : public Generator<Softmax> {
public:
    GeneratorParam<Type> type{"type", Float(32)};
    GeneratorParam<int> rows{"rows", 1024};
    GeneratorParam<int> cols{"cols", 1024};
    GeneratorParam<bool> fixed_cols{"fixed_cols", false};  // cols is their number at every call

    Input<Buffer<void, 2>> x{"x"};   // (cols, rows)
    Output<Buffer<void, 2>> y{"y"};  // (cols, rows)

    void configure() {
        x.set_type(type);
        y.set_type(type);
    }

    void generate() {
        define_softmax(y, x, RDom(x.dim(0).min(), x.dim(0).extent(), "r"));

        if (fixed_cols) {
            fix_columns(cols, x, y);
        }
        x.set_estimates({{0, cols}, {0, rows}});
        y.set_estimates({{0, cols}, {0, rows}});
    }
};

}  // namespace eutectic

EUTECTIC_REGISTER_DIFFERENTIABLE(eutectic::Softmax, softmax);
