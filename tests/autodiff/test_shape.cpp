// What comes out: the text of tidied adjoints, and what both passes share in one pipeline.

#include "gradient_check.h"
#include "networks.h"

#include "autodiff/expr_tools.h"
#include "tests/support/occurrences.h"

#include <doctest/doctest.h>

#include <set>
#include <sstream>

using namespace eutectic;
using namespace eutectic::test;
using namespace Halide;
using namespace Halide::Internal;

namespace {

// One definition, without types and with the reduction variables called r: d_x_sum(d0, d1) = d_x_sum(d0, d1)
// + ….
std::string plain(std::string text) {
    for (const std::string noise : {"(float32)", "_im", "(uint8)", "(int32)"}) {
        for (size_t at; (at = text.find(noise)) != std::string::npos;) {
            text.erase(at, noise.size());
        }
    }
    for (size_t at = 0; (at = text.find('$', at)) != std::string::npos;) {
        size_t end = at + 1;
        while (end < text.size() && std::isalnum(static_cast<unsigned char>(text[end]))) {
            end++;
        }
        text.erase(at, end - at);
    }
    return text;
}

std::map<std::string, std::string> updates(const Func &f) {
    std::map<std::string, std::string> result;
    for (const auto &[name, g] : build_environment({f.function()})) {
        for (const Definition &update : g.updates()) {
            std::ostringstream out;
            out << substitute_in_all_lets(update.values()[0]);
            result[plain(name)] = plain(out.str());
        }
    }
    return result;
}

const NamedOutput &gradient(const Differentiated &d, const std::string &name) {
    for (const NamedOutput &g : d.gradients) {
        if (g.name == name) {
            return g;
        }
    }
    throw std::runtime_error("no gradient " + name);
}

Differentiated of_generator(const Subject &subject) {
    return differentiate(subject.problem);
}

// Is nothing in a sum of the form self + (0 - e), which Halide makes a difference of?
bool is_zero_negation_free(const Expr &value) {
    const Add *add = substitute_in_all_lets(value).as<Add>();
    const Sub *negated = add ? add->b.as<Sub>() : nullptr;
    return !negated || !is_const_zero(negated->a);
}

}  // namespace

TEST_CASE("a matrix product's adjoints are plain sums of products: no select, no clamp") {
    const Subject subject = from_generator("dense", {});
    const Differentiated d = of_generator(subject);
    CHECK(updates(gradient(d, "d_x").func).at("d_x_sum") == "(d_x_sum(d0, d1) + (d_z(r, d1)*w(r, d0)))");
    CHECK(updates(gradient(d, "d_w").func).at("d_w_sum") == "(d_w_sum(d0, d1) + (d_z(d0, r)*x(d1, r)))");
    CHECK(updates(gradient(d, "d_b").func).at("d_b_sum") == "(d_b_sum(d0) + d_z(d0, r))");
    for (const NamedOutput &g : d.gradients) {
        // Every gradient is a pure Func that reads its sum, so that the sum can be computed inside its tile.
        CHECK_FALSE(g.func.has_update_definition());
        const Function f = g.func.function();
        CHECK(is_identity_call(f.values()[0], f.args()));
    }
    for (const auto &[name, f] : build_environment({gradient(d, "d_w").func.function()})) {
        for (const Definition &update : f.updates()) {
            for (const ReductionVariable &v : update.schedule().rvars()) {
                std::ostringstream range;
                range << v.min << " " << v.extent;
                CHECK(range.str() == "d_y.min.1 d_y.extent.1");
            }
        }
    }
}

