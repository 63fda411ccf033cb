// Scans by an associative operation on a device go along pieces, and what comes before pieces likewise, until
// threads are many and steps few. Run through OpenCL (PoCL: on this CPU), against the serial program on the
// CPU.

#include <doctest/doctest.h>

#include <string>

#include "fusion/plan/grade.h"
#include "schedules/autoschedule.h"
#include "tests/gpu/device_program.h"
#include "tests/gpu/same_results.h"
#include "tests/schedules/jit_run.h"
#include "tests/support/occurrences.h"
#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic;
using namespace eutectic::test;

namespace {

Var x("x"), y("y");

using Step = Expr (*)(const Expr &before, const Expr &own);

Expr sum(const Expr &before, const Expr &own) {
    return before + own;
}
Expr most(const Expr &before, const Expr &own) {
    return max(own, before);
}

Expr decaying(const Expr &before, const Expr &own) {
    return before + (own - before) * 0.25f;
}

/** Of numbers of `type` made of floats, along the first or the second dim, planned for `planned`. */
Program scan(Step step, const Type &type, bool along_rows, std::vector<int> planned) {
    const ImageParam in = image("in", planned);
    const RDom r(1, max(in.dim(along_rows ? 0 : 1).extent() - 1, 0), "r");
    Func f("f"), out("out");
    f(x, y) = cast(type, in(x, y) * (type.is_float() ? 1 : 1000));
    if (along_rows) {
        f(r, y) = step(f(r - 1, y), f(r, y));
    } else {
        f(x, r) = step(f(x, r - 1), f(x, r));
    }
    out(x, y) = f(x, y) - cast(type, 1);
    estimate(out, planned);
    return {{in}, {out}, {}};
}

struct Case {
    const char *name;
    std::function<Program()> make;
    int cuts;      ///< how often it is cut
    double bound;  ///< of a difference
    std::vector<std::pair<int, int>> sizes;
};

}  // namespace

TEST_CASE(
    "scans have a thread for each piece of 64 points, and the values of the loops as they are defined") {
    const std::vector<std::pair<int, int>> of_rows = {{4096, 48}, {63, 5},   {64, 1},
                                                      {65, 3},    {4097, 2}, {1, 1}};
    const std::vector<Case> cases = {
        {"sums of rows", [] { return scan(sum, Int(32), true, {4096, 48}); }, 1, 0, of_rows},
        {"maxima of rows of bytes", [] { return scan(most, UInt(8), true, {4096, 48}); }, 1, 0, of_rows},
        {"sums of columns",
         [] { return scan(sum, Float(32), false, {48, 4096}); },
         1,
         2e-3,
         {{48, 4096}, {5, 63}, {1, 64}, {3, 65}, {2, 4097}, {1, 1}}},
        {"means of rows", [] { return scan(decaying, Float(32), true, {4096, 48}); }, 1, 1e-5, of_rows},
        {"a line",
         [] { return scan(sum, UInt(16), true, {1 << 19, 1}); },
         2,
         0,
         {{1 << 19, 1}, {4095, 1}, {4097, 2}, {1, 1}}},
    };
    const Target host = get_jit_target_from_environment(), opencl = host.with_feature(Target::OpenCL);
    for (const Case &of : cases) {
        CAPTURE(std::string(of.name));
        const Program program = of.make();
        const Scheduled s = schedule(Pipeline(program.outputs), opencl, {}, false);
        INFO(s.source);
        CHECK(occurrences(s.source, "eutectic::cut_scans(") == of.cuts);
        CHECK(grade(s.graph, s.planned.plan) == (of.bound > 0 ? Grade::reassociating : Grade::exact));
        if (!has_opencl()) {
            continue;
        }
        const Program reference = of.make();
        compute_all_at_root(reference);
        Compiled device(of.make(), opencl), serial(reference, host);
        autoschedule(device.pipeline(), opencl, {});
        for (const auto &[width, height] : of.sizes) {
            const Sizes sizes{{{width, height}}, {{width, height}}};
            INFO(width << " x " << height);
            CHECK(difference(values(device.run(sizes)[0]), values(serial.run(sizes)[0])).largest <= of.bound);
        }
    }
}

TEST_CASE("scans whose order counts, and those that fill a device as they are, stay as they are") {
    const auto left = [](const Program &program, Target target) {
        target = target.with_feature(Target::OpenCL);
        const std::string source = schedule(Pipeline(program.outputs), target, {}, false).source;
        return source.find("cut_scans") == std::string::npos;
    };
    const Target host = get_jit_target_from_environment();
    CHECK(left(scan(sum, Float(32), true, {4096, 48}), host.with_feature(Target::StrictFloat)));
    CHECK(!left(scan(most, Int(32), true, {4096, 48}), host.with_feature(Target::StrictFloat)));
    CHECK(left(scan(sum, Int(32), true, {64, 48}), host));         // short
    CHECK(left(scan(sum, Int(32), true, {1024, 1 << 16}), host));  // many
}
