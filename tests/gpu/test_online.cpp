// Rows that are too long for a block's shared memory: a maximum, and a sum whose terms it scales, in one
// pass. Run on whatever device there is (PoCL: this CPU), against the unfused program there, with what a
// running maximum has to get right: infinite values, rows of one value, maxima that come last.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "base/user_error.h"
#include "schedules/rewrites.h"
#include "schedules/rewrites/patterns.h"
#include "tests/gpu/device_program.h"
#include "tests/support/all_cases.h"

using namespace eutectic;
using namespace eutectic::test;
using Halide::Target;

namespace {

/** x(k, i) and w(k, i) → y. */
struct Rows {
    Halide::ImageParam x, w;
    Halide::Func y{"y"};
};

enum class Kind { softmax, log_sum_exp, weighted, own_start };

/** Planned for `columns` of `rows`. */
Rows define(Kind kind, int columns, int rows) {
    using namespace Halide;
    Rows p{ImageParam(Float(32), 2, "x"), ImageParam(Float(32), 2, "w"), Func("y")};
    Var k("k"), i("i");
    const RDom all(p.x.dim(0).min(), p.x.dim(0).extent(), "all");
    Func m("m"), e("e"), s("s");
    m(i) = kind == Kind::own_start ? Expr(-2.0f) : Float(32).min();
    m(i) = max(m(i), p.x(all, i));
    e(k, i) = kind == Kind::weighted ? p.w(k, i) * exp(p.x(k, i) - m(i)) : exp(p.x(k, i) - m(i));
    s(i) = kind == Kind::own_start ? 3.0f : 0.0f;
    s(i) += e(all, i);
    if (kind == Kind::softmax || kind == Kind::own_start) {
        p.y(k, i) = exp(p.x(k, i) - m(i)) / s(i);
        p.y.set_estimates({{0, columns}, {0, rows}});
    } else {
        p.y(i) = kind == Kind::weighted ? s(i) + m(i) : log(s(i)) + m(i);
        p.y.set_estimates({{0, rows}});
    }
    p.x.set_estimates({{0, columns}, {0, rows}});
    p.w.set_estimates({{0, columns}, {0, rows}});
    return p;
}

Halide::Buffer<float> run(Rows &p, const Halide::Buffer<float> &x, const Halide::Buffer<float> &w,
                          const Target &target) {
    p.x.set(x);
    p.w.set(w);
    std::vector<int> sizes{x.dim(1).extent()};
    if (p.y.dimensions() > 1) {
        sizes.insert(sizes.begin(), x.dim(0).extent());
    }
    Halide::Buffer<float> out(sizes);
    p.y.realize(out, target);
    out.copy_to_host();
    return out;
}

constexpr float infinity = std::numeric_limits<float>::infinity();

/** Row `i` of values of its own kind. */
float value(int k, int i, int columns) {
    const float any = static_cast<float>((7919 * k + 31 * i) % 1009) / 100 - 5;
    switch (i % 10) {
    case 0: return any;
    case 1: return 2.5f;                               // all the largest
    case 2: return static_cast<float>(k % 200);        // grows
    case 3: return k < columns - 1 ? -infinity : any;  // but for the last
    case 4: return -infinity;
    case 5: return k == columns / 2 ? infinity : any;
    case 6: return k % 2 == 0 ? -infinity : any;
    case 7: return k == 0 ? std::numeric_limits<float>::quiet_NaN() : any;
    case 8: return any * 1e30f;
    default: return -any * any;
    }
}

void check_same(const Halide::Buffer<float> &got, const Halide::Buffer<float> &expected) {
    size_t wrong = 0;
    float one = 0, other = 0;
    int row = -1;
    got.for_each_element([&](const int *at) {
        const float g = got(at), e = expected(at);
        const bool same = std::isfinite(e) ? std::abs(g - e) <= 1e-5f * std::max(1.0f, std::abs(e))
                          : std::isnan(e)  ? std::isnan(g)
                                           : g == e;
        wrong += same ? 0 : 1;
        one = same ? one : g;
        other = same ? other : e;
        row = same ? row : at[got.dimensions() - 1];
    });
    INFO("row " << row << ": " << one << " instead of " << other);
    CHECK(wrong == 0);
}

bool is_online(const FusionPlan &plan) {
    const std::vector<RewriteUse> &all = plan.placements.rewrites();
    return std::any_of(all.begin(), all.end(),
                       [](const RewriteUse &u) { return u.rewrite == &online_sum_rewrite(); });
}

}  // namespace