TEST_CASE("the same of inputs that are read from 0 on, whose every point is read") {
    // Not from x.dim(0).min() on, which the forward's check of what it reads makes the same.
    ImageParam x(Float(64), 2, "x"), w(Float(64), 2, "w");
    Var o("o"), s("s");
    const RDom r(0, x.dim(0).extent(), "r");
    Func product("product"), y("y");
    product(o, s) = cast<double>(0);
    product(o, s) += x(r, s) * w(o, r);
    y(o, s) = product(o, s) * product(o, s);
    const Subject subject = by_hand({x, w}, {{"y", y}});
    const Differentiated d = differentiate(subject.problem);
    for (const NamedOutput &g : d.gradients) {
        const Function f = g.func.function();
        CHECK(is_identity_call(f.values()[0], f.args()));
    }
    Check<double> check(subject, {{"x", {{0, 5}, {0, 7}}}, {"w", {{0, 3}, {0, 5}}}, {"y", {{0, 3}, {0, 7}}}});
    check.draw(1, 0, 2);
    const Tensors<double> got = check.gradients(), wanted = check.differences();
    for (const auto &[name, tensor] : wanted) {
        CAPTURE(name);
        tensor.for_each_element([&, &name = name, &tensor = tensor](const int *at) {
            CHECK(got.at(name)(at) == doctest::Approx(tensor(at)).epsilon(1e-6));
        });
    }
    // Of a window, of which some points may lie beyond the end, a caller who asks for those gets zeros.
    Func some("some");
    some(o, s) = x(o + 2, s) * x(o + 2, s);
    const Subject window = by_hand({x}, {{"some", some}});
    const Function d_x = differentiate(window.problem).gradients.front().func.function();
    CHECK_FALSE(is_identity_call(d_x.values()[0], d_x.args()));
}

TEST_CASE("pointwise steps of the backward are single pure Funcs") {
    const Subject subject = from_generator("dense", {{"activation", "none"}});
    const Differentiated d = of_generator(subject);
    // Without an activation there is nothing between d_y and the sums.
    CHECK(updates(gradient(d, "d_x").func).at("d_x_sum") == "(d_x_sum(d0, d1) + (d_y(r, d1)*w(r, d0)))");
    CHECK(build_environment({gradient(d, "d_x").func.function()}).size() == 4);  // d_x, d_x_sum, d_y, w
}

TEST_CASE("inner loops of mlp_loss have no guards") {
    const Subject subject = from_generator("mlp_loss", {});
    const Differentiated d = of_generator(subject);
    for (const NamedOutput &g : d.gradients) {
        CHECK(definitions(g.func).find("log_f32") ==
              std::string::npos);  // the log-sum-exp is kept, not recomputed
        for (const auto &[name, text] : updates(g.func)) {
            CAPTURE(name);
            CHECK(text.find("select") == std::string::npos);
            CHECK(text.find("max") == std::string::npos);
            CHECK(text.find("min(") == std::string::npos);
        }
    }
}

TEST_CASE("the sums of a convolution's backward have no guards: edges are Funcs of their own") {
    const Subject subject = from_generator("conv2d", {});
    const Differentiated d = of_generator(subject);
    std::set<std::string> padded;
    for (const NamedOutput &g : d.gradients) {
        for (const auto &[name, text] : updates(g.func)) {
            CAPTURE(name);
            CAPTURE(text);
            CHECK(text.find("select") == std::string::npos);
            CHECK(text.find("max") == std::string::npos);
            CHECK(text.find("min(") == std::string::npos);
        }
        for (const auto &[name, f] : build_environment({g.func.function()})) {
            std::ostringstream value;
            value << (f.has_pure_definition() ? f.values()[0] : Expr());
            if (plain(name).rfind("padded_", 0) == 0 || plain(name).rfind("recomputed_", 0) == 0) {
                padded.insert(plain(name));
                CHECK(value.str().find("likely") != std::string::npos);  // loops are divided at the edge
            }
        }
    }
    CHECK(padded == std::set<std::string>{"padded_d_z", "recomputed_constant_exterior"});
    // A caller who asks for more weights than the window has gets zeros, from sums over a padded input: the
    // access is the plain one.
    const Function d_w = gradient(d, "d_w").func.function();
    const Expr value = substitute_in_all_lets(d_w.values()[0]);
    const std::vector<const Call *> calls = calls_in(value);
    REQUIRE(calls.size() == 1);
    CHECK(is_identity_call(Expr(calls[0]), d_w.args()));
}

