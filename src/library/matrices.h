#pragma once

#include <cstdint>
#include <vector>

#include "library/multiply.h"

namespace eutectic {

/** Takes `x`, of so many rows and columns, as libraries do; false where its elements have to be copied for
 * that. Of float and double. */
template<typename T>
bool in_layout(Matrix<T> &x, int64_t rows, int64_t columns);

/** A copy of `x` in `room`, row by row. */
template<typename T>
Matrix<const T> packed(const Matrix<const T> &x, int64_t rows, int64_t columns, std::vector<T> &room);

/** A product whose matrices lie in any strides: what a library cannot take is copied before, or after.
 * Throws std::bad_alloc. */
template<typename T>
int multiply_matrices(Multiplication<T> p, int (*multiply)(const Multiplication<T> &));

}  // namespace eutectic
