// What a serialized pipeline loses comes back from its arguments file; what was scheduled comes off; nothing
// new has a name of the file's.

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "Halide.h"

#include "base/user_error.h"
#include "schedules/hlpipe/load.h"
#include "schedules/hlpipe/messages.h"
#include "schedules/hlpipe/reserve_names.h"
#include "schedules/hlpipe/save.h"
#include "schedules/hlpipe/strip.h"
#include "schedules/hlpipe/terms.h"
#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic;
using namespace eutectic::test;
namespace fs = std::filesystem;

namespace {

/** A folder of its own, and Halide's messages as exceptions. */
struct Folder {
    fs::path path = fs::current_path() / "files_of_test_pipeline_file";
    Folder() {
        fs::remove_all(path);
        fs::create_directories(path);
        listen_to_halide();
    }
    ~Folder() {
        fs::remove_all(path);
    }
    std::string operator/(const std::string &name) const {
        return (path / name).string();
    }
};

template<typename F>
std::string refusal(F &&f) {
    try {
        f();
    } catch (const UserError &e) {
        return e.what();
    }
    return "accepted";
}

int64_t number(const Expr &e) {
    return e.defined() ? *Internal::as_const_int(Internal::simplify(e)) : -1;
}

/** y(j, i) = x(j, i) * scale + n, with everything that a file loses. */
struct Constrained {
    ImageParam x = image("x", {64, 32});
    Param<float> scale{"scale", 0.5f, 0.0f, 2.0f};
    Param<int> n{"n"};
    Func y{"y"};

    Constrained() {
        Var i("i"), j("j");
        y(j, i) = x(j, i) * scale + n;
        estimate(y, {64, 32});
        scale.set_estimate(0.25f);
        scale.parameter().set_default_value(0.5f);
        n.set_estimate(7);
        x.set_host_alignment(64);
        x.dim(0).set_stride(Expr());
        x.dim(1).set_stride(x.dim(0).extent() * 2);
        x.dim(1).set_min(0);
        y.output_buffer().dim(0).set_min(n);
        y.output_buffer().dim(1).set_extent(x.dim(1).extent());
    }
};

Internal::Function function_named(const Pipeline &pipeline, const std::string &name) {
    std::vector<Internal::Function> outputs;
    for (const Func &f : pipeline.outputs()) {
        outputs.push_back(f.function());
    }
    return Internal::build_environment(outputs).at(name);
}

}  // namespace

TEST_CASE("arguments come back as they were") {
    const Folder folder;
    Constrained made;
    const std::string path = folder / "p.hlpipe";
    save_pipeline(Pipeline(made.y), path);
    REQUIRE(fs::exists(folder / "p.args.json"));

    const LoadedPipeline loaded = PipelineFile(path, {}).load();
    CHECK(loaded.function == "p");
    CHECK(loaded.unestimated.empty());
    CHECK_FALSE(loaded.ordered);
    REQUIRE(loaded.inputs.size() == 3);
    const Argument &n = loaded.inputs[0], &scale = loaded.inputs[1];
    CHECK(n.name == "n");
    CHECK(number(n.argument_estimates.scalar_estimate) == 7);
    CHECK(*Internal::as_const_float(scale.argument_estimates.scalar_estimate) == 0.25);
    CHECK(*Internal::as_const_float(scale.argument_estimates.scalar_def) == 0.5);
    CHECK(*Internal::as_const_float(scale.argument_estimates.scalar_min) == 0);
    CHECK(*Internal::as_const_float(scale.argument_estimates.scalar_max) == 2);

    // The same description once more: nothing was lost.
    CHECK(to_json(describe_arguments(loaded.pipeline)) == to_json(describe_arguments(Pipeline(made.y))));
}

TEST_CASE("without an arguments file sizes of buffers come from the Funcs that wrap them, and what lacks an "
          "estimate is named") {
    const Folder folder;
    Constrained made;
    const std::string path = folder / "p.hlpipe";
    save_pipeline(Pipeline(made.y), path);
    fs::remove(folder / "p.args.json");
    const LoadedPipeline bare = PipelineFile(path, {}).load();
    CHECK(bare.unestimated == std::vector<std::string>{"n", "scale"});
    REQUIRE(bare.inputs.size() == 3);
    CHECK(bare.inputs[2].name == "x");
    REQUIRE(bare.inputs[2].argument_estimates.buffer_estimates.size() == 2);
    CHECK(number(bare.inputs[2].argument_estimates.buffer_estimates[0].extent) == 64);

    GivenArguments given;
    given.values = {{"n", "3"}, {"x", "100x7"}, {"scale", "1.5"}, {made.y.name(), "100x7"}};
    given.order = {"x", "scale", "n"};
    const LoadedPipeline told = PipelineFile(path, given).load();
    CHECK(told.unestimated.empty());
    CHECK(told.ordered);
    CHECK(told.inputs[0].name == "x");
    CHECK(number(told.inputs[0].argument_estimates.buffer_estimates[0].extent) == 100);
    CHECK(*Internal::as_const_float(told.inputs[1].argument_estimates.scalar_estimate) == 1.5);
    CHECK(number(told.inputs[2].argument_estimates.scalar_estimate) == 3);
}