TEST_CASE(
    "sums of a normalization's backward add, whatever the sign, and ask about the output's columns only") {
    const Subject subject = from_generator("layernorm", {});
    const Differentiated d = of_generator(subject);
    for (const auto &[name, f] : build_environment({gradient(d, "d_x").func.function()})) {
        CAPTURE(name);
        for (const Definition &update : f.updates()) {
            CHECK(substitute_in_all_lets(update.values()[0]).as<Add>() != nullptr);
            CHECK(is_zero_negation_free(update.values()[0]));
            for (const ReductionVariable &v : update.schedule().rvars()) {
                std::ostringstream range;
                range << v.min << " " << v.extent;
                CHECK(range.str().find("max(") == std::string::npos);
            }
        }
    }
}

TEST_CASE("padding and concatenation have gathers for adjoints, and a scatter-add gives its adjoint on") {
    const std::vector<std::pair<std::string, std::map<std::string, std::string>>> gathers{
        {"conv2d", {}},
        {"depthwise_separable", {}},
        {"bottleneck", {}},
        {"views", {{"view", "concatenate"}}}};
    for (const auto &[name, parameters] : gathers) {
        CAPTURE(name);
        const Subject subject = from_generator(name, parameters);
        const Differentiated d = of_generator(subject);
        for (const NamedOutput &g : d.gradients) {
            CAPTURE(g.name);
            CHECK(definitions(g.func).find("_scatter") == std::string::npos);
        }
    }
    // What a gather reads twice is added up: that one is a scatter.
    const Subject embedding = from_generator("embedding", {}),
                  scatter_add = from_generator("scatter_add", {});
    CHECK(definitions(gradient(of_generator(embedding), "d_table").func).find("_scatter") !=
          std::string::npos);
    const Differentiated d = of_generator(scatter_add);
    for (const std::string name : {"d_table", "d_rows"}) {
        CHECK(updates(gradient(d, name).func).empty());
    }
}

TEST_CASE("what is read at one index has a sum for its gradient, which runs in parallel, and no scatter") {
    const Network chain = chain_of_layers(2, 16, 8);
    const Differentiated d = differentiate(chain.subject.problem);
    for (const std::string name : {"d_w0", "d_w1"}) {
        const std::string text = definitions(gradient(d, name).func);
        CHECK(text.find("_scatter") == std::string::npos);
        CHECK(text.find("_total") != std::string::npos);
    }
}

TEST_CASE("in one pipeline, what both passes compute of an exponential is one Func") {
    const auto joint = [](const std::string &generator) {
        Subject subject = from_generator(generator, {});
        subject.problem.joint = true;
        return differentiate(subject.problem);
    };
    const auto exponentials = [](const Func &f) {
        int count = 0;
        for (const auto &[name, g] : build_environment({f.function()})) {
            for (int update = -1; update < static_cast<int>(g.updates().size()); update++) {
                std::ostringstream out;
                out << substitute_in_all_lets(update < 0 ? g.values()[0] : g.updates()[update].values()[0]);
                count += occurrences(out.str(), "exp_f32");
            }
        }
        return count;
    };
    // Of the whole pipeline, in which the gradient reads the forward.
    const Differentiated gelu = joint("gelu"), loss = joint("softmax_xent");
    CHECK(exponentials(gelu.gradients[0].func) == 1);
    CHECK(definitions(gelu.gradients[0].func).find("shared_exp") != std::string::npos);
    CHECK(exponentials(loss.gradients[0].func) == 1);
    const std::string text = definitions(loss.gradients[0].func);
    CHECK(text.find("shared_exp") != std::string::npos);
    CHECK(text.find("log_f32") == std::string::npos);  // a quotient instead of an exponential of a logarithm
    CHECK(loss.residuals.empty());

    // An exponential that only the forward has stays where it is, and one that is a Func already is that.
    const ImageParam x(Float(32), 1, "x"), w(Float(32), 1, "w");
    const Var i("i");
    Func e("e"), y("y");
    e(i) = exp(x(i));
    y(i) = e(i) * w(i) + exp(x(i)) * 2;
    Subject subject = by_hand({x, w}, {{"y", y}});
    subject.problem.joint = true;
    const Differentiated d = differentiate(subject.problem);
    CHECK(exponentials(gradient(d, "d_w").func) == 1);
    CHECK(definitions(gradient(d, "d_w").func).find("shared_exp") == std::string::npos);
    CHECK(definitions(gradient(d, "d_x").func).find("shared_exp") == std::string::npos);
}
