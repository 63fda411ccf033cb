// Values that the backward has from results: computed back within a bound that the report gives, or refused
// with the reason; and derivatives that need the output alone.

#include "gradient_check.h"

#include "base/regex.h"
#include "base/user_error.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace eutectic;
using namespace eutectic::test;
using namespace Halide;

namespace {

const Type f32 = Float(32);
const Var i("i");
constexpr int size = 4096;

constexpr int copies = 3;

// Three times y = f(b) and t = b b of b = s(s(s(x))) + shift, with s(x) = log(1 + exp(x)): b is dear to
// recompute, and the derivative of t reads it.
Subject of_result(const std::function<Expr(Expr)> &f, float shift, const std::string &ranges) {
    std::vector<ImageParam> inputs;
    std::vector<NamedOutput> outputs;
    for (int copy = 0; copy < copies; copy++) {
        const std::string number = std::to_string(copy);
        inputs.emplace_back(f32, 1, "x" + number);
        inputs.back().dim(0).set_estimate(0, size);
        Expr softplus = inputs.back()(i);
        for (int n = 0; n < 3; n++) {
            softplus = log(1.0f + exp(softplus));
        }
        Func b("b" + number), y("y" + number), t("t" + number);
        b(i) = softplus + shift;
        y(i) = f(b(i));
        t(i) = b(i) * b(i);
        for (Func output : {y, t}) {
            output.set_estimate(i, 0, size);
            outputs.push_back({output.name(), output});
        }
    }
    for (size_t n = 0; n < outputs.size(); n++) {
        outputs[n].name =
            (n % 2 ? "t" : "y") + std::to_string(n / 2);  // without what made the Func's name unique
    }
    Subject subject = by_hand(inputs, outputs);
    subject.problem.residuals.ranges = parse_ranges(ranges);
    return subject;
}

const Residual *row_of(const Differentiated &d, const std::string &name) {
    for (const Residual &r : d.without_residual) {
        if (r.name == name) {
            return &r;
        }
    }
    return nullptr;
}

Bytes bytes_of(const Differentiated &d) {
    Bytes sum = 0;
    for (const ResidualTensor &r : d.residuals) {
        sum += r.info.bytes;
    }
    return sum;
}

// The gradient of x by both, under the budget; the largest difference from central differences in double
// would hide float32's rounding, so it is compared with the float32 gradient of what keeps everything.
double difference(const Subject &a, const Subject &b) {
    Shapes shapes;
    for (int copy = 0; copy < copies; copy++) {
        for (const char *name : {"x", "y", "t"}) {
            shapes[name + std::to_string(copy)] = {{0, size}};
        }
    }
    Check<float> one(a, shapes), other(b, shapes);
    one.draw(3, 0, 1);
    other.draw(3, 0, 1);
    const Tensors<float> g = one.gradients(), h = other.gradients();
    double worst = 0, largest = 0;
    for (const auto &[name, gradient] : g) {
        for (int n = 0; n < size; n++) {
            worst = std::max(worst, std::abs(static_cast<double>(gradient(n)) - h.at(name)(n)));
            largest = std::max(largest, std::abs(static_cast<double>(gradient(n))));
        }
    }
    return worst / largest;
}

struct Rewrite {
    std::string name;
    std::function<Expr(Expr)> f;
    float shift;
    std::string how;  // of the report
};

}  // namespace

