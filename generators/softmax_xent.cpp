// Mean softmax cross entropy of the rows of x and integer labels.

#include "autodiff/register.h"
#include "generators/ops.h"

using namespace Halide;

namespace eutectic {

class SoftmaxXent : public Generator<SoftmaxXent> {
public:
    GeneratorParam<Type> type{"type", Float(32)};
    GeneratorParam<int> rows{"rows", 1024};
    GeneratorParam<int> cols{"cols", 1000};
    GeneratorParam<bool> fixed_cols{"fixed_cols", false};  // cols is their number at every call

    Input<Buffer<void, 2>> x{"x"};               // (cols, rows)
    Input<Buffer<int32_t, 1>> labels{"labels"};  // (rows), each a column of x
    Output<Buffer<void, 0>> loss{"loss"};

    void configure() {
        x.set_type(type);
        loss.set_type(type);
    }

    void generate() {
        RDom columns(x.dim(0).min(), x.dim(0).extent(), "c");
        RDom all_rows(labels.dim(0).min(), labels.dim(0).extent(), "row");
        define_mean_cross_entropy(loss, x, columns, labels, all_rows);

        if (fixed_cols) {
            fix_columns(cols, x);
        }
        x.set_estimates({{0, cols}, {0, rows}});
        labels.set_estimates({{0, rows}});
    }
};

}  // namespace eutectic

EUTECTIC_REGISTER_DIFFERENTIABLE(eutectic::SoftmaxXent, softmax_xent);
