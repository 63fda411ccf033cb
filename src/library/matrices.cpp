#include "library/matrices.h"

namespace eutectic {

/** `x`, of so many rows and columns, as libraries take it; false where its elements have to be copied for
 * that. */
template<typename T>
bool in_layout(Matrix<T> &x, int64_t rows, int64_t columns) {
    if (rows == 1) {
        x.row = x.column == 1 ? columns : 1;
    } else if (columns == 1) {
        x.column = x.row == 1 ? rows : 1;
    }
    return x.column == 1 ? x.row >= columns : x.row == 1 && x.column >= rows;
}

/** A copy of `x` in `room`, row by row. */
template<typename T>
Matrix<const T> packed(const Matrix<const T> &x, int64_t rows, int64_t columns, std::vector<T> &room) {
    room.resize(rows * columns);
    for (int64_t r = 0; r < rows; r++) {
        for (int64_t c = 0; c < columns; c++) {
            room[r * columns + c] = x.data[r * x.row + c * x.column];
        }
    }
    return {room.data(), columns, 1};
}

namespace {

/** c = a * b is c' = b' * a'. */
template<typename T>
Multiplication<T> transposed(const Multiplication<T> &p) {
    return {p.n,
            p.m,
            p.k,
            {p.b.data, p.b.column, p.b.row},
            {p.a.data, p.a.column, p.a.row},
            {p.c.data, p.c.column, p.c.row}};
}

}  // namespace

template<typename T>
int multiply_matrices(Multiplication<T> p, int (*multiply)(const Multiplication<T> &)) {
    const auto each_result = [&p](const auto &action) {
        for (int64_t r = 0; r < p.m; r++) {
            for (int64_t c = 0; c < p.n; c++) {
                action(p.c.data[r * p.c.row + c * p.c.column], r * p.n + c);
            }
        }
    };
    if (p.k <= 0) {
        each_result([](T &result, int64_t) { result = 0; });
        return halide_error_code_success;
    }
    bool in_place = in_layout(p.c, p.m, p.n);
    if (in_place && !p.c.row_major()) {
        p = transposed(p);
        in_place = in_layout(p.c, p.m, p.n);
    }
    std::vector<T> a, b, c;
    Multiplication<T> q = p;
    if (!in_place) {
        c.resize(p.m * p.n);
        q.c = {c.data(), p.n, 1};
    }
    if (!in_layout(q.a, q.m, q.k)) {
        q.a = packed(p.a, p.m, p.k, a);
    }
    if (!in_layout(q.b, q.k, q.n)) {
        q.b = packed(p.b, p.k, p.n, b);
    }
    const int error = multiply(q);
    if (!in_place && error == 0) {
        each_result([&](T &result, int64_t at) { result = c[at]; });
    }
    return error;
}

template bool in_layout(Matrix<const float> &, int64_t, int64_t);
template bool in_layout(Matrix<const double> &, int64_t, int64_t);
template Matrix<const float> packed(const Matrix<const float> &, int64_t, int64_t, std::vector<float> &);
template Matrix<const double> packed(const Matrix<const double> &, int64_t, int64_t, std::vector<double> &);
template int multiply_matrices(Multiplication<float>, int (*)(const Multiplication<float> &));
template int multiply_matrices(Multiplication<double>, int (*)(const Multiplication<double> &));

}  // namespace eutectic
