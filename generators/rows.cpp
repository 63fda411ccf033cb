// Operations on rows (ops.h): softmax and its logarithm, normalizations, cross entropy.

#include "generators/ops.h"

using namespace Halide;

namespace eutectic {

namespace {

/// A tensor of rows, x(j, i…).
struct Rows {
    explicit Rows(const Func &tensor) : x(tensor), type(arithmetic_type(tensor.type())) {
        const char *names[] = {"i", "h", "b"};
        for (int d = 1; d < tensor.dimensions(); d++) {
            i.emplace_back(d <= 3 ? names[d - 1] : "i" + std::to_string(d));
        }
    }

    /// (first, i…).
    std::vector<Expr> at(const Expr &first) const {
        std::vector<Expr> index{first};
        index.insert(index.end(), i.begin(), i.end());
        return index;
    }
    /// (j, i…).
    std::vector<Var> all() const {
        std::vector<Var> vars{j};
        vars.insert(vars.end(), i.begin(), i.end());
        return vars;
    }
    Expr element(const Expr &column) const {
        return widen(x(at(column)));
    }
    /// For a row's sums, which have its arithmetic type.
    Expr zero() const {
        return cast(type, 0);
    }

    Func x;
    Type type;
    Var j{"j"};
    std::vector<Var> i;
};

/// One value a row: sum over the columns of the mean's terms, divided by their number.
Func row_mean(const Rows &rows, const RDom &columns, const Expr &term, const std::string &name) {
    Func sum(name + "_sum"), mean(name);
    sum(rows.i) = rows.zero();
    sum(rows.i) += term;
    mean(rows.i) = sum(rows.i) / cast(rows.type, columns.x.extent());
    return mean;
}

}  // namespace

Type arithmetic_type(const Type &storage) {
    return storage.is_float() && storage.bits() < 32 ? Float(32) : storage;
}

Expr widen(const Expr &x) {
    return cast(arithmetic_type(x.type()), x);
}

Func row_maximum(const Func &x, const RDom &columns) {
    const Rows rows(x);
    Func m("row_max");
    m(rows.i) = rows.type.min();
    m(rows.i) = max(m(rows.i), rows.element(columns));
    return m;
}

void define_softmax(Func y, const Func &x, const RDom &columns) {
    const Rows rows(x);
    Func exps("exps"), sum_exp("sum_exp");
    const Func m = row_maximum(x, columns);
    exps(rows.all()) = exp(rows.element(rows.j) - m(rows.i));
    sum_exp(rows.i) = rows.zero();
    sum_exp(rows.i) += exps(rows.at(columns));
    y(rows.all()) = cast(x.type(), exps(rows.all()) / sum_exp(rows.i));
}

Func softmax(const Func &x, const RDom &columns) {
    Func y("softmax");
    define_softmax(y, x, columns);
    return y;
}

void define_log_softmax(Func y, const Func &x, const RDom &columns) {
    const Rows rows(x);
    Func sum_exp("sum_exp"), log_sum_exp("log_sum_exp");
    const Func m = row_maximum(x, columns);
    sum_exp(rows.i) = rows.zero();
    sum_exp(rows.i) += exp(rows.element(columns) - m(rows.i));
    log_sum_exp(rows.i) = log(sum_exp(rows.i));
    y(rows.all()) = cast(x.type(), rows.element(rows.j) - m(rows.i) - log_sum_exp(rows.i));
}

Func log_softmax(const Func &x, const RDom &columns) {
    Func y("log_softmax");
    define_log_softmax(y, x, columns);
    return y;
}

void define_layernorm(Func y, const Func &x, const RDom &columns, const Func &scale, const Func &bias,
                      float epsilon) {
    const Rows rows(x);
    Func centred("centred"), inverse("inverse_deviation");
    const Func mean = row_mean(rows, columns, rows.element(columns), "mean");
    centred(rows.all()) = rows.element(rows.j) - mean(rows.i);
    const Expr deviation = centred(rows.at(columns));
    const Func variance = row_mean(rows, columns, deviation * deviation, "variance");
    inverse(rows.i) = cast(rows.type, 1) / sqrt(variance(rows.i) + cast(rows.type, epsilon));
    y(rows.all()) =
        cast(x.type(), centred(rows.all()) * inverse(rows.i) * widen(scale(rows.j)) + widen(bias(rows.j)));
}

Func layernorm(const Func &x, const RDom &columns, const Func &scale, const Func &bias, float epsilon) {
    Func y("layernorm");
    define_layernorm(y, x, columns, scale, bias, epsilon);
    return y;
}

void define_rmsnorm(Func y, const Func &x, const RDom &columns, const Func &scale, float epsilon) {
    const Rows rows(x);
    Func inverse("inverse_rms");
    const Func mean_square =
        row_mean(rows, columns, rows.element(columns) * rows.element(columns), "mean_square");
    inverse(rows.i) = cast(rows.type, 1) / sqrt(mean_square(rows.i) + cast(rows.type, epsilon));
    y(rows.all()) = cast(x.type(), rows.element(rows.j) * inverse(rows.i) * widen(scale(rows.j)));
}

Func rmsnorm(const Func &x, const RDom &columns, const Func &scale, float epsilon) {
    Func y("rmsnorm");
    define_rmsnorm(y, x, columns, scale, epsilon);
    return y;
}

Func row_cross_entropy(const Func &logits, const RDom &columns, const Func &labels) {
    const Rows rows(logits);
    const Func m = row_maximum(logits, columns);
    Func sum_exp("sum_exp"), row_loss("row_loss");
    sum_exp(rows.i) = rows.zero();
    sum_exp(rows.i) += exp(rows.element(columns) - m(rows.i));
    const Expr label = clamp(labels(rows.i), columns.x.min(), columns.x.min() + columns.x.extent() - 1);
    row_loss(rows.i) = log(sum_exp(rows.i)) + m(rows.i) - rows.element(label);
    return row_loss;
}

void define_mean_cross_entropy(Func loss, const Func &logits, const RDom &columns, const Func &labels,
                               const RDom &rows) {
    const Type type = arithmetic_type(logits.type());
    const Func row_loss = row_cross_entropy(logits, columns, labels);
    Func total("total_loss");
    total() = cast(type, 0);
    total() += row_loss(rows);
    loss() = cast(logits.type(), total() / cast(type, rows.x.extent()));
}

}  // namespace eutectic
