// c = a b of integers of 8 or 16 bits, summed up in 32: a layer of a quantized network without its scales.

#include <Halide.h>

using namespace Halide;

namespace eutectic {

class IntegerMatmul : public Generator<IntegerMatmul> {
public:
    GeneratorParam<Type> type{"type", Int(8)};  // of the factors; float64: the same numbers as reals
    GeneratorParam<int> m{"m", 512};
    GeneratorParam<int> k{"k", 512};
    GeneratorParam<int> n{"n", 512};
    GeneratorParam<bool> unsigned_a{"unsigned_a", false};
    GeneratorParam<bool> transpose_b{"transpose_b", false};

    Input<Buffer<void, 2>> a{"a"};   // (k, m)
    Input<Buffer<void, 2>> b{"b"};   // (n, k), or (k, n) with transpose_b
    Output<Buffer<void, 2>> c{"c"};  // (n, m)

    void configure() {
        const Type t = type;
        a.set_type(unsigned_a && t.is_int() ? t.with_code(Type::UInt) : t);
        b.set_type(t);
        c.set_type(sum_type());
    }

    void generate() {
        Var i("i"), j("j");
        const RDom r(a.dim(0).min(), a.dim(0).extent(), "r");
        c(j, i) = cast(sum_type(), 0);
        c(j, i) += cast(sum_type(), a(r, i)) * cast(sum_type(), transpose_b ? b(r, j) : b(j, r));

        const Range columns(0, n), terms(0, k);
        a.set_estimates({terms, {0, m}});
        b.set_estimates(transpose_b ? Region{terms, columns} : Region{columns, terms});
        c.set_estimates({columns, {0, m}});
    }

private:
    Type sum_type() const {
        const Type t = type;
        return t.is_float() ? t : Int(32);
    }
};

}  // namespace eutectic

HALIDE_REGISTER_GENERATOR(eutectic::IntegerMatmul, integer_matmul)
