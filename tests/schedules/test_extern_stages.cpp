// Extern stages are called once for each region, never once a point: planned as they are, out of a file,
// stripped of their schedules, and one after the other.

#include <Halide.h>

#include <doctest/doctest.h>

#include <filesystem>

#include "schedules/autoschedule.h"
#include "schedules/hlpipe/load.h"
#include "schedules/hlpipe/save.h"
#include "schedules/hlpipe/strip.h"
#include "tests/schedules/jit_run.h"
#include "tests/support/pipelines.h"

using namespace Halide;

namespace eutectic::test {

namespace {

const Var x("x"), y("y");

int calls = 0;
int64_t points = 0;

/** Adds one to each point of two dims. */
extern "C" int extern_stages_add_one(halide_buffer_t *in, halide_buffer_t *out) {
    if (in->host == nullptr) {
        for (int d = 0; d < 2; d++) {
            in->dim[d].min = out->dim[d].min;
            in->dim[d].extent = out->dim[d].extent;
        }
        return 0;
    }
    calls++;
    Runtime::Buffer<float> from(*in), to(*out);
    to.for_each_element([&](int i, int j) {
        points++;
        to(i, j) = from(i, j) + 1;
    });
    return 0;
}

/** in, two extern stages with a Func between them, and a stencil of the second. */
Func chain(const ImageParam &in) {
    Func before("before"), first("first"), between("between"), second("second"), out("out");
    before(x, y) = in(x, y) * 2;
    first.define_extern("extern_stages_add_one", {before}, Float(32), {x, y});
    between(x, y) = first(x, y) * 3;
    second.define_extern("extern_stages_add_one", {between}, Float(32), {x, y});
    out(x, y) = second(x, y) + second(x + 1, y);
    estimate(out, {100, 200});
    return out;
}

void check(Pipeline pipeline, Parameter in) {
    Buffer<float> data(101, 200), result(100, 200);
    data.for_each_element([&](int i, int j) { data(i, j) = static_cast<float>(i + j); });
    in.set_buffer(data);
    pipeline.set_jit_externs({{"extern_stages_add_one", JITExtern(extern_stages_add_one)}});
    calls = 0, points = 0;
    pipeline.realize(result);
    CHECK(calls == 2);
    CHECK(points == 2 * 101 * 200);
    result.for_each_element([&](int i, int j) {
        const auto value = [&](int k) { return (static_cast<float>(k + j) * 2 + 1) * 3 + 1; };
        REQUIRE(result(i, j) == value(i) + value(i + 1));
    });
}

}  // namespace

TEST_CASE("extern stages are called once for each region") {
    const Target target = get_jit_target_from_environment();
    SUBCASE("as they are") {
        const ImageParam in(Float(32), 2, "in");
        const Pipeline pipeline(chain(in));
        autoschedule(pipeline, target, {});
        check(pipeline, in.parameter());
    }
    SUBCASE("stripped of a schedule that called them line by line") {
        const ImageParam in(Float(32), 2, "in");
        Func out = chain(in);
        for (auto &[name, f] : Internal::build_environment({out.function()})) {
            if (f.has_extern_definition()) {
                Func(f).compute_at(out, y);
            }
        }
        const Pipeline pipeline(out);
        strip(pipeline);
        autoschedule(pipeline, target, {});
        check(pipeline, in.parameter());
    }
    SUBCASE("out of a file") {
        const std::string path = (std::filesystem::current_path() / "test_extern_stages.hlpipe").string();
        Parameters save;
        save.save = path;
        {
            const ImageParam in(Float(32), 2, "in");
            in.dim(0).set_estimate(0, 101);
            in.dim(1).set_estimate(0, 200);
            autoschedule(Pipeline(chain(in)), target, save);
        }
        LoadedPipeline loaded = PipelineFile(path, {}).load();
        strip(loaded.pipeline);
        autoschedule(loaded.pipeline, target, {});
        check(loaded.pipeline, loaded.parameters.at("in"));
        for (const std::string &file : {path, sidecar_path(path)}) {
            std::filesystem::remove(file);
        }
    }
}

}  // namespace eutectic::test
