// What has no gradient ends in one sentence that names the Func or the input.

#include "gradient_check.h"

#include "autodiff/generator.h"

#include "base/user_error.h"

#include <doctest/doctest.h>

#include <functional>

using namespace eutectic;
using namespace eutectic::test;
using namespace Halide;

namespace {

class Arrays : public Generator<Arrays> {
public:
    Input<Buffer<float, 1>[2]> x{"x"};
    Output<Buffer<float, 1>> y{"y"};
    void generate() {
        y(i) = x[0](i) * x[1](i);
    }
    Var i;
};

const Type f32 = Float(32);
const Var i("i"), j("j");

// The sentence of differentiating y, which `define` defines from x.
std::string sentence(int dimensions, const std::function<void(Func, ImageParam)> &define) {
    const ImageParam x(f32, dimensions, "x");
    Func y("y");
    define(y, x);
    try {
        differentiate(by_hand({x}, {{"y", y}}).problem);
    } catch (const UserError &error) {
        return error.what();
    }
    return "no error";
}

std::string sentence_of_wrt(const std::vector<std::string> &wrt) {
    const ImageParam x(f32, 1, "x"), u(f32, 1, "u"), labels(Int(32), 1, "labels");
    Func y("y");
    y(i) = select(u(i) > 0, x(i), x(i) * 2) + cast<float>(labels(i));
    Subject subject = by_hand({x, u, labels}, {{"y", y}});
    subject.problem.wrt = wrt;
    try {
        differentiate(subject.problem);
    } catch (const UserError &error) {
        return error.what();
    }
    return "no error";
}

}  // namespace

TEST_CASE("updates without a way back") {
    const std::string neither = " has an update that is neither a sum nor writes each point once, at its "
                                "reduction variables and constants, which "
                                "autodiff cannot differentiate; keep the earlier values in a Func of their "
                                "own, or write the update as a sum over a "
                                "reduction domain.";
    const std::string distances = " has an update that reads its own values at other points than at constant "
                                  "distances, which autodiff cannot "
                                  "differentiate; keep the earlier values in a Func of their own, or write "
                                  "the update as a sum over a reduction domain.";
    CHECK(sentence(1, [](Func y, ImageParam x) {
              RDom r(0, 4);
              y(i) = x(i);
              y(r / 2) = max(y(r / 2), x(r));
          }) == "Func \"y\"" + neither);
    CHECK(sentence(1, [](Func y, ImageParam x) {
              RDom r(0, 4, 0, 3);
              y(i) = x(i);
              y(r.x) = y(r.x) * x(r.y);
          }) == "Func \"y\"" + neither);
    CHECK(sentence(1, [](Func y, ImageParam x) {
              RDom r(0, 4);
              y(i) = x(i);
              y(clamp(cast<int>(y(r)), 0, 3)) += x(r);
          }) == "Func \"y\"" + neither);
    CHECK(sentence(1, [](Func y, ImageParam x) {
              RDom r(1, 4);
              y(i) = x(i);
              y(r) += y(r / 2);
          }) == "Func \"y\"" + distances);
}

TEST_CASE("a call without a rule") {
    CHECK(sentence(1,
                   [](Func y, ImageParam x) {
                       y(i) =
                           Internal::Call::make(f32, "somebody", {x(i) * 2}, Internal::Call::PureExtern) + 1;
                   }) ==
          "Func \"y\" calls somebody, for which there is no derivative rule, which autodiff cannot "
          "differentiate; give its slopes as a rule (docs/differentiation.md), or leave the input out of "
          "gradient_wrt.");
}

TEST_CASE("gradients that Halide would drop") {
    CHECK(sentence(1, [](Func y, ImageParam x) { y(i) = cast<float>(cast<int>(x(i) * 10)); }) ==
          "Func \"y\" casts a value to an integer, which autodiff cannot differentiate; its gradient would "
          "be 0 everywhere: leave the input out of "
          "gradient_wrt or keep the value in floating point.");
    CHECK(sentence(1,
                   [](Func y, ImageParam x) {
                       Func q("q");
                       q(i) = cast<int>(x(i) * 10);
                       y(i) = cast<float>(q(i));
                   }) == "Func \"y\" reads the integer values of \"q\", which depend on a differentiated "
                         "input, which autodiff cannot differentiate; leave the input "
                         "out of gradient_wrt or keep the value in floating point.");
    CHECK(sentence(1, [](Func y, ImageParam x) {
              y(i) = cast<float>(x(i) > 0);
          }).find("Func \"y\" makes a value of a condition") == 0);
    CHECK(sentence(1, [](Func y, ImageParam x) { y(i) = floor(x(i)); }) ==
          "Input \"x\" has no gradient: no output depends on it in a differentiable way; leave it out of "
          "gradient_wrt.");
    CHECK(sentence(1, [](Func y, ImageParam x) {
              y(i) = reinterpret<float>(reinterpret<int>(x(i)) + 1);
          }).find("reinterpret") != std::string::npos);
}

