#pragma once

#include <array>
#include <cstddef>

namespace eutectic {

/** Operations that processors have as one instruction for vectors of some types only. Integers are signed or
 * not, by the bytes of an element. Each has its price in a Machine. */
enum class TypedOperation {
    multiply_8,
    multiply_16,
    multiply_32,
    multiply_64,
    divide_by_constant_8,  ///< a multiplication by the reciprocal, and what rounds it
    divide_by_constant_16,
    divide_by_constant_32,
    divide_by_constant_64,
    integer_divide_8,  ///< by what is known when it runs: no vectors have it, each lane is divided alone
    integer_divide_16,
    integer_divide_32,
    integer_divide_64,
    double_divide,
    square_root,
    double_square_root,
    half_float,      ///< arithmetic of 16-bit floats, of which each operation is one of 32 bits
    long_conversion  ///< between 64-bit integers and floats
};

constexpr size_t typed_operation_count = 17;

struct TypedOperationInfo {
    const char *key;   ///< of its price, in cycles of a full vector: "multiply_8_cycles"
    int bytes;         ///< of an element of that vector
    bool by_lane;      ///< a vector of half the lanes takes half as long
    bool division;     ///< it is counted as a division, not as an operation like any other
    const char *what;  ///< for people
};

const TypedOperationInfo &info(TypedOperation operation);

/** The one for integers of `bytes` bytes, of the four that begin with `first`. */
TypedOperation of_integers(TypedOperation first, int bytes);

/** A number for each of them. */
using TypedCounts = std::array<float, typed_operation_count>;
using TypedCycles = std::array<double, typed_operation_count>;

}  // namespace eutectic
