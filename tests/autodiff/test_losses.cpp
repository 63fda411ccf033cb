// Losses over logarithms of a softmax, in every way of writing both: gradients at logits of a few hundred,
// where exponentials of float32 overflow and probabilities are 0, against the closed form in double.

#include "loss_forms.h"
#include "tangent_check.h"

#include "tests/support/all_cases.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace eutectic;
using namespace eutectic::test;
using namespace eutectic::test::losses;
using namespace Halide;

namespace {

// The largest error of x's gradient, over the largest of what it is made of.
template<typename T>
double error_of(const LogarithmForm &logarithm, const LossForm &loss, double magnitude, bool joint) {
    Network n(type_of<T>());
    const Func y = loss.of(n, logarithm.of(n));
    Subject subject = by_hand({n.x, n.target, n.labels}, {{loss.of_rows ? "rows" : "mean", y}});
    subject.problem.wrt = {"x"};
    subject.problem.joint = joint;
    subject.ranges = {{"x", {-magnitude, magnitude}}, {"target", {0, 1}}};
    Check<T> check(subject, shapes);
    check.draw(17, first_class, classes);
    const Buffer<T> gradient = check.gradients().at("x"), x = check.inputs.at("x");
    Buffer<double> l(classes, examples), target(classes, examples);
    l.set_min(first_class, first_example);
    target.set_min(first_class, first_example);
    double worst = 0, largest = 0;
    for (int row = first_example; row < first_example + examples; row++) {
        double top = -INFINITY, sum = 0, slopes = 0;
        const auto z = [&](int c) { return 1.5 * static_cast<double>(x(c, row)); };
        for (int c = first_class; c < first_class + classes; c++) {
            top = std::max(top, z(c));
            target(c, row) = static_cast<double>(check.inputs.at("target")(c, row));
        }
        for (int c = first_class; c < first_class + classes; c++) {
            sum += std::exp(z(c) - top);
        }
        const Truth truth{l, target, check.integers.at("labels")};
        for (int c = first_class; c < first_class + classes; c++) {
            l(c, row) = z(c) - top - std::log(sum);
            slopes += loss.slope(truth, c, row);
        }
        const Buffer<T> upstream = check.upstream.at(loss.of_rows ? "rows" : "mean");
        const double u = static_cast<double>(loss.of_rows ? upstream(row) : upstream());
        for (int c = first_class; c < first_class + classes; c++) {
            const double slope = loss.slope(truth, c, row);
            const double expected = 1.5 * u * (slope - std::exp(l(c, row)) * slopes);
            const double off = std::abs(expected - static_cast<double>(gradient(c, row)));
            worst = std::isnan(off) ? INFINITY : std::max(worst, off);
            // What cancels in it is rounded, too.
            largest = std::max({largest, std::abs(expected), std::abs(1.5 * u * slope)});
        }
    }
    return worst / largest;
}

}  // namespace

TEST_CASE("gradients of losses at logits of hundreds are those of the closed form") {
    const bool all = all_cases();
    for (size_t l = 0; l < logarithm_forms().size(); l++) {
        for (size_t k = 0; k < loss_forms().size(); k++) {
            const LogarithmForm &logarithm = logarithm_forms()[l];
            const LossForm &loss = loss_forms()[k];
            // Every form of each with some of the other.
            if (!all && k > 1 && (l + k) % 6 != 0) {
                continue;
            }
            CAPTURE(logarithm.name);
            CAPTURE(loss.name);
            // Logits up to 300, rounded in float32, are off by 1.5e-5, and exponentials of differences by
            // that.
            CHECK(error_of<float>(logarithm, loss, 200, (l + k) % 2 != 0) <= 3e-5);
            if (all || k < 2) {
                CHECK(error_of<double>(logarithm, loss, 1, false) <= 1e-13);
            }
        }
    }
}

TEST_CASE("losses, however they are written, keep what the one of log-sum-exp does") {
    const auto kept = [](const LogarithmForm &logarithm, const LossForm &loss) {
        Network n(Float(32));
        const Func y = loss.of(n, logarithm.of(n));
        n.x.dim(0).set_estimate(0, 1000);
        n.x.dim(1).set_estimate(0, 64);
        Subject subject = by_hand({n.x, n.target, n.labels}, {{"y", y}});
        subject.problem.wrt = {"x"};
        std::string text;
        const Differentiated d = differentiate(subject.problem);
        for (const ResidualTensor &r : d.residuals) {
            text += r.info.kind + " ";
        }
        return text;
    };
    for (const LogarithmForm &logarithm : logarithm_forms()) {
        if (!logarithm.is_plain) {
            continue;  // no softmax of a row: it keeps the maxima and sums of its own
        }
        CAPTURE(logarithm.name);
        CHECK(kept(logarithm, loss_forms()[0]) == "lse ");
        CHECK(kept(logarithm, loss_forms()[2]) == "lse ");
        CHECK(kept(logarithm, loss_forms()[1]) ==
              (logarithm.name == "a Func of terms" ? "saved " : "saved saved "));
    }
}

TEST_CASE("tangents and second derivatives of losses") {
    for (const size_t l : {3, 9, 11, 12}) {
        const LogarithmForm &logarithm = logarithm_forms()[l];
        const LossForm &loss = loss_forms()[l % 2];
        CAPTURE(logarithm.name);
        const auto subject = [&] {
            Network n(Float(64));
            const Func y = loss.of(n, logarithm.of(n));
            Subject of_x = by_hand({n.x, n.target, n.labels}, {{"rows", y}});
            of_x.problem.wrt = {"x"};
            return of_x;
        };
        const TangentErrors errors = tangent_errors(subject, shapes, 23, first_class, classes);
        CHECK(errors.values <= 1e-13);
        CHECK(errors.identity <= 1e-12);
        CHECK(errors.differences <= gradient_tolerance);
        CHECK(hvp_error(subject, shapes, 23, first_class, classes) <= gradient_tolerance);
    }
}

TEST_CASE("a sum of exponentials that is read otherwise stays, and so does all that strict numerics want") {
    Network n(Float(64));
    const Func s = n.sum_of([&](const Expr &c) { return exp(n.z(c, i)); });
    Func y("y"), twice("twice");
    y(i) = log(s(i));
    twice(i) = s(i) * 2;
    Check<double> check(by_hand({n.x}, {{"rows", y}, {"twice", twice}}),
                        {{"x", shapes.at("x")}, {"rows", shapes.at("rows")}, {"twice", shapes.at("rows")}});
    CHECK(gradient_error(check, 29) <= gradient_tolerance);
    CHECK(definitions(y).find("max(") == std::string::npos);

    Network other(Float(64));
    const Func loss = loss_forms()[0].of(other, logarithm_forms()[9].of(other));
    const std::string written = definitions(loss);
    Subject strict = by_hand({other.x, other.labels}, {{"rows", loss}});
    strict.problem.as_written = true;
    strict.problem.residuals.policy = ResidualPolicy::recompute_all;
    differentiate(strict.problem);
    CHECK(definitions(loss) == written);
}
