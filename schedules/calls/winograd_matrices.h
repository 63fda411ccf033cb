#pragma once

// The matrices of A. Lavin and S. Gray, "Fast Algorithms for Convolutional Neural Networks"
// (arXiv:1509.09308), section 4, and products with them in few operations.

#include <functional>
#include <vector>

#include "Halide.h"

namespace eutectic {

using Matrix = std::vector<std::vector<double>>;

/** F(m x m, 3 x 3): the paper's B^T, G and A^T. */
struct WinogradAlgorithm {
    const char *call;  ///< of schedules/rewrites.h
    int results;       ///< m
    Matrix image, filter, result;
    int points() const {
        return results + 2;
    }
};

const WinogradAlgorithm &winograd_of_2x2();
const WinogradAlgorithm &winograd_of_4x4();

/** Entries of a vector by their places; each is asked for once or twice. */
using Points = std::function<Halide::Expr(int)>;

/** Row `i` of `m` times x. Rows for points a and -a differ in the sign of every other coefficient: what they
 * have in common is written once, for compilers to find. */
Halide::Expr row_times(const Matrix &m, int i, const Points &x);

/** The same of a matrix whose columns 1 and 2, 3 and 4 are for points a and -a. */
Halide::Expr columns_times(const Matrix &m, int i, const Points &x);

}  // namespace eutectic
