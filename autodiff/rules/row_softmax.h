#pragma once

// The statistics of a stable softmax over one dimension of a Func z, as the softmax rules meet them:
//     m(i) = max over r of z(r, i),   s(i) = sum over r of exp(z(r, i) - m(i)).

#include "autodiff/rules/rule.h"

#include <Halide.h>

#include <optional>
#include <string>
#include <vector>

namespace eutectic {

struct RowSoftmax {
    Halide::Internal::Function z, max;
    size_t dim = 0;  // the dimension of z that r runs over; the others are i, in order
    Halide::Internal::ReductionVariable range;
};

/// z(…, index, …) with the other arguments exactly the variables `rows` in order: z, dim and index;
/// nothing otherwise.
struct RowLoad {
    Halide::Internal::Function z;
    size_t dim;
    Halide::Expr index;
};
std::optional<RowLoad> row_load(const Halide::Expr &e, const std::vector<std::string> &rows);
/// The same where dim is given and index may be anything.
std::optional<RowLoad> row_load_at(const Halide::Expr &e, const std::vector<std::string> &rows, size_t dim);

/// t of exp(t), seen through pure Funcs around both; undefined where e is no exponential.
Halide::Expr exponent_of(const Halide::Expr &e);

/// e = exp(z(r, i) - m(i)), with m the maximum over the whole of the same range: matches `sum` = s above,
/// whose exponentials, and the differences in them, may be written out or be pure Funcs of their own.
std::optional<RowSoftmax> row_softmax(const Halide::Internal::Function &sum);

/// The statistics that f reads, where it is a softmax, e(j, i) / s(i); its logarithm; or a loss log(s(i)) +
/// m(i)
/// - z(label(i), i). None of them depends on what m is.
std::optional<RowSoftmax> softmax_of(const Halide::Internal::Function &f);
std::optional<RowSoftmax> log_softmax_of(const Halide::Internal::Function &f);
std::optional<RowSoftmax> softmax_xent_of(const Halide::Internal::Function &f);

/// Is the row of the site's Func, along row.dim, provably the whole row that the sum is over?
bool has_provably_whole_row(const AdjointSite &site, const RowSoftmax &row);
/// The same, or taken to be so between an input and an output, where the caller's buffer says what the row
/// is.
bool is_whole_row(const AdjointSite &site, const RowSoftmax &row);

/// rows with v inserted at position dim.
template<typename T>
std::vector<T> with_column(std::vector<T> rows, size_t dim, const T &v) {
    rows.insert(rows.begin() + static_cast<std::ptrdiff_t>(dim), v);
    return rows;
}

}  // namespace eutectic
