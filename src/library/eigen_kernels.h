// Eigen's products for one instruction set. Included by a file for each, which is compiled for that and has
// named it EUTECTIC_EIGEN: Eigen's templates are then in a namespace of that name, so that no linker takes
// one file's code for another's.

#define Eigen EUTECTIC_EIGEN
#define EIGEN_DONT_PARALLELIZE
#define EIGEN_NO_DEBUG
#include <Eigen/Core>

#include "library/eigen.h"

namespace eutectic {

namespace {

template<typename T, int Order>
using View = Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Order>, 0, Eigen::OuterStride<>>;
template<typename T, int Order>
using ConstView =
    Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Order>, 0, Eigen::OuterStride<>>;

template<typename T, int OfA, int OfB>
void multiply_layouts(const Multiplication<T> &p) {
    View<T, Eigen::RowMajor> c(p.c.data, p.m, p.n, Eigen::OuterStride<>(p.c.row));
    c.noalias() = ConstView<T, OfA>(p.a.data, p.m, p.k, Eigen::OuterStride<>(p.a.leading())) *
                  ConstView<T, OfB>(p.b.data, p.k, p.n, Eigen::OuterStride<>(p.b.leading()));
}

template<typename T>
int multiply(const Multiplication<T> &p) {
    constexpr int rows = Eigen::RowMajor, columns = Eigen::ColMajor;
    if (p.a.row_major()) {
        p.b.row_major() ? multiply_layouts<T, rows, rows>(p) : multiply_layouts<T, rows, columns>(p);
    } else {
        p.b.row_major() ? multiply_layouts<T, columns, rows>(p) : multiply_layouts<T, columns, columns>(p);
    }
    return halide_error_code_success;
}

}  // namespace

}  // namespace eutectic
