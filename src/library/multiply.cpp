// From Halide's buffers to products of matrices: which dims are rows, columns, the sum's and a batch's;
// how they are cut in pieces.

#include "library/multiply.h"
#include "library/matrices.h"
#include "library/pieces.h"

#include <algorithm>
#include <vector>

namespace eutectic {

namespace {

/** One dimension of the result: from one point of it to the next, in elements of each buffer. */
struct Along {
    int64_t extent = 1, a = 0, b = 0, c = 0;
};

/** For each dimension of `operand`: the dimension of the result, or -1 for the sum's. */
std::vector<int> dims_of(const halide_buffer_t &operand, int32_t dims) {
    std::vector<int> result;
    for (int d = 0; d < operand.dimensions; d++) {
        result.push_back((dims >> (4 * d) & 0xf) - 1);
    }
    return result;
}

void require(halide_buffer_t &operand, int32_t dims, int32_t k_min, int32_t k_extent,
             const halide_buffer_t &c) {
    const std::vector<int> along = dims_of(operand, dims);
    for (int d = 0; d < operand.dimensions; d++) {
        operand.dim[d].min = along[d] < 0 ? k_min : c.dim[along[d]].min;
        operand.dim[d].extent = along[d] < 0 ? k_extent : c.dim[along[d]].extent;
    }
}

/** All of a call: the outer dims are gone over one by one, and each of their points is a product. */
template<typename T>
struct Whole {
    Multiplication<T> product;  ///< at the first point; strides are whatever they are
    std::vector<Along> outer;
    int64_t points = 1;  ///< of all outer dims
    int64_t row_pieces = 1, column_pieces = 1;
    int (*multiply)(const Multiplication<T> &) = nullptr;

