// y(j, i) = x(j, i) - log(sum over j of exp(x(j, i))): the logarithm of each row's softmax, stable.

#include "autodiff/register.h"
#include "generators/ops.h"

using namespace Halide;

namespace eutectic {

class LogSoftmax : public Generator<LogSoftmax> {
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
        define_log_softmax(y, x, RDom(x.dim(0).min(), x.dim(0).extent(), "r"));

        if (fixed_cols) {
            fix_columns(cols, x, y);
        }
        x.set_estimates({{0, cols}, {0, rows}});
        y.set_estimates({{0, cols}, {0, rows}});
    }
};

}  // namespace eutectic

EUTECTIC_REGISTER_DIFFERENTIABLE(eutectic::LogSoftmax, log_softmax);
