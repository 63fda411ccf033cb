#include "schedules/elementary/arithmetic.h"

#include <cstdint>
#include <cstring>

#include "schedules/elementary/coefficients.h"

namespace eutectic::elementary {

using namespace Halide;

namespace {

/** Bits of the fraction and bias of the exponent. */
struct Format {
    int fraction, bias;
};

Format format_of(const Type &type) {
    return type.bits() == 64 ? Format{52, 1023} : Format{23, 127};
}

/** Of a double, or all of a float. */
int upper_bits(double value, bool wide) {
    if (wide) {
        int64_t bits = 0;
        std::memcpy(&bits, &value, sizeof(bits));
        return static_cast<int>(bits >> 32);
    }
    const auto single = static_cast<float>(value);
    int bits = 0;
    std::memcpy(&bits, &single, sizeof(bits));
    return bits;
}

Expr strict(Internal::Call::IntrinsicOp operation, const Expr &a, const Expr &b) {
    return Internal::Call::make(a.type(), operation, {a, b}, Internal::Call::PureIntrinsic);
}

}  // namespace

Expr strict_sum(const Expr &a, const Expr &b) {
    return strict(Internal::Call::strict_add, a, b);
}

Expr strict_difference(const Expr &a, const Expr &b) {
    return strict(Internal::Call::strict_sub, a, b);
}

Expr strict_product(const Expr &a, const Expr &b) {
    return strict(Internal::Call::strict_mul, a, b);
}

Expr within(const Expr &x, double low, double high) {
    // A comparison with NaN keeps it.
    const Expr at_least = select(x < like(x, low), like(x, low), x);
    return select(at_least > like(x, high), like(x, high), at_least);
}

Expr with_sign_of(const Expr &x, const Expr &value) {
    const Type bits = UInt(x.type().bits());
    const Expr sign = Internal::make_const(bits, 1) << (x.type().bits() - 1);
    // By a select: where x is made of the bits of a bfloat16, LLVM takes "x's sign bit, or value's others" of
    // vectors of AVX-512 together with these, and other bits of x come into the result.
    const Expr magnitude = reinterpret(bits, value) & ~sign;
    const Expr negative = reinterpret(bits.with_code(Type::Int), x) < 0;
    return reinterpret(x.type(), select(negative, magnitude | sign, magnitude));
}

Ln2 ln2_of(const Type &type) {
    return type.bits() == 64 ? Ln2{coefficients::ln2_high, coefficients::ln2_low}
                             : Ln2{coefficients::ln2_single_high, coefficients::ln2_single_low};
}

Expr power_of_two(const Type &type, const Expr &k) {
    const Format f = format_of(type);
    const Type bits = Int(type.bits());
    return reinterpret(type, cast(bits, k + f.bias) << f.fraction);
}

Expr scaled(const Expr &m, const Expr &k) {
    const Expr half = k >> 1;
    return strict_product(strict_product(m, power_of_two(m.type(), half)), power_of_two(m.type(), k - half));
}

Split split(const Expr &x, double least) {
    const Format f = format_of(x.type());
    const bool wide = x.type().bits() == 64;
    // Subnormal numbers become normal ones.
    const Expr small = x < Internal::make_const(x.type(), wide ? 0x1p-1022 : 0x1p-126);
    const Expr normal = select(small, x * like(x, wide ? 0x1p54 : 0x1p25), x);
    const Expr shift = select(small, wide ? 54 : 25, 0);
    const Expr bits = reinterpret(Int(x.type().bits()), normal);
    // Vectors have no arithmetic shift of 64 bits before AVX-512: the upper half has sign, exponent and what
    // decides about `least`.
    const Expr upper = wide ? cast<int>(bits >> 32) : bits;
    const int upper_fraction = wide ? 20 : 23;
    const int least_bits = upper_bits(least, wide);
    const Expr k = (upper - least_bits) >> upper_fraction;
    const Expr m = reinterpret(x.type(), bits - (cast(bits.type(), k) << f.fraction));
    return {m, k - shift};
}

Reduced reduce_by_ln2(const Expr &x, double whole) {
    const Expr nearest = round(x * like(x, 1.4426950408889634));
    const Expr n = whole > 0 ? select(abs(x) < like(x, whole), like(x, 0), nearest) : nearest;
    const Ln2 ln2 = ln2_of(x.type());
    const Expr first = strict_difference(x, strict_product(n, like(x, ln2.high)));  // exact
    return {cast<int>(n), strict_difference(first, strict_product(n, like(x, ln2.low)))};
}

}  // namespace eutectic::elementary
