// Pipelines for one example over a batch: each example is what the pipeline makes of it alone.

#include "batch_check.h"
#include "gradient_cases.h"

#include "autodiff/batch.h"

#include "base/regex.h"
#include "base/user_error.h"

#include <doctest/doctest.h>

#include <set>

using namespace eutectic;
using namespace eutectic::test;
using namespace Halide;

namespace {

const Type f64 = Float(64);
const Var i("i"), j("j");
constexpr double rounding = 1e-15;  // vectors of other lengths may contract sums in other places

std::function<Subject()> of(const std::function<Subject()> &make) {
    return make;
}

}  // namespace

TEST_CASE("every generator, over each of its buffers, and over all") {
    for (const GradientCase &c : cases_of_each()) {
        CAPTURE(c.name);
        const auto make = [&] { return subject_of(c, "float64"); };
        std::set<std::string> all;
        for (const Parameter &p : make().problem.inputs) {
            if (p.is_buffer()) {
                all.insert(p.name());
            }
        }
        CHECK(error_of_batch(make, c.shapes, all, c.low_label, c.labels) <= rounding);
        CHECK(error_of_batch(make, c.shapes, {*all.begin()}, c.low_label, c.labels) <= rounding);
    }
}

TEST_CASE("scalars, loops under conditions, scatters and boundaries") {
    CHECK(error_of_batch(of([] {
                             const ImageParam x(f64, 1, "x");
                             const Param<double> a("a");
                             Func y("y");
                             y(i) = x(i) * a;
                             Subject subject = by_hand({x}, {{"y", y}});
                             subject.problem.inputs.push_back(a.parameter());
                             return subject;
                         }),
                         {{"x", {{2, 9}}}, {"y", {{2, 9}}}}, {"a"}) == 0);
    CHECK(error_of_batch(of([] {
                             const ImageParam x(f64, 2, "x"), at(Int(32), 1, "at");
                             RDom r(x.dim(0).min(), x.dim(0).extent());
                             r.where(r <= at(i));
                             Func y("y");
                             y(i) = cast(f64, 0);
                             y(i) += x(r, i) * x(r, i);
                             return by_hand({x, at}, {{"y", y}});
                         }),
                         {{"x", {{0, 9}, {-3, 6}}}, {"at", {{-3, 6}}}, {"y", {{-3, 6}}}}, {"at"}, 2, 5) == 0);
    CHECK(error_of_batch(of([] {
                             const ImageParam x(f64, 1, "x"), bin(Int(32), 1, "bin");
                             const RDom r(x.dim(0).min(), x.dim(0).extent());
                             Func sums("sums"), y("y"), total("total");
                             sums(i) = cast(f64, 0);
                             sums(clamp(bin(r), 0, 3)) += x(r);
                             y(i) = sums(i);
                             total(i) = cast(f64, i);
                             return by_hand({x, bin}, {{"y", y}, {"total", total}});
                         }),
                         {{"x", {{2, 9}}}, {"bin", {{2, 9}}}, {"y", {{0, 4}}}, {"total", {{0, 4}}}},
                         {"x", "bin"}, 0, 4) == 0);
    CHECK(error_of_batch(of([] {
                             const ImageParam x(f64, 2, "x");
                             const Func edge = BoundaryConditions::mirror_image(x);
                             const RDom r(x.dim(0).min() + 1, x.dim(0).extent() - 1);
                             Func y("y");
                             y(j, i) = edge(j - 2, i + 1);
                             y(r, i) = y(r - 1, i) * 0.5f + y(r, i);
                             return by_hand({x}, {{"y", y}});
                         }),
                         {{"x", {{2, 9}, {-3, 6}}}, {"y", {{2, 9}, {-3, 6}}}}, {"x"}) == 0);
}

TEST_CASE("a matrix and a vector become two matrices") {
    const ImageParam w(f64, 2, "w"), x(f64, 1, "x");
    const RDom r(x.dim(0).min(), x.dim(0).extent());
    Func y("y");
    y(i) = cast(f64, 0);
    y(i) += w(i, r) * x(r);
    const Pipeline batched = batch(Pipeline(y), {"x"}, 64);
    CAPTURE(definitions(batched.outputs()[0]));
    const std::string text = Regex("[$][0-9]+").replace_in(definitions(batched.outputs()[0]), "");
    CHECK(text.find("w_im(i, r)*(float64)x_im(r, example)") != std::string::npos);
    CHECK(batched.outputs()[0].dimensions() == 2);
}

TEST_CASE("what is no batch") {
    const auto sentence = [](const std::vector<std::string> &over, int size) -> std::string {
        const ImageParam x(f64, 1, "x"), u(f64, 1, "u");
        Func e("e"), y("y");
        e.define_extern("somebody", {u}, f64, 1);
        y(i) = x(i) + e(i);
        try {
            batch({x.parameter(), u.parameter()}, {{"y", y}}, over, size);
        } catch (const UserError &error) {
            return error.what();
        }
        return "no error";
    };
    CHECK(sentence({"x"}, 8) == "no error");
    CHECK(sentence({}, 8) ==
          "A batch was asked for and no input named of which each example has its own; name one of x, u.");
    CHECK(sentence({"x"}, 0) == "A batch of 0 was asked for; give 1 and more.");
    CHECK(sentence({"x", "x"}, 8) == "The batch names \"x\" twice; name each input once.");
    CHECK(sentence({"v"}, 8) == "The batch names \"v\", which is not an input; the inputs are: x, u.");
    CHECK(sentence({"u"}, 8) ==
          "Func \"e\" has an extern definition, which is of one example and cannot be called for "
          "a batch; write it in Halide, or name only inputs that it does not depend on.");
}
