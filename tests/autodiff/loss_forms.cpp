#include "loss_forms.h"

#include <cmath>

using namespace Halide;

namespace eutectic::test::losses {

namespace {

Logarithm log_of(const Func &p) {
    return [p](const Expr &c, const Expr &row) { return log(p(c, row)); };
}

std::vector<LogarithmForm> through_terms() {
    return {
        {"terms",
         [](Network &n) -> Logarithm {
             const Func m = n.max_of_rows(), z = n.z;
             const Func s = n.sum_of_exponentials(m);
             return [=](const Expr &c, const Expr &row) { return z(c, row) - m(row) - log(s(row)); };
         }},
        {"a Func of terms",
         [](Network &n) -> Logarithm {
             const Func m = n.max_of_rows(), z = n.z;
             const Func s = n.sum_of_exponentials(m);
             Func l("l");
             l(j, i) = z(j, i) - m(i) - log(s(i));
             return [=](const Expr &c, const Expr &row) { return l(c, row); };
         }},
        {"lse",
         [](Network &n) -> Logarithm {
             const Func m = n.max_of_rows(), z = n.z;
             const Func s = n.sum_of_exponentials(m);
             Func lse("lse");
             lse(i) = m(i) + log(s(i));
             return [=](const Expr &c, const Expr &row) { return z(c, row) - lse(row); };
         }},
        {"p",
         [](Network &n) -> Logarithm {
             const Func m = n.max_of_rows(), z = n.z;
             const Func s = n.sum_of_exponentials(m);
             Func p("p");
             p(j, i) = exp(z(j, i) - m(i)) / s(i);
             return log_of(p);
         }},
    };
}

std::vector<LogarithmForm> of_exponentials() {
    return {
        {"e, p",
         [](Network &n) -> Logarithm {
             const Func m = n.max_of_rows(), z = n.z;
             Func e("e"), p("p");
             e(j, i) = exp(z(j, i) - m(i));
             const Func s = n.sum_of([&](const Expr &c) { return e(c, i); });
             p(j, i) = e(j, i) / s(i);
             return log_of(p);
         }},
        {"shifted, e, p",
         [](Network &n) -> Logarithm {
             const Func m = n.max_of_rows(), z = n.z;
             Func shifted("shifted"), e("e"), p("p");
             shifted(j, i) = z(j, i) - m(i);
             e(j, i) = exp(shifted(j, i));
             const Func s = n.sum_of([&](const Expr &c) { return e(c, i); });
             p(j, i) = e(j, i) / s(i);
             return log_of(p);
         }},
        {"p by the reciprocal",
         [](Network &n) -> Logarithm {
             const Func m = n.max_of_rows(), z = n.z;
             Func e("e"), p("p"), inverse("inverse");
             e(j, i) = exp(z(j, i) - m(i));
             const Func s = n.sum_of([&](const Expr &c) { return e(c, i); });
             inverse(i) = 1 / s(i);
             p(j, i) = e(j, i) * inverse(i);
             return log_of(p);
         }},
        {"log e - log s",
         [](Network &n) -> Logarithm {
             const Func m = n.max_of_rows(), z = n.z;
             Func e("e");
             e(j, i) = exp(z(j, i) - m(i));
             const Func s = n.sum_of([&](const Expr &c) { return e(c, i); });
             return [=](const Expr &c, const Expr &row) { return log(e(c, row)) - log(s(row)); };
         }},
        {"maximum(), sum()",
         [](Network &n) -> Logarithm {
             Func e("e"), p("p");
             e(j, i) = exp(n.z(j, i) - maximum(n.z(n.r, i)));
             p(j, i) = e(j, i) / sum(e(n.r, i));
             return log_of(p);
         }},
    };
}

std::vector<LogarithmForm> without_the_maximum() {
    return {
        {"p without the maximum",
         [](Network &n) -> Logarithm {
             const Func z = n.z;
             const Func s = n.sum_of([&](const Expr &c) { return exp(z(c, i)); });
             Func p("p");
             p(j, i) = exp(z(j, i)) / s(i);
             return log_of(p);
         }},
        {"e, p without the maximum",
         [](Network &n) -> Logarithm {
             Func e("e"), p("p");
             e(j, i) = exp(n.z(j, i));
             const Func s = n.sum_of([&](const Expr &c) { return e(c, i); });
             p(j, i) = e(j, i) / s(i);
             return log_of(p);
         }},
        {"exponentials of an expression",
         [](Network &n) -> Logarithm {
             const ImageParam x = n.x;
             const auto z = [x, n](const Expr &c, const Expr &row) { return x(c, row) * n.number(1.5); };
             const Func s = n.sum_of([&](const Expr &c) { return exp(z(c, i)); });
             Func p("p");
             p(j, i) = exp(z(j, i)) / s(i);
             return log_of(p);
         }},
        {"exponentials where a condition holds",
         [](Network &n) -> Logarithm {
             const Func z = n.z;
             const ImageParam x = n.x;
             const auto is_there = [x](const Expr &c) { return c <= x.dim(0).max(); };
             const Func s =
                 n.sum_of([&](const Expr &c) { return select(is_there(c), exp(z(c, i)), n.number(0)); });
             Func p("p");
             p(j, i) = select(is_there(j), exp(z(j, i)), n.number(0)) / s(i);
             return log_of(p);
         },
         false},
        {"terms without the maximum",
         [](Network &n) -> Logarithm {
             const Func z = n.z;
             const Func s = n.sum_of([&](const Expr &c) { return exp(z(c, i)); });
             return [=](const Expr &c, const Expr &row) { return z(c, row) - log(s(row)); };
         }},
    };
}

Func over_rows(const Expr &value) {
    Func loss("loss");
    loss(i) = value;
    return loss;
}

Func sum_over_classes(Network &n, const std::function<Expr(Expr)> &term) {
    Func loss("loss");
    loss(i) = n.number(0);
    loss(i) += term(n.r);
    return loss;
}

Func mean_over(Network &n, const Func &rows) {
    Func total("total"), mean("mean_loss");
    total() = n.number(0);
    total() += rows(n.b);
    mean() = total() / cast(n.type, n.x.dim(1).extent());
    return mean;
}

std::vector<LossForm> of_one_or_all_columns() {
    return {
        {"-log p[label]", true, [](Network &n, const Logarithm &l) { return over_rows(-l(n.label(i), i)); },
         [](const Truth &t, int c, int row) { return -t.hit(c, row); }},
        {"sum of -target log p", true,
         [](Network &n, const Logarithm &l) {
             return sum_over_classes(n, [&](const Expr &c) { return -n.target(c, i) * l(c, i); });
         },
         [](const Truth &t, int c, int row) { return -t.target(c, row); }},
        {"mean of rows", false,
         [](Network &n, const Logarithm &l) { return mean_over(n, over_rows(-l(n.label(i), i))); },
         [](const Truth &t, int c, int row) { return -t.hit(c, row) / examples; }},
        {"mean over all at once", false,
         [](Network &n, const Logarithm &l) {
             const RDom all({{n.r.x.min(), n.r.x.extent()}, {n.b.x.min(), n.b.x.extent()}});
             Func total("total"), mean("mean_loss");
             total() = n.number(0);
             total() -= n.target(all.x, all.y) * l(all.x, all.y);
             mean() = total() / cast(n.type, n.x.dim(1).extent());
             return mean;
         },
         [](const Truth &t, int c, int row) { return -t.target(c, row) / examples; }},
        {"label smoothing", true,
         [](Network &n, const Logarithm &l) {
             const Func all = sum_over_classes(n, [&](const Expr &c) { return l(c, i); });
             return over_rows(n.number(-0.9) * l(n.label(i), i) -
                              n.number(0.1) * all(i) / cast(n.type, n.x.dim(0).extent()));
         },
         [](const Truth &t, int c, int row) { return -0.9 * t.hit(c, row) - 0.1 / classes; }},
        {"smoothed target", true,
         [](Network &n, const Logarithm &l) {
             return sum_over_classes(n, [&](const Expr &c) {
                 const Expr hit = select(n.label(i) == c, n.number(1), n.number(0));
                 return -(n.number(0.9) * hit + n.number(0.1) / cast(n.type, n.x.dim(0).extent())) * l(c, i);
             });
         },
         [](const Truth &t, int c, int row) { return -0.9 * t.hit(c, row) - 0.1 / classes; }},
    };
}

std::vector<LossForm> further_losses() {
    return {
        {"one-hot sum", true,
         [](Network &n, const Logarithm &l) {
             return sum_over_classes(
                 n, [&](const Expr &c) { return select(n.label(i) == c, -l(c, i), n.number(0)); });
         },
         [](const Truth &t, int c, int row) { return -t.hit(c, row); }},
        {"masked rows", true,
         [](Network &n, const Logarithm &l) {
             return over_rows(select(n.labels(i) == first_class, n.number(0), -l(n.label(i), i)));
         },
         [](const Truth &t, int c, int row) { return t.labels(row) == first_class ? 0 : -t.hit(c, row); }},
        {"weighted by class", true,
         [](Network &n, const Logarithm &l) {
             return over_rows(-l(n.label(i), i) * cast(n.type, n.label(i) + 1));
         },
         [](const Truth &t, int c, int row) { return -t.hit(c, row) * (c + 1); }},
        {"focal", true,
         [](Network &n, const Logarithm &l) {
             Func chosen("chosen");
             chosen(i) = l(n.label(i), i);
             return over_rows(-(1 - exp(chosen(i))) * (1 - exp(chosen(i))) * chosen(i));
         },
         [](const Truth &t, int c, int row) {
             const double l = t.l(c, row), p = std::exp(l);
             return t.hit(c, row) * (2 * (1 - p) * p * l - (1 - p) * (1 - p));
         }},
        {"entropy", true,
         [](Network &n, const Logarithm &l) {
             return sum_over_classes(n, [&](const Expr &c) { return -exp(l(c, i)) * l(c, i); });
         },
         [](const Truth &t, int c, int row) { return -std::exp(t.l(c, row)) * (1 + t.l(c, row)); }},
        {"a Func of the logarithms, its square too", true,
         [](Network &n, const Logarithm &l) {
             Func f("f");
             f(j, i) = l(j, i);
             return sum_over_classes(n, [&](const Expr &c) { return f(c, i) * f(c, i) / 1000; });
         },
         [](const Truth &t, int c, int row) { return t.l(c, row) / 500; }},
    };
}

template<typename Form>
std::vector<Form> joined(const std::vector<std::vector<Form>> &groups) {
    std::vector<Form> all;
    for (const std::vector<Form> &group : groups) {
        all.insert(all.end(), group.begin(), group.end());
    }
    return all;
}

}  // namespace

Network::Network(const Type &t)
    : type(t),
      x(t, 2, "x"),
      target(t, 2, "target"),
      labels(Int(32), 1, "labels"),
      r(x.dim(0).min(), x.dim(0).extent()),
      b(x.dim(1).min(), x.dim(1).extent()) {
    z(j, i) = x(j, i) * number(1.5);
}

Expr Network::number(double value) const {
    return cast(type, Expr(value));
}

Expr Network::label(const Expr &row) const {
    return clamp(labels(row), x.dim(0).min(), x.dim(0).max());
}

Func Network::max_of_rows() {
    Func m("m");
    m(i) = type.min();
    m(i) = max(m(i), z(r, i));
    return m;
}

Func Network::sum_of_exponentials(const Func &m) {
    return sum_of([&](const Expr &c) { return exp(z(c, i) - m(i)); });
}

Func Network::sum_of(const std::function<Expr(Expr)> &term) {
    Func s("s");
    s(i) = number(0);
    s(i) += term(r);
    return s;
}

const std::vector<LogarithmForm> &logarithm_forms() {
    static const std::vector<LogarithmForm> forms =
        joined<LogarithmForm>({through_terms(), of_exponentials(), without_the_maximum()});
    return forms;
}

const std::vector<LossForm> &loss_forms() {
    static const std::vector<LossForm> forms = joined<LossForm>({of_one_or_all_columns(), further_losses()});
    return forms;
}

}  // namespace eutectic::test::losses
