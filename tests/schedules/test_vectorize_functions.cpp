// Functions of the C library become expressions in vectors, where nothing forbids it.

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "Halide.h"

#include "graph/read/vector_functions.h"
#include "schedules/autoschedule.h"
#include "schedules/rewrites.h"
#include "tests/schedules/jit_check.h"
#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic;
using namespace eutectic::test;

namespace {

Var x("x"), y("y");

Expr external(const std::string &name, const Expr &argument) {
    return Internal::Call::make(argument.type(), name, {argument}, Internal::Call::PureExtern);
}

struct Named {
    const char *name;
    Expr call;
};

/** One call of each function that is known. */
std::vector<Named> calls(const Expr &single, const Expr &wide) {
    return {{"tanh_f32", tanh(single)},
            {"sin_f32", sin(single)},
            {"cos_f32", cos(single)},
            {"pow_f32", pow(single, single + 1)},
            {"expm1f", external("expm1f", single)},
            {"log1pf", external("log1pf", single)},
            {"erff", external("erff", single)},
            {"exp_f64", exp(wide)},
            {"log_f64", log(wide)},
            {"tanh_f64", tanh(wide)},
            {"expm1", external("expm1", wide)},
            {"log1p", external("log1p", wide)}};
}

Func over(const Expr &value) {
    Func f("f");
    f(x) = value;
    f.set_estimate(x, 0, 4096);
    return f;
}

Program softmax(const Type &type) {
    const ImageParam in(type, 2, "in");
    Func largest("largest"), sum("sum"), out("out");
    const RDom r(0, in.dim(0).extent(), "r");
    largest(y) = type.min();
    largest(y) = max(largest(y), in(r, y));
    sum(y) = cast(type, 0);
    sum(y) += exp(in(r, y) - largest(y));
    out(x, y) = exp(in(x, y) - largest(y)) / sum(y);
    ImageParam(in).set_estimates({{0, 512}, {0, 256}});
    out.set_estimates({{0, 512}, {0, 256}});
    return {{in}, {out}, {}};
}

Program waves() {
    const ImageParam in(Float(32), 2, "in");
    Func bent("bent"), turned("turned"), out("out");
    const RDom r(0, 16, "r");
    bent(x, y) = tanh(in(x, y)) + pow(abs(in(x, y)), 2.4f);
    turned(y) = 0.0f;
    turned(y) += sin(bent(r, y) * 40) + cos(bent(r, y));
    out(x, y) = bent(x, y) * turned(y);
    ImageParam(in).set_estimates({{0, 256}, {0, 128}});
    out.set_estimates({{0, 256}, {0, 128}});
    return {{in}, {out}, {}};
}

/** Names of functions that the scheduled program still calls in loops. */
std::set<std::string> left_in(const Program &program, const Target &target, const Parameters &parameters) {
    const Pipeline pipeline(program.outputs);
    schedule(pipeline, target, parameters, false);
    return vectorizable_functions(pipeline);
}

}  // namespace

TEST_CASE("each function that has an expression has a price, and the other way round") {
    const ImageParam single(Float(32), 1, "single"), wide(Float(64), 1, "wide");
    for (const Named &of : calls(single(x), wide(x))) {
        CAPTURE(std::string(of.name));
        const Func f = over(of.call);
        CHECK(vectorizable_functions(Pipeline(f)) == std::set<std::string>{of.name});
        CHECK(vector_function_work(of.name) > 0);
        vectorize_functions(Pipeline(f));
        CHECK(vectorizable_functions(Pipeline(f)).empty());
    }
    CHECK(vector_function_work("atan_f32") == 0);
    CHECK(vectorizable_functions(Pipeline(over(atan(single(x))))).empty());
    // Of another type than its name says.
    CHECK(vectorizable_functions(Pipeline(over(external("expm1", single(x))))).empty());
}

