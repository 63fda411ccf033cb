#include "schedules/calls/winograd_matrices.h"

#include <cmath>

namespace eutectic {

using namespace Halide;

namespace {

/** The sum of `row[j] * x(j)` over every j that is `parity` modulo 2. */
Expr half(const std::vector<double> &row, int parity, const Points &x) {
    Expr sum;
    for (int j = parity; j < static_cast<int>(row.size()); j += 2) {
        if (row[j] == 0) {
            continue;
        }
        const Expr point = x(j);
        const Expr size = Internal::make_const(point.type(), std::abs(row[j]));
        const Expr term = std::abs(row[j]) == 1 ? point : size * point;
        sum = sum.defined() ? (row[j] < 0 ? sum - term : sum + term) : row[j] < 0 ? -term : term;
    }
    return sum;
}

Expr plus(const Expr &a, const Expr &b) {
    return !a.defined() ? b : !b.defined() ? a : a + b;
}

}  // namespace

const WinogradAlgorithm &winograd_of_2x2() {
    static const WinogradAlgorithm a{"winograd_2x2",
                                     2,
                                     {{1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}},
                                     {{1, 0, 0}, {.5, .5, .5}, {.5, -.5, .5}, {0, 0, 1}},
                                     {{1, 1, 1, 0}, {0, 1, -1, -1}}};
    return a;
}

const WinogradAlgorithm &winograd_of_4x4() {
    static const WinogradAlgorithm a{
        "winograd_4x4",
        4,
        {{4, 0, -5, 0, 1, 0},
         {0, -4, -4, 1, 1, 0},
         {0, 4, -4, -1, 1, 0},
         {0, -2, -1, 2, 1, 0},
         {0, 2, -1, -2, 1, 0},
         {0, 4, 0, -5, 0, 1}},
        {{1. / 4, 0, 0},
         {-1. / 6, -1. / 6, -1. / 6},
         {-1. / 6, 1. / 6, -1. / 6},
         {1. / 24, 1. / 12, 1. / 6},
         {1. / 24, -1. / 12, 1. / 6},
         {0, 0, 1}},
        {{1, 1, 1, 1, 1, 0}, {0, 1, -1, 2, -2, 0}, {0, 1, 1, 4, 4, 0}, {0, 1, -1, 8, -8, 1}}};
    return a;
}

Expr row_times(const Matrix &m, int i, const Points &x) {
    const auto mirrors = [&](int a, int b) {
        bool same = true, other = false;
        for (size_t j = 0; j < m[a].size(); j++) {
            same = same && m[a][j] == (j % 2 == 0 ? m[b][j] : -m[b][j]);
            other = other || (j % 2 == 1 && m[a][j] != 0);
        }
        return same && other;
    };
    if (i > 0 && mirrors(i, i - 1)) {
        return half(m[i - 1], 0, x) - half(m[i - 1], 1, x);
    }
    return plus(half(m[i], 0, x), half(m[i], 1, x));
}

Expr columns_times(const Matrix &m, int i, const Points &x) {
    Expr sum;
    for (int j = 0; j < static_cast<int>(m[i].size()); j++) {
        const double c = m[i][j];
        if (c == 0) {
            continue;
        }
        const bool pair = j % 2 == 1 && j + 2 < static_cast<int>(m[i].size());
        Expr term = !pair ? x(j) : m[i][j + 1] == c ? x(j) + x(j + 1) : x(j) - x(j + 1);
        term = c == 1 ? term : Internal::make_const(term.type(), c) * term;
        sum = plus(sum, term);
        j += pair ? 1 : 0;
    }
    return sum;
}

}  // namespace eutectic