TEST_CASE("a maximum and its sum in one pass: infinities, equal maxima, weights, every size") {
    if (!has_opencl()) {
        return;
    }
    const Target opencl = Halide::get_jit_target_from_environment().with_feature(Target::OpenCL);
    size_t one_kernel = 0, two_kernels = 0, number = 0;
    for (const Kind kind : {Kind::softmax, Kind::log_sum_exp, Kind::weighted, Kind::own_start}) {
        for (const auto &[columns, rows, gpu] : std::vector<std::tuple<int, int, std::string>>{
                 {65536, 1024, "a100"}, {65536, 1024, slow_launches(1e-3)}, {262144, 64, "a100"}}) {
            if (number++ % 2 > 0 && !all_cases()) {  // every kind, and every size with some of them
                continue;
            }
            Rows device = define(kind, columns, rows), reference = define(kind, columns, rows);
            Parameters for_device;
            for_device.gpu = gpu;
            const Scheduled scheduled = schedule(Halide::Pipeline(device.y), opencl, for_device, false);

            INFO(to_text(scheduled.report()));
            CHECK(is_online(scheduled.planned.plan));
            (scheduled.planned.plan.groups.size() == 1 ? one_kernel : two_kernels)++;
            Parameters unfused;
            unfused.unfused = true;
            schedule(Halide::Pipeline(reference.y), opencl, unfused, false);
            for (const auto &[c, r] :
                 std::vector<std::pair<int, int>>{{1, 1}, {3, 20}, {257, 9}, {1024, 11}, {2500, 19}}) {
                Halide::Buffer<float> x(c, r), w(c, r);
                x.for_each_element([&, n = c](int k, int i) { x(k, i) = value(k, i, n); });
                w.for_each_element(
                    [&](int k, int i) { w(k, i) = static_cast<float>((k + 3 * i) % 7) / 7 - 0.25f; });
                x.set_host_dirty();
                w.set_host_dirty();
                INFO("kind " << static_cast<int>(kind) << ", planned for " << columns << " columns, " << c
                             << " columns, " << r << " rows");
                check_same(run(device, x, w, opencl), run(reference, x, w, opencl));
            }
        }
    }
    CHECK(one_kernel > 0);
    CHECK(two_kernels > 0);
}

TEST_CASE("long rows of the generators") {
    if (!has_opencl()) {
        return;
    }
    const Target host = Halide::get_jit_target_from_environment();
    for (const DeviceCase &c : long_row_cases()) {
        for (const std::string &gpu : {std::string("a100"), slow_launches(1e-3)}) {
            DeviceProgram device(c, host.with_feature(Target::OpenCL), gpu), reference(c, host);
            INFO(c.name << " on " << gpu);
            CHECK(is_online(device.scheduled().planned.plan));
            for (size_t s = 0; s < c.sizes.size(); s++) {
                const std::vector<double> got = device.run(c.sizes[s], s + 1),
                                          expected = reference.run(c.sizes[s], s + 1);
                REQUIRE(got.size() == expected.size());
                double difference = 0;
                for (size_t i = 0; i < got.size(); i++) {
                    difference = std::max(difference,
                                          std::isfinite(got[i]) ? std::abs(got[i] - expected[i]) : HUGE_VAL);
                }
                INFO("sizes " << s);
                CHECK(difference <= 2e-5);
            }
        }
    }
}

TEST_CASE("what is no such sum, or no pair, is refused in a sentence") {
    using namespace Halide;
    Rows rows = define(Kind::softmax, 64, 16);
    Var i("i");
    Func m("m"), s("s");
    const RDom all(0, 64, "all");
    m(i) = Float(32).min();
    m(i) = max(m(i), rows.x(all, i));
    s(i) += exp(rows.x(all, i));
    const auto error_of = [](const std::function<void()> &f) {
        try {
            f();
        } catch (const UserError &e) {
            return std::string(e.what());
        }
        return std::string("no error");
    };
    CHECK(error_of([&] { sum_online(s, m); }) ==
          "One pass for " + s.name() + " and " + m.name() + " was asked for, but the terms that " + s.name() +
              " adds up are no exponentials of what " + m.name() +
              " is the maximum of: choose m(i) = max(m(i), v(k, i)), s(i) += exp(v(k, i) - m(i)) * w(k, i).");
    CHECK(error_of([&] { partial_pairs(s, 16); }) ==
          "Partial results of pairs were asked for of " + s.name() +
              ", which is no pair of a maximum and a sum: choose what sum_online() returns.");
}
