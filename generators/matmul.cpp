// c = epilogue(a b): a matrix product in any of the four transpositions, with bias and relu.

#include "autodiff/register.h"
#include "generators/ops.h"

using namespace Halide;

namespace eutectic {

enum class Epilogue { none, bias, bias_relu };

class Matmul : public Generator<Matmul> {
public:
    GeneratorParam<Type> type{"type", Float(32)};
    GeneratorParam<int> m{"m", 1024};
    GeneratorParam<int> k{"k", 1024};
    GeneratorParam<int> n{"n", 1024};
    GeneratorParam<bool> transpose_a{"transpose_a", false};
    GeneratorParam<bool> transpose_b{"transpose_b", false};
    GeneratorParam<Epilogue> epilogue{
        "epilogue",
        Epilogue::bias_relu,
        {{"none", Epilogue::none}, {"bias", Epilogue::bias}, {"bias_relu", Epilogue::bias_relu}}};

    Input<Buffer<void, 2>> a{"a"};   // (k, m), or (m, k) with transpose_a
    Input<Buffer<void, 2>> b{"b"};   // (n, k), or (k, n) with transpose_b
    Output<Buffer<void, 2>> c{"c"};  // (n, m)

    void configure() {
        a.set_type(type);
        b.set_type(type);
        if (epilogue != Epilogue::none) {
            bias_ = add_input<Buffer<void>>("bias", type, 1);  // (n)
        }
        c.set_type(type);
    }

    void generate() {
        Var i("i"), j("j");
        const int inner = transpose_a ? 1 : 0;
        const RDom r(a.dim(inner).min(), a.dim(inner).extent(), "r");
        const Func product = matmul(a, b, r, transpose_a, transpose_b);
        if (epilogue == Epilogue::none) {
            c(j, i) = cast(type, product(j, i));
        } else {
            Func z("z");
            z(j, i) = product(j, i) + widen((*bias_)(j));
            c(j, i) = cast(type, epilogue == Epilogue::bias ? z(j, i) : relu(z(j, i)));
            bias_->set_estimates({{0, n}});
        }

        a.set_estimates(transposed(k, m, transpose_a));
        b.set_estimates(transposed(n, k, transpose_b));
        c.set_estimates({{0, n}, {0, m}});
    }

private:
    static Region transposed(int inner, int outer, bool swap) {
        const Range first(0, swap ? outer : inner), second(0, swap ? inner : outer);
        return {first, second};
    }

    Input<Buffer<void>> *bias_ = nullptr;
};

}  // namespace eutectic

EUTECTIC_REGISTER_DIFFERENTIABLE(eutectic::Matmul, matmul);
