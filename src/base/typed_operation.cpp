#include "base/typed_operation.h"

namespace eutectic {

const TypedOperationInfo &info(TypedOperation operation) {
    static const TypedOperationInfo all[typed_operation_count] = {
        {"multiply_8_cycles", 1, false, false, "a vector of products of 8-bit integers"},
        {"multiply_16_cycles", 2, false, false, "a vector of products of 16-bit integers"},
        {"multiply_32_cycles", 4, false, false, "a vector of products of 32-bit integers"},
        {"multiply_64_cycles", 8, false, false, "a vector of products of 64-bit integers"},
        {"divide_by_constant_8_cycles", 1, false, false, "a vector of 8-bit integers, divided by a constant"},
        {"divide_by_constant_16_cycles", 2, false, false,
         "a vector of 16-bit integers, divided by a constant"},
        {"divide_by_constant_32_cycles", 4, false, false,
         "a vector of 32-bit integers, divided by a constant"},
        {"divide_by_constant_64_cycles", 8, false, false,
         "a vector of 64-bit integers, divided by a constant"},
        {"integer_divide_8_cycles", 1, true, true, "a vector of 8-bit integers, divided lane by lane"},
        {"integer_divide_16_cycles", 2, true, true, "a vector of 16-bit integers, divided lane by lane"},
        {"integer_divide_32_cycles", 4, true, true, "a vector of 32-bit integers, divided lane by lane"},
        {"integer_divide_64_cycles", 8, true, true, "a vector of 64-bit integers, divided lane by lane"},
        {"double_divide_cycles", 8, false, true, "a vector of divisions of doubles"},
        {"square_root_cycles", 4, false, true, "a vector of square roots of floats"},
        {"double_square_root_cycles", 8, false, true, "a vector of square roots of doubles"},
        {"half_float_cycles", 2, false, false, "a vector of operations on 16-bit floats"},
        {"long_conversion_cycles", 8, false, false,
         "a vector of 64-bit integers, converted from or to floats"},
    };
    return all[static_cast<size_t>(operation)];
}

TypedOperation of_integers(TypedOperation first, int bytes) {
    const int log = bytes >= 8 ? 3 : bytes >= 4 ? 2 : bytes >= 2 ? 1 : 0;
    return static_cast<TypedOperation>(static_cast<int>(first) + log);
}

}  // namespace eutectic