    int64_t pieces() const {
        return points * row_pieces * column_pieces;
    }
};

/** Puts together what lies as if it were one dimension, the first of `dims` and others; the rest are `outer`.
 */
Along joined(std::vector<Along> dims, std::vector<Along> &outer) {
    if (dims.empty()) {
        return {};
    }
    // What is longest becomes rows, or columns.
    std::stable_sort(dims.begin(), dims.end(),
                     [](const Along &x, const Along &y) { return x.extent > y.extent; });
    Along all = dims.front();
    dims.erase(dims.begin());
    for (bool grows = true; grows;) {
        grows = false;
        for (size_t d = 0; d < dims.size() && !grows; d++) {
            const auto follows = [](const Along &first, const Along &next) {
                return next.a == first.a * first.extent && next.b == first.b * first.extent &&
                       next.c == first.c * first.extent;
            };
            if (follows(all, dims[d]) || follows(dims[d], all)) {
                const Along &inner = follows(all, dims[d]) ? all : dims[d];
                all = {all.extent * dims[d].extent, inner.a, inner.b, inner.c};
                dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(d));
                grows = true;
            }
        }
    }
    outer.insert(outer.end(), dims.begin(), dims.end());
    return all;
}

template<typename T>
Whole<T> read(const halide_buffer_t &a, const halide_buffer_t &b, int32_t k_min, int32_t k_extent,
              int32_t a_dims, int32_t b_dims, const halide_buffer_t &c) {
    Whole<T> whole;
    std::vector<Along> along(c.dimensions);
    Along sum;
    int64_t a_first = 0, b_first = 0;
    for (int d = 0; d < c.dimensions; d++) {
        along[d].extent = c.dim[d].extent;
        along[d].c = c.dim[d].stride;
    }
    std::vector<bool> in_a(c.dimensions, false), in_b(c.dimensions, false);
    const auto add = [&](const halide_buffer_t &x, int32_t dims, int64_t Along::*stride,
                         std::vector<bool> &in, int64_t &first) {
        const std::vector<int> of = dims_of(x, dims);
        for (int d = 0; d < x.dimensions; d++) {
            const int64_t from = of[d] < 0 ? k_min : c.dim[of[d]].min;
            first += (from - x.dim[d].min) * static_cast<int64_t>(x.dim[d].stride);
            Along &here = of[d] < 0 ? sum : along[of[d]];
            here.*stride = x.dim[d].stride;
            if (of[d] >= 0) {
                in[of[d]] = true;
            }
        }
    };
    add(a, a_dims, &Along::a, in_a, a_first);
    add(b, b_dims, &Along::b, in_b, b_first);
    std::vector<Along> rows, columns;
    for (int d = 0; d < c.dimensions; d++) {
        (in_a[d] && !in_b[d] ? rows : in_b[d] && !in_a[d] ? columns : whole.outer).push_back(along[d]);
    }
    const Along row = joined(rows, whole.outer), column = joined(columns, whole.outer);
    for (const Along &outer : whole.outer) {
        whole.points *= outer.extent;
    }
    whole.product = {row.extent,
                     column.extent,
                     k_extent,
                     {reinterpret_cast<const T *>(a.host) + a_first, row.a, sum.a},
                     {reinterpret_cast<const T *>(b.host) + b_first, sum.b, column.b},
                     {reinterpret_cast<T *>(c.host), row.c, column.c}};
    return whole;
}

template<typename T>
int multiply_piece(const Whole<T> &whole, int64_t piece) {
    Multiplication<T> p = whole.product;
    const int64_t of_point = whole.row_pieces * whole.column_pieces;
    int64_t point = piece / of_point;
    for (const Along &outer : whole.outer) {
        const int64_t at = point % outer.extent;
        point /= outer.extent;
        p.a.data += at * outer.a;
        p.b.data += at * outer.b;
        p.c.data += at * outer.c;
    }
    const int64_t row = piece % of_point / whole.column_pieces, column = piece % whole.column_pieces;
    const auto begin = [](int64_t at, int64_t pieces, int64_t extent) { return at * extent / pieces; };
    const int64_t i = begin(row, whole.row_pieces, p.m), j = begin(column, whole.column_pieces, p.n);
    p.m = begin(row + 1, whole.row_pieces, p.m) - i;
    p.n = begin(column + 1, whole.column_pieces, p.n) - j;
    p.a.data += i * p.a.row;
    p.b.data += j * p.b.column;
    p.c.data += i * p.c.row + j * p.c.column;
    return multiply_matrices(p, whole.multiply);
}

/** Multiply-adds that copying an element into a library's order takes as long as: 25 GB/s beside 45e9
 * multiply-adds a second (floats on a core of an AMD EPYC 7003). */
constexpr double multiply_adds_of_copy = 8;

/** Cuts every product so that there are `tasks` pieces or more: in the way that takes the busiest thread
 * least, which copies what its rows and columns need of the operands. */
template<typename T>
void cut(Whole<T> &whole, int64_t tasks) {
    const int64_t each = (tasks + whole.points - 1) / whole.points;
    double least = -1;
    for (int64_t rows = 1; rows <= std::min(each, whole.product.m); rows++) {
        const int64_t columns = std::min((each + rows - 1) / rows, whole.product.n);
        const int64_t turns = (rows * columns + each - 1) / each;
        const double m = static_cast<double>(whole.product.m) / static_cast<double>(rows),
                     n = static_cast<double>(whole.product.n) / static_cast<double>(columns);
        const double of_thread = static_cast<double>(turns) * (m * n + multiply_adds_of_copy * (m + n));
        if (least < 0 || of_thread < least) {
            least = of_thread;
            whole.row_pieces = rows;
            whole.column_pieces = columns;
        }
    }
}

template<typename T>
int multiply_all(Whole<T> whole, int32_t tasks) {
    if (whole.multiply == nullptr) {
        return halide_error_code_bad_type;
    }
    if (whole.points <= 0 || whole.product.m <= 0 || whole.product.n <= 0) {
        return halide_error_code_success;
    }
    if (tasks > 1) {
        cut(whole, tasks);
    }
    return run_pieces(static_cast<int>(whole.pieces()), tasks,
                      [&](int piece) { return multiply_piece(whole, piece); });
}

}  // namespace

int multiply_buffers(const Multiply &multiply, halide_buffer_t *a, halide_buffer_t *b, int32_t k_min,
                     int32_t k_extent, int32_t a_dims, int32_t b_dims, int32_t tasks, halide_buffer_t *c) {
    if (a->is_bounds_query() || b->is_bounds_query()) {
        if (a->is_bounds_query()) {
            require(*a, a_dims, k_min, k_extent, *c);
        }
        if (b->is_bounds_query()) {
            require(*b, b_dims, k_min, k_extent, *c);
        }
        return halide_error_code_success;
    }
    if (c->is_bounds_query()) {
        return halide_error_code_success;
    }
    if (c->type == halide_type_of<float>()) {
        auto whole = read<float>(*a, *b, k_min, k_extent, a_dims, b_dims, *c);
        whole.multiply = multiply.floats;
        return multiply_all(std::move(whole), tasks);
    }
    if (c->type == halide_type_of<double>()) {
        auto whole = read<double>(*a, *b, k_min, k_extent, a_dims, b_dims, *c);
        whole.multiply = multiply.doubles;
        return multiply_all(std::move(whole), tasks);
    }
    return halide_error_code_bad_type;
}

}  // namespace eutectic
