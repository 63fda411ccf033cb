// From Halide's buffers to products of matrices: which dims are rows, columns, the sum's and a batch's;
// layouts that libraries know; pieces for threads.

#include "library/multiply.h"

#include <algorithm>
#include <atomic>
#include <new>
#include <thread>
#include <vector>

#pragma weak halide_do_par_for

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
    try {
        return multiply_matrices(p, whole.multiply);
    } catch (const std::bad_alloc &) {
        return halide_error_code_out_of_memory;
    }
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

/** Where no runtime of Halide's is linked, as in a process that compiles just in time. */
int run_in_threads(halide_task_t task, int pieces, int threads, uint8_t *closure) {
    std::atomic<int> next{0}, error{0};
    const auto work = [&] {
        for (int piece = next++; piece < pieces && error == 0; piece = next++) {
            if (const int e = task(nullptr, piece, closure)) {
                error = e;
            }
        }
    };
    std::vector<std::thread> others;
    for (int t = 1; t < std::min(threads, pieces); t++) {
        others.emplace_back(work);
    }
    work();
    for (std::thread &t : others) {
        t.join();
    }
    return error;
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
    const auto task = [](void *, int piece, uint8_t *closure) {
        return multiply_piece(*reinterpret_cast<const Whole<T> *>(closure), piece);
    };
    const auto pieces = static_cast<int>(whole.pieces());
    auto *closure = reinterpret_cast<uint8_t *>(&whole);
    if (tasks > 1 && pieces > 1) {
        return halide_do_par_for != nullptr ? halide_do_par_for(nullptr, task, 0, pieces, closure)
                                            : run_in_threads(task, pieces, tasks, closure);
    }
    for (int piece = 0; piece < pieces; piece++) {
        if (const int error = multiply_piece(whole, piece)) {
            return error;
        }
    }
    return halide_error_code_success;
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