TEST_CASE("terms: what is printed is read back, and nothing else is") {
    const ImageParam x(Float(32), 2, "x");
    const Param<int> n("n");
    const std::map<std::string, Parameter> known = {{"x", x.parameter()}, {"n", n.parameter()}};
    for (const Expr &e : {Expr(3), x.dim(1).extent() * 2 + n, max(x.dim(0).min(), 1) - x.dim(1).stride() / 4,
                          min(n, 5) % 3}) {
        const std::string text = term_text(e, "It");
        INFO(text);
        CHECK(Internal::can_prove(parse_term(text, known, "It") == e));
    }
    CHECK(refusal([&] { parse_term("1 +", known, "The stride"); }) ==
          "The stride is \"1 +\", which is no arithmetic of whole numbers, sizes such as x.extent.0, and "
          "scalar parameters: write one of those.");
    CHECK(refusal([&] { parse_term("q.extent.0", known, "The stride"); }) ==
          "The stride names q.extent.0, which is neither a size of one of the pipeline's buffers nor one of "
          "its scalar parameters: correct the name.");
    CHECK(refusal([&] { term_text(cast<int>(sqrt(cast<float>(Expr(n)))), "The stride"); }) != "accepted");
}

TEST_CASE("every directive comes off; sizes and definitions stay") {
    Var x("x"), y("y"), xo("xo"), xi("xi"), u("u");
    const ImageParam in = image("in", {256, 64});
    RDom r(0, 16, "r");
    Func a("a"), s("s"), out("out");
    a(x, y) = in(x, y) * 2;
    s(x, y) = 0.0f;
    s(x, y) += a(x + r, y);
    out(x, y) = s(x, y) + a(x, y);
    estimate(out, {240, 64});
    out.bound(y, 0, 64).vectorize(x, 8).parallel(y).specialize(in.dim(0).extent() >= 256).unroll(y, 2);
    out.align_bounds(x, 16);
    a.compute_root().store_in(MemoryType::Heap).reorder_storage(y, x).in(s).compute_at(out, y);
    s.compute_at(out, y).update().split(x, xo, xi, 8).reorder(xi, r, xo).unroll(r, 2);
    const Pipeline pipeline(out);
    strip(pipeline);

    for (const char *name : {"a", "s", "out"}) {
        INFO(name);
        Internal::Function f = function_named(pipeline, name);
        f.lock_loop_levels();
        CHECK(f.schedule().compute_level().is_inlined());
        CHECK(f.schedule().store_level().is_inlined());
        CHECK(f.schedule().wrappers().empty());
        CHECK(f.schedule().memory_type() == MemoryType::Auto);
        CHECK(f.schedule().storage_dims()[0].var == "x");
        CHECK(f.definition().schedule().splits().empty());
        CHECK(f.definition().specializations().empty());
        CHECK_FALSE(f.definition().schedule().touched());
        REQUIRE(f.definition().schedule().dims().size() == 3);
        CHECK(f.definition().schedule().dims()[0].var == "x");
        CHECK(f.definition().schedule().dims()[0].for_type == Internal::ForType::Serial);
    }
    const Internal::Definition update = function_named(pipeline, "s").updates()[0];
    CHECK(update.schedule().splits().empty());
    REQUIRE(update.schedule().dims().size() == 4);
    CHECK(update.schedule().dims()[0].is_rvar());
    CHECK(update.schedule().rvars().size() == 1);
    const std::vector<Internal::Bound> bounds = function_named(pipeline, "out").schedule().bounds();
    REQUIRE(bounds.size() == 1);  // bound(), without align_bounds()
    CHECK(bounds[0].var == "y");
    CHECK(function_named(pipeline, "out").schedule().estimates().size() >= 2);
}

TEST_CASE("stripped pipelines compute what they did, rfactor included") {
    Var x("x"), u("u");
    RDom r(0, 100, "r");
    RVar ro("ro"), ri("ri");
    Func f("f"), sum("sum"), out("out");
    f(x) = cast<int>(x) * x % 17;
    sum(x) = 0;
    sum(x) += f(x + r) * (r % 5);
    out(x) = sum(x) + 1;
    const Buffer<int> before = out.realize({37});
    sum.update().split(r, ro, ri, 7);
    Func partial = sum.update().rfactor(ro, u);
    partial.compute_root().update().parallel(u);
    sum.compute_root();
    f.compute_root().vectorize(x, 8);
    strip(Pipeline(out));
    const Buffer<int> after = out.realize({37});
    for (int i = 0; i < 37; i++) {
        CHECK(before(i) == after(i));
    }
}

TEST_CASE("names of a file are taken") {
    Var x("x");
    Func f("f100012"), g("stem$40"), out("plain");
    f(x) = x;
    g(x) = f(x) + 1;
    out(x) = g(x) + f(x);
    // As they are in a file: Func() itself would have made them unique.
    const Pipeline pipeline(out);
    reserve_names(pipeline);
    CHECK(Func().name() != f.name());
    CHECK(Func("plain").name() != out.name());
    CHECK(refusal([&] {
              Func far("f123456789");
              Func all("all");
              all(x) = x;
              Var v("v123456789");
              Func last("last");
              last(v) = all(v);
              reserve_names(Pipeline(last));
          }) == "The pipeline has something named v123456789, a number that no program comes to by leaving "
                "things unnamed: give it a name of its own.");
}
