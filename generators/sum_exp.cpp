// total = sum over i of exp(x(i)): a full reduction of an element-wise function.

#include "autodiff/register.h"

#include <Halide.h>

using namespace Halide;

namespace eutectic {

class SumExp : public Generator<SumExp> {
public:
    GeneratorParam<Type> type{"type", Float(32)};
    GeneratorParam<int> n{"n", 1 << 20};

    Input<Buffer<void, 1>> x{"x"};  // (n)
    Output<Buffer<void, 0>> total{"total"};

    void configure() {
        x.set_type(type);
        total.set_type(type);
    }

    void generate() {
        Var i("i");
        Func exps("exps");
        RDom r(x.dim(0).min(), x.dim(0).extent(), "r");
        exps(i) = exp(x(i));
        total() = cast(type, 0);
        total() += exps(r);

        x.set_estimates({{0, n}});
    }
};

}  // namespace eutectic

EUTECTIC_REGISTER_DIFFERENTIABLE(eutectic::SumExp, sum_exp);
