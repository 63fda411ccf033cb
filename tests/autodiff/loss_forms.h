#pragma once

// Softmaxes, their logarithms, and losses over these, in the ways that people write them.

#include "gradient_check.h"

#include <Halide.h>

#include <functional>
#include <string>
#include <vector>

namespace eutectic::test {

namespace losses {

constexpr int classes = 7, first_class = 2, examples = 5, first_example = -3;
const Halide::Var i("i"), j("j");
const Shapes shapes{{"x", {{first_class, classes}, {first_example, examples}}},
                    {"target", {{first_class, classes}, {first_example, examples}}},
                    {"labels", {{first_example, examples}}},
                    {"rows", {{first_example, examples}}},
                    {"mean", {}}};

/// Logits z = 1.5 x, and what losses compare them with.
struct Network {
    explicit Network(const Halide::Type &t);
    Halide::Expr number(double value) const;
    Halide::Expr label(const Halide::Expr &row) const;
    Halide::Func max_of_rows();
    /// Of exp(z - m); of any term.
    Halide::Func sum_of_exponentials(const Halide::Func &m);
    Halide::Func sum_of(const std::function<Halide::Expr(Halide::Expr)> &term);

    const Halide::Type type;
    const Halide::ImageParam x, target, labels;
    const Halide::RDom r, b;  // columns, rows
    Halide::Func z{"z"};
};

/// The logarithm of the softmax of the logits at a column and a row.
using Logarithm = std::function<Halide::Expr(Halide::Expr, Halide::Expr)>;
struct LogarithmForm {
    std::string name;
    std::function<Logarithm(Network &)> of;
    bool is_plain = true;  ///< the softmax of a row, and no condition
};
const std::vector<LogarithmForm> &logarithm_forms();

/// The values of the logarithm, and what losses compare them with.
struct Truth {
    const Halide::Buffer<double> &l, &target;
    const Halide::Buffer<int> &labels;
    double hit(int c, int row) const {
        return labels(row) == c ? 1 : 0;
    }
};
/// A loss, and its derivative by the logarithm at (c, row).
struct LossForm {
    std::string name;
    bool of_rows;  ///< a number a row; otherwise one in all
    std::function<Halide::Func(Network &, const Logarithm &)> of;
    std::function<double(const Truth &, int c, int row)> slope;
};
const std::vector<LossForm> &loss_forms();

}  // namespace losses

}  // namespace eutectic::test