TEST_CASE("extern definitions") {
    CHECK(sentence(1,
                   [](Func y, ImageParam x) {
                       Func e("e");
                       e.define_extern("somebody", {x}, f32, 1);
                       y(i) = e(i);
                   }) == "Func \"e\" has an extern definition, which autodiff cannot differentiate; write it "
                         "in Halide, or as a call in an expression "
                         "with a rule for it (autodiff/rules/README.md).");
}

TEST_CASE("values of integers that the input decides") {
    CHECK(sentence(2,
                   [](Func y, ImageParam x) {
                       Func best("best");
                       best(i) = argmax(x(RDom(0, 4), i));
                       y(i) = cast<float>(best(i)[0]);
                   }) == "Func \"y\" reads the integer values of \"best\", which depend on a differentiated "
                         "input, which autodiff cannot differentiate; leave the "
                         "input out of gradient_wrt or keep the value in floating point.");
}

TEST_CASE("an inner Func read at unbounded places") {
    const ImageParam x(f32, 1, "x"), at(Int(32), 1, "at");
    Func e("e"), y("y");
    e(i) = exp(x(i));
    y(i) = e(at(i));
    CHECK_THROWS_WITH_AS(differentiate(by_hand({x, at}, {{"y", y}}).problem),
                         "Func \"x\" is read at indices that depend on data without bounds, which autodiff "
                         "cannot differentiate; clamp the indices.",
                         UserError);
}

TEST_CASE("an index whose range nobody knows") {
    const ImageParam x(f32, 1, "x");
    Func e("e"), y("y");
    e(i) = x(i);
    e(i) += 1.f;
    y(i) = e(i ^ 4);
    CHECK_THROWS_WITH_AS(differentiate(by_hand({x}, {{"y", y}}).problem),
                         "Func \"e\" is read at bitwise_xor(i, 4), whose range is not known, which autodiff "
                         "cannot differentiate; clamp the indices.",
                         UserError);
}

TEST_CASE("gradient_wrt") {
    CHECK(sentence_of_wrt({"x"}) == "no error");
    CHECK(sentence_of_wrt({"w"}) ==
          "gradient_wrt names \"w\", which is not an input; the inputs that have a gradient are: x, u.");
    CHECK(sentence_of_wrt({"x", "labels"}) ==
          "gradient_wrt names \"labels\", which is not of a floating-point type; the inputs that have a "
          "gradient are: x, u.");
    CHECK(sentence_of_wrt({"x", "x"}) == "gradient_wrt names \"x\" twice; name each input once.");
    CHECK(sentence_of_wrt({}) == "Input \"u\" has no gradient: no output depends on it in a differentiable "
                                 "way; leave it out of gradient_wrt.");
}

TEST_CASE("arrays of arguments") {
    const auto factory = [](const GeneratorContext &context) {
        return Arrays::create(context, "arrays", "arrays");
    };
    const auto g = make_gradient_generator("arrays_forward", GradientPart::forward,
                                           GeneratorContext(get_jit_target_from_environment()), factory);
    CHECK_THROWS_WITH_AS(g->build_pipeline(),
                         "Argument \"x\" of generator \"arrays\" is an array, which autodiff does not take; "
                         "give each element a name of its own.",
                         UserError);
}

TEST_CASE("parameters of the generators") {
    const auto message = [](const std::string &generator, const std::string &key,
                            const std::string &value) -> std::string {
        try {
            auto g = Internal::GeneratorRegistry::create(generator,
                                                         GeneratorContext(get_jit_target_from_environment()));
            g->set_generatorparam_value(key, value);
            g->build_pipeline();
        } catch (const UserError &error) {
            return error.what();
        }
        return "no error";
    };
    CHECK(message("dense_backward", "gradient_wrt", "x,w") == "no error");
    CHECK(message("dense_backward", "gradient_wrt", "q") ==
          "gradient_wrt names \"q\", which is not an input; the inputs that have a gradient are: x, w, b.");
    CHECK(message("dense_forward", "residual_report", "/nowhere/at/all.json") ==
          "The residual report \"/nowhere/at/all.json\" cannot be written; give residual_report a path in a "
          "folder that exists.");
    CHECK(message("dense_gradient", "gradient_wrt", "x,w") == "no error");
    CHECK(message("dense_gradient", "budget", "64KiB") ==
          "budget=64KiB was given to dense_gradient, which keeps nothing between two calls; leave it out, or "
          "take the pair, _forward and _backward.");
    CHECK(message("mlp_loss_backward", "widths", "64") ==
          "Generator \"mlp_loss\" was given widths=\"64\", but widths are at least two positive numbers "
          "separated by commas, as in 64,256,128,10.");
}