TEST_CASE("a value is computed back from a result within the bound that the report gives") {
    const std::vector<Rewrite> rewrites{
        {"log", [](const Expr &b) { return log(b); }, 0,
         "computed back as exp(y), off by at most 2.11 units in the last place"},
        {"exp", [](const Expr &b) { return exp(b); }, 0,
         "computed back as log(y), off by at most 2.65 units in the last place"},
        {"sqrt", [](const Expr &b) { return sqrt(b); }, 0,
         "computed back as y^2, off by at most 3 units in the last place"},
        {"sigmoid", [](const Expr &b) { return 1.0f / (1.0f + exp(-b)); }, -7,
         "computed back as log(y / (1 - y)), off by at most 2.14 units in the last place"},
    };
    for (const Rewrite &rewrite : rewrites) {
        CAPTURE(rewrite.name);
        const auto subject = [&](std::optional<Bytes> budget) {
            Subject s = of_result(rewrite.f, rewrite.shift, "x0:-1:1,x1:-1:1,x2:-1:1");
            s.problem.residuals.budget = budget;
            return s;
        };
        // Not enough to keep every b: some have to be recomputed, and computing them back is the faster way.
        const Bytes budget = copies * size * 4 - 1;
        const Differentiated d = differentiate(subject(budget).problem);
        CHECK(bytes_of(d) + d.temporary_bytes <= budget);
        int rewritten = 0;
        for (int copy = 0; copy < copies; copy++) {
            const std::string number = std::to_string(copy);
            const Residual *b = row_of(d, "b" + number);
            if (b) {
                CHECK(b->kind == "rewritten");
                const std::string how = Regex("\\by\\b").replace_in(rewrite.how, "y" + number);
                CHECK(b->reason.find(how + "; keeping it would take ") == 0);
                REQUIRE(row_of(d, "y" + number) != nullptr);
                CHECK(row_of(d, "y" + number)->kind == "output");
                rewritten++;
            }
        }
        CHECK(rewritten > 0);
        CHECK(differentiate(subject({}).problem).residuals.size() ==
              copies);  // where memory is not short, b is kept
        Subject keeps = subject({});
        keeps.problem.residuals.policy = ResidualPolicy::save_all;
        CHECK(difference(keeps, subject(budget)) <= 1e-5);
    }
}

TEST_CASE("a value that would lose more is not computed back, and the report says why") {
    const auto refused = [](const std::function<Expr(Expr)> &f, float shift, const std::string &ranges) {
        Subject subject = of_result(f, shift, ranges);
        const Differentiated d = differentiate(subject.problem);
        std::string said;
        const auto add = [&](const Residual &r) {
            for (const std::string &sentence : r.refused) {
                said += sentence + "\n";
            }
        };
        for (const ResidualTensor &r : d.residuals) {
            add(r.info);
        }
        for (const Residual &r : d.without_residual) {
            add(r);
        }
        CHECK((!row_of(d, "b0") || row_of(d, "b0")->kind != "rewritten"));
        return said;
    };
    CHECK(refused([](const Expr &b) { return exp(b); }, -1.5f, "x0:-1:1,x1:-1:1,x2:-1:1")
              .find("y0 = exp(b0), so that b0 could be log(y0), but for b0 in [-0.286, 0.244] that is off "
                    "without bound, and more than 4 are refused\n") != std::string::npos);
    CHECK(refused([](const Expr &b) { return tanh(b); }, 0, "x0:-1:1,x1:-1:1,x2:-1:1")
              .find("units in the last place, and more than 4 are refused\n") != std::string::npos);
    CHECK(refused([](const Expr &b) { return log(b); }, 0, "")
              .find("y0 = log(b0), so that b0 could be exp(y0), but no range is known for b0: declare the "
                    "ranges of the inputs in value_ranges\n") != std::string::npos);
}

TEST_CASE("where the derivative is one of the output, the output is all that is needed") {
    const auto needs = [](const std::function<Expr(Expr)> &f) {
        ImageParam x(f32, 2, "x"), w(f32, 2, "w");
        x.dim(0).set_estimate(0, 256);
        x.dim(1).set_estimate(0, 64);
        w.dim(0).set_estimate(0, 128);
        w.dim(1).set_estimate(0, 256);
        const Var j("j");
        const RDom r(0, 256);
        Func z("z"), y("y");
        z(j, i) = 0.0f;
        z(j, i) += x(r, i) * w(j, r);
        y(j, i) = f(z(j, i));
        y.set_estimate(j, 0, 128).set_estimate(i, 0, 64);
        const Differentiated d = differentiate(by_hand({x, w}, {{"y", y}}).problem);
        std::string kept;
        for (const ResidualTensor &residual : d.residuals) {
            kept += residual.info.name + " " + residual.info.kind + "\n";
        }
        return kept + (d.outputs.empty() ? "" : d.outputs[0].name());
    };
    CHECK(needs([](const Expr &z) { return exp(z); }) == "y");
    CHECK(needs([](const Expr &z) { return tanh(z); }) == "y");
    CHECK(needs([](const Expr &z) { return 1.0f / (1.0f + exp(-z)); }) == "y");
    CHECK(needs([](const Expr &z) { return sqrt(z); }) == "y");
    CHECK(needs([](const Expr &z) { return max(z, 0.0f); }) == "y");
    Subject softmax = from_generator("softmax", {{"rows", "8"}, {"cols", "64"}});
    const Differentiated d = differentiate(softmax.problem);
    CHECK(d.residuals.empty());
    REQUIRE(d.outputs.size() == 1);
    CHECK(d.outputs[0].name() == "y");
}
