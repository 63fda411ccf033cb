// What each operation whose price depends on its type is, as a step of sums in registers.

#include "schedules/calibration/typed_operations.h"

#include "schedules/calibration/compiled_probe.h"

namespace eutectic {

using namespace Halide;

namespace {

/** The sum so far, and a number that no compiler knows. Neither is 0 where it divides. */
using Step = Expr (*)(Expr sum, Expr number);

Expr multiply(Expr sum, Expr number) {
    return std::move(sum) * std::move(number);
}

Expr add(Expr sum, Expr number) {
    return std::move(sum) + std::move(number);
}

/** By a prime, which no shift replaces. The sum that follows keeps the quotients from becoming constant. */
Expr divide_by_constant(Expr sum, Expr number) {
    const Type type = sum.type();
    return std::move(sum) / cast(type, 7) + std::move(number);
}

Expr divide(Expr sum, Expr number) {
    return std::move(number) / std::move(sum);
}

Expr square_root(Expr sum, Expr) {
    return sqrt(std::move(sum));
}

Expr to_float_and_back(Expr sum, Expr) {
    const Type type = sum.type();
    return cast(type, cast<double>(std::move(sum)) * Expr(0.5));
}

/** A few independent chains of `step` on full vectors of `type`. `times`: so often each step has the
 * operation, beside `others` operations that any type has. */
TypedProbe typed_probe(TypedOperation operation, const Target &target, const Type &type, Step step, int times,
                       int others) {
    const int rounds = 4096, vectors = 8, lanes = target.natural_vector_size(type);
    Var x("x"), v("v");
    Func acc("acc"), out("out");
    RDom r(0, rounds);
    acc(x, v) = cast(type, x + v + 1);
    const Expr next = step(acc(x, v), cast(type, r + 3));
    acc(x, v) = select(r < rounds, next, cast(type, 0));  // always taken; it makes the update run over r
    out(x, v) = acc(x, v);
    keep_in_registers(acc, out, r, lanes, vectors, nullptr);
    const Buffer<> result(type, std::vector<int>{lanes, vectors});
    return {operation,
            compiled_probe(Pipeline(out), {}, {result}, target, static_cast<double>(rounds) * vectors), times,
            others};
}

}  // namespace

std::vector<TypedProbe> typed_probes(const Target &target) {
    std::vector<TypedProbe> probes;
    const auto measure = [&](TypedOperation operation, const Type &type, Step step, int times = 1,
                             int others = 0) {
        probes.push_back(typed_probe(operation, target, type, step, times, others));
    };
    for (const int bits : {8, 16, 32, 64}) {
        const auto of = [&](TypedOperation first) { return of_integers(first, bits / 8); };
        for (const Type &type : {Int(bits), UInt(bits)}) {
            measure(of(TypedOperation::divide_by_constant_8), type, divide_by_constant, 1, 1);
            measure(of(TypedOperation::integer_divide_8), type, divide);
        }
        measure(of(TypedOperation::multiply_8), UInt(bits), multiply);
    }
    measure(TypedOperation::double_divide, Float(64), divide);
    measure(TypedOperation::square_root, Float(32), square_root);
    measure(TypedOperation::double_square_root, Float(64), square_root);
    measure(TypedOperation::half_float, Float(16), add);
    measure(TypedOperation::half_float, BFloat(16), add);
    measure(TypedOperation::long_conversion, Int(64), to_float_and_back, 2, 1);
    return probes;
}

}  // namespace eutectic