TEST_CASE("functions are computed in vectors, and the report says within what") {
    const Scheduled s = schedule(Pipeline(waves().outputs), get_host_target(), Parameters(), false);
    REQUIRE(s.graph.changed.size() == 1);
    CHECK(s.graph.changed.front() ==
          "cos_f32, pow_f32, sin_f32, tanh_f32 are computed in vectors within 2.2 units in the last place; "
          "Halide calls the C library for each element, or, for pow_f32, is off by up to 206 units "
          "(disable=vectorize_functions leaves the calls)");
    for (const eutectic::Stage &stage : s.graph.stages) {
        CHECK(stage.body.libm_calls == 0);
    }
    CHECK(s.source.find("eutectic::vectorize_functions(pipeline);") != std::string::npos);
    CHECK(left_in(waves(), get_host_target(), Parameters()).empty());
    CHECK(left_in(softmax(Float(64)), get_host_target(), Parameters()).empty());
}

TEST_CASE("what must keep its bits, or has the functions on its device, keeps the calls") {
    const std::set<std::string> all{"cos_f32", "pow_f32", "sin_f32", "tanh_f32"};
    const Target strict = get_host_target().with_feature(Target::StrictFloat);
    CHECK(left_in(waves(), strict, Parameters()) == all);
    CHECK(left_in(waves(), get_host_target().with_feature(Target::OpenCL), Parameters()) == all);
    Parameters left;
    left.disable = {"vectorize_functions"};
    CHECK(left_in(waves(), get_host_target(), left) == all);
    const Scheduled s = schedule(Pipeline(waves().outputs), get_host_target(), left, false);
    CHECK(s.graph.changed.empty());
    CHECK(s.source.find("vectorize_functions") == std::string::npos);
}

TEST_CASE("rewrites find exponential functions of doubles, too") {
    const auto plan_of = [](const Type &type) {
        const Scheduled s = schedule(Pipeline(softmax(type).outputs), get_host_target(), Parameters(), false);
        return s.source.find("sum_online") != std::string::npos;
    };
    CHECK(plan_of(Float(64)) == plan_of(Float(32)));
}

TEST_CASE("values are the same, but for the last places") {
    check_same_values([] { return waves(); },
                      {{{{256, 128}}, {{256, 128}}}, {{{67, 7}}, {{67, 7}}}, {{{16, 1}}, {{1, 1}}}});
    for (const Type &type : {Float(32), Float(64)}) {
        check_same_values([&] { return softmax(type); },
                          {{{{512, 256}}, {{512, 256}}}, {{{67, 7}}, {{67, 7}}}});
    }
}

TEST_CASE("functions of what was a bfloat16 have right signs and values in vectors of any length") {
    const Target target = get_host_target().with_feature(Target::StrictFloat);
    const Parameters parameters = parse_parameters({{"numerics", "nan_safe"}, {"parallelism", "2"}});
    for (const int n : {16, 20, 64}) {
        INFO(n);
        ImageParam bits(UInt(16), 1, "bits");
        Func wide("wide"), out("out");
        wide(x) = cast<float>(reinterpret(BFloat(16), bits(x)));
        out(x) = select(wide(x) == 0, wide(x), tanh(wide(x)));
        bits.set_estimates({{0, n}});
        out.set_estimates({{0, n}});
        schedule(Pipeline(out), target, parameters, false);
        Buffer<uint16_t> in(n);
        std::vector<float> values;
        for (int i = 0; i < n; i++) {
            const float value = -6 + 12 * static_cast<float>(i) / static_cast<float>(n - 1);
            uint32_t whole = 0;
            std::memcpy(&whole, &value, sizeof whole);
            whole &= 0xffff0000;
            in(i) = static_cast<uint16_t>(whole >> 16);
            values.emplace_back();
            std::memcpy(&values.back(), &whole, sizeof whole);
        }
        bits.set(in);
        const Buffer<float> result = out.realize({n}, target);
        for (int i = 0; i < n; i++) {
            CHECK(result(i) == doctest::Approx(std::tanh(values[static_cast<size_t>(i)])).epsilon(1e-6));
        }
    }
}
