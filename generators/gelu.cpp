// y(i) = gelu(x(i)): an activation alone, one exp and one division an element.

#include "autodiff/register.h"
#include "generators/ops.h"

using namespace Halide;

namespace eutectic {

class Gelu : public Generator<Gelu> {
public:
    GeneratorParam<Type> type{"type", Float(32)};
    GeneratorParam<int> n{"n", 1 << 20};

    Input<Buffer<void, 1>> x{"x"};   // (n)
    Output<Buffer<void, 1>> y{"y"};  // (n)

    void configure() {
        x.set_type(type);
        y.set_type(type);
    }

    void generate() {
        Var i("i");
        y(i) = gelu(x(i));

        x.set_estimates({{0, n}});
        y.set_estimates({{0, n}});
    }
};

}  // namespace eutectic

EUTECTIC_REGISTER_DIFFERENTIABLE(eutectic::Gelu, gelu);
