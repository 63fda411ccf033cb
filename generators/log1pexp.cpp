// y(i) = log(exp(x(i)) + 1): an element-wise chain of two transcendental functions.

#include "autodiff/register.h"

#include <Halide.h>

using namespace Halide;

namespace eutectic {

class Log1pexp : public Generator<Log1pexp> {
public:
    GeneratorParam<Type> type{"type", Float(32)};
    GeneratorParam<int> n{"n", 4 << 20};

    Input<Buffer<void, 1>> x{"x"};   // (n)
    Output<Buffer<void, 1>> y{"y"};  // (n)

    void configure() {
        x.set_type(type);
        y.set_type(type);
    }

    void generate() {
        Var i("i");
        Func exps("exps"), plus_one("plus_one");
        exps(i) = exp(x(i));
        plus_one(i) = exps(i) + cast(type, 1);
        y(i) = log(plus_one(i));

        x.set_estimates({{0, n}});
        y.set_estimates({{0, n}});
    }
};

}  // namespace eutectic

EUTECTIC_REGISTER_DIFFERENTIABLE(eutectic::Log1pexp, log1pexp);
