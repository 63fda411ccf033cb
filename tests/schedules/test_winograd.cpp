// Convolutions with windows of 3 x 3 points by Winograd's algorithm: which are found, in any layout, with the
// values of the sums at sizes odd and tiny, without reading anything more, and when plans have them.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "Halide.h"

#include "base/user_error.h"
#include "fusion/plan/grade.h"
#include "graph/read/convolution.h"
#include "schedules/autoschedule.h"
#include "schedules/rewrites.h"
#include "tests/schedules/jit_check.h"
#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic;
using namespace eutectic::test;

namespace {

/** What a convolution looks like: the order of the dimensions of the results (c, u, v, n), the image (k, u,
 * v, n) and the filter (c, k, r, s). */
struct Layout {
    std::string results = "cuvn", image = "kuvn", filter = "ckrs";
    int step = 1;           ///< -1: the window goes backwards, as in the gradient of an image
    bool padded = true;     ///< zero outside of the image, else the image has all that is read
    bool within = false;    ///< that is written into the sum, not as a Func of its own
    Type type = Float(32);  ///< of the inputs
    Type sums = Float(32);
    int stride = 1, dilation = 1, window = 3;
};

const std::vector<std::string> names = {"c", "u", "v", "n"};

/** Sizes of the estimates, by the letters of Layout. */
std::map<char, int> layer(int channels, int columns, int lines, int batch = 1) {
    return {{'c', channels}, {'k', channels}, {'u', columns}, {'v', lines}, {'n', batch}, {'r', 3}, {'s', 3}};
}

template<class T, class Of>
std::vector<T> each(const std::string &letters, const Of &of) {
    std::vector<T> all;
    for (const char letter : letters) {
        all.push_back(of(letter));
    }
    return all;
}

/** Extents of a tensor; the image has the border of windows around it where it is not padded. */
std::vector<int> extents(const Layout &l, const std::string &letters, std::map<char, int> at) {
    const bool image = letters.find('k') != std::string::npos && letters.find('c') == std::string::npos;
    if (image && !l.padded) {
        at['u'] += 2;
        at['v'] += 2;
    }
    return each<int>(letters, [&](char letter) { return at.at(letter); });
}

Sizes sizes_of(const Layout &l, const std::map<char, int> &at) {
    return {{extents(l, l.image, at), extents(l, l.filter, at), {at.at('c')}}, {extents(l, l.results, at)}};
}

Expr at_points(const ImageParam &p, const std::string &letters, const std::map<char, Expr> &at) {
    return p(each<Expr>(letters, [&](char letter) { return at.at(letter); }));
}

/** The image at (k, u, v, n), zero outside. */
Expr padded(const Layout &l, const ImageParam &x, std::map<char, Expr> at) {
    Expr inside = Internal::const_true();
    for (const char letter : {'u', 'v'}) {
        const auto d = x.dim(static_cast<int>(l.image.find(letter)));
        inside = inside && at[letter] >= d.min() && at[letter] <= d.max();
        at[letter] = clamp(at[letter], d.min(), d.max());
    }
    return select(inside, at_points(x, l.image, at), cast(l.type, 0));
}

/** relu(convolution + bias). */
Program program(const Layout &l, const std::map<char, int> &sizes, Func *sum_of_program = nullptr) {
    ImageParam x(l.type, 4, "x"), w(l.type, 4, "w"), b(l.type, 1, "b");
    Func sum("sum"), image("image"), y("y");
    std::map<char, Expr> var, read;
    std::vector<Var> args;
    for (const char letter : l.results) {
        args.emplace_back(std::string(1, letter));
    }
    const Var c("c"), u("u"), v("v"), n("n"), k("k");
    image(k, u, v, n) = padded(l, x, {{'k', k}, {'u', u}, {'v', v}, {'n', n}});
    const RDom r({{0, x.dim(static_cast<int>(l.image.find('k'))).extent()}, {0, l.window}, {0, l.window}},
                 "r");
    const int border = l.step > 0 ? (l.padded ? -1 : 0) : l.padded ? 1 : 2;
    const Expr at_u = u * l.stride + r[1] * l.step * l.dilation + border,
               at_v = v * l.stride + r[2] * l.step * l.dilation + border;
    read = {{'k', r[0]}, {'u', at_u}, {'v', at_v}, {'n', n}};
    const Expr point = !l.padded  ? at_points(x, l.image, read)
                       : l.within ? padded(l, x, read)
                                  : image(r[0], at_u, at_v, n);
    const Expr filter = at_points(w, l.filter, {{'c', c}, {'k', r[0]}, {'r', r[1]}, {'s', r[2]}});
    sum(args) = cast(l.sums, 0);
    sum(args) += cast(l.sums, point) * cast(l.sums, filter);
    y(args) = max(sum(args) + cast(l.sums, b(c)), cast(l.sums, 0));
    const auto set = [&](ImageParam of, const std::vector<int> &to) {
        for (int d = 0; d < of.dimensions(); d++) {
            of.dim(d).set_estimate(0, to[d]);
        }
    };
    const Sizes all = sizes_of(l, sizes);
    set(x, all.inputs[0]);
    set(w, all.inputs[1]);
    set(b, all.inputs[2]);
    for (size_t d = 0; d < args.size(); d++) {
        y.set_estimate(args[d], 0, all.outputs[0][d]);
    }
    if (sum_of_program) {
        *sum_of_program = sum;
    }
    return {{x, w, b}, {y}, {}};
}

const std::vector<Layout> &layouts() {
    static const std::vector<Layout> all = [] {
        std::vector<Layout> some(9);
        some[1].results = "uvcn", some[1].image = "uvkn", some[1].filter = "rskc";
        some[2].results = "cnvu", some[2].image = "knvu", some[2].filter = "srck";
        some[3].results = "nucv", some[3].image = "vnku", some[3].filter = "kcrs";
        some[4].step = -1;
        some[5].padded = false;
        some[6].within = true;
        some[7].padded = false, some[7].step = -1, some[7].results = "uvcn", some[7].image = "uvkn";
        some[8].type = some[8].sums = Float(64);
        return some;
    }();
    return all;
}

int index_of(Pipeline pipeline, const Func &f) {
    int index = 0;
    while (pipeline.get_func(index).name() != f.name()) {
        index++;
    }
    return index;
}

/** Largest difference, in parts of the largest value. */
double difference(const Buffer<> &got, const Buffer<> &want) {
    const std::vector<double> g = values(got), w = values(want);
    double most = 0, largest = 1e-30;
    for (size_t i = 0; i < w.size(); i++) {
        most = std::isfinite(g[i]) ? std::max(most, std::abs(g[i] - w[i])) : HUGE_VAL;
        largest = std::max(largest, std::abs(w[i]));
    }
    return most / largest;
}

Target avx2() {
    return Target("x86-64-linux-avx-avx2-f16c-fma-sse41");
}

Scheduled scheduled(const Program &p, Parameters parameters = {}, const Target &target = avx2()) {
    parameters.parallelism = 2;
    return schedule(Pipeline(p.outputs), target, parameters, false);
}

bool says(const Scheduled &s, const std::string &text) {
    return std::any_of(s.graph.changed.begin(), s.graph.changed.end(),
                       [&](const std::string &sentence) { return sentence.find(text) != std::string::npos; });
}

bool by_winograd(const std::string &source) {
    return source.find("eutectic::winograd_") != std::string::npos;
}

}  // namespace

TEST_CASE("convolutions are found in any layout, padded or not, forwards and backwards") {
    for (size_t i = 0; i < layouts().size(); i++) {
        CAPTURE(i);
        const Layout &l = layouts()[i];
        Func sum;
        const Program p = program(l, layer(16, 12, 10), &sum);
        const auto found = convolution(sum.function());
        REQUIRE(found);
        for (const int along : {0, 1}) {
            const WindowDim &w = found->window[along];
            CHECK((l.results[w.dim] == 'u' || l.results[w.dim] == 'v'));
            CHECK(w.step == l.step);
        }
        CHECK(found->from_zero);
        CHECK(found->channels.size() == 1);
    }
}

TEST_CASE("what is no such convolution is not found") {
    const auto found = [](const Layout &l) {
        Func sum;
        const Program p = program(l, layer(16, 12, 10), &sum);
        return convolution(sum.function()).has_value();
    };
    CHECK(found({}));
    std::vector<Layout> others(5);
    others[0].stride = 2;
    others[1].dilation = 2;
    others[2].window = 5;
    others[3].type = others[3].sums = Int(32);
    others[4].type = others[4].sums = Float(16);
    for (size_t i = 0; i < others.size(); i++) {
        CAPTURE(i);
        CHECK_FALSE(found(others[i]));
    }
    ImageParam x(Float(32), 3, "x"), w(Float(32), 3, "w");
    const Var c("c"), u("u"), v("v");
    RDom r(0, 3, 0, 3, "r");
    Func each_channel("each_channel"), in_part("in_part");
    each_channel(c, u, v) += x(c, u + r.x, v + r.y) * w(c, r.x, r.y);
    CHECK_FALSE(convolution(each_channel.function()));  // no products of channels
    RDom q(0, 16, 0, 3, 0, 3, "q");
    q.where(q.x < q.y);
    in_part(c, u, v) += x(q.x, u + q.y, v + q.z) * w(c, q.x, q.y * 3 + q.z);
    CHECK_FALSE(convolution(in_part.function()));
}

TEST_CASE("values at sizes odd and tiny, reading nothing more" * doctest::test_suite("slow")) {
    const Target target = get_jit_target_from_environment();
    // In parts of the largest result: the bounds of rewrites.h are for 64 channels or more.
    const std::pair<decltype(&winograd_2x2), double> algorithms[] = {{winograd_2x2, 2e-6},
                                                                     {winograd_4x4, 2e-5}};
    for (size_t i = 0; i < layouts().size(); i++) {
        const Layout &l = layouts()[i];
        Layout exact = l;
        exact.sums = Float(64);
        const Program reference = program(exact, layer(16, 12, 10));
        compute_all_at_root(reference);
        Compiled plain(reference, target);
        for (const auto &[make, bound] : algorithms) {
            for (const int tiles : {3, 1}) {
                if (tiles == 1 && i > 0) {
                    continue;  // groups of one tile are in no layout another case
                }
                Func sum;
                const Program p = program(l, layer(16, 12, 10), &sum);
                make(Pipeline(p.outputs), {{index_of(Pipeline(p.outputs), sum), tiles}});
                compute_all_at_root(p);
                Compiled tiled(p, target);
                for (const auto &[columns, lines] :
                     {std::pair{12, 8}, {1, 1}, {2, 5}, {3, 1}, {13, 7}, {25, 6}}) {
                    Sizes sizes = sizes_of(l, layer(5, columns, lines, 2));
                    for (const bool moved : {false, true}) {
                        if (moved && !l.padded) {
                            continue;
                        }
                        sizes.own_mins = {{0, 0, 0, 0}};
                        for (const char letter : {'u', 'v'}) {
                            sizes.own_mins[0][l.results.find(letter)] = moved ? 1 : 0;
                        }
                        CAPTURE(i);
                        CAPTURE(tiles);
                        CAPTURE(columns);
                        CAPTURE(lines);
                        const double most = difference(tiled.run(sizes)[0], plain.run(sizes)[0]);
                        CHECK(most < (l.sums == Float(64) ? bound * 1e-9 : bound));
                    }
                }
            }
        }
    }
}

TEST_CASE("plans have it where it is predicted faster, and say so, with both times") {
    for (const bool padded : {true, false}) {
        Layout l;
        l.padded = padded;
        const std::string source =
            check_same_values([&] { return program(l, layer(64, 56, 56)); },
                              {sizes_of(l, layer(64, 56, 56)), sizes_of(l, layer(64, 1, 1)),
                               sizes_of(l, layer(7, 9, 5, 3)), sizes_of(l, layer(70, 31, 13))});
        INFO(source);
        CHECK(by_winograd(source));
    }
    const Scheduled s = scheduled(program({}, layer(64, 56, 56)));
    CHECK(by_winograd(s.source));
    CHECK(says(s, "sum is computed by Winograd's algorithm in tiles of "));
    CHECK(says(s, " for everything (disable=winograd leaves it as written)"));
    CHECK(grade(s.graph, s.planned.plan) == Grade::reassociating);
}

namespace {

/** Two layers, the second with zero around the first's results. */
Program two_layers() {
    ImageParam x(Float(32), 3, "x"), w1(Float(32), 4, "w1"), w2(Float(32), 4, "w2");
    Func first("first"), h("h"), second("second"), y("y");
    const Var c("c"), u("u"), v("v");
    const Func inside = BoundaryConditions::constant_exterior(x, 0.0f);
    const RDom r({{0, 48}, {0, 3}, {0, 3}}, "r");
    first(c, u, v) += inside(r[0], u + r[1] - 1, v + r[2] - 1) * w1(c, r[0], r[1], r[2]);
    h(c, u, v) = max(first(c, u, v), 0.0f);
    const Func around = BoundaryConditions::constant_exterior(
        h, 0.0f, {{Expr(), Expr()}, {0, x.dim(1).extent()}, {0, x.dim(2).extent()}});
    second(c, u, v) += around(r[0], u + r[1] - 1, v + r[2] - 1) * w2(c, r[0], r[1], r[2]);
    y(c, u, v) = second(c, u, v) + x(c, u, v);
    x.set_estimates({{0, 48}, {0, 40}, {0, 36}});
    w1.set_estimates({{0, 48}, {0, 48}, {0, 3}, {0, 3}});
    w2.set_estimates({{0, 48}, {0, 48}, {0, 3}, {0, 3}});
    y.set_estimates({{0, 48}, {0, 40}, {0, 36}});
    return {{x, w1, w2}, {y}, {}};
}

}  // namespace

TEST_CASE("what is chosen loses little on every processor of the target") {
    for (const int channels : {64, 512}) {
        const int points = channels == 64 ? 56 : 7;
        const Scheduled s = scheduled(program({}, layer(channels, points, points)));
        REQUIRE(s.family.size() > 1);
        for (const MemberSeconds &m : s.family) {
            INFO(channels << " channels on " << m.name);
            CHECK(m.loss() <= 1.15);
        }
    }
}

TEST_CASE("the plan that a choice was priced by is the pipeline's" * doctest::test_suite("slow")) {
    Parameters alone;
    alone.processor = "zen4";
    CHECK(by_winograd(scheduled(program({}, layer(512, 7, 7)), alone).source));  // faster so there alone
    for (const bool two : {false, true}) {
        const Scheduled s = scheduled(two ? two_layers() : program({}, layer(64, 56, 56)), alone);
        REQUIRE(by_winograd(s.source));
        CHECK(to_string(s.planned.plan) == to_string(choose_plan(s.graph, s.machine, alone).plan));
    }
}

TEST_CASE("not under strict numerics, for devices, when disabled, or where it has more operations") {
    Parameters disabled;
    disabled.disable = {"winograd"};
    const Scheduled as_written = scheduled(program({}, layer(64, 56, 56)), disabled);
    CHECK_FALSE(by_winograd(as_written.source));
    CHECK_FALSE(says(as_written, "Winograd"));
    const Scheduled strict =
        scheduled(program({}, layer(64, 56, 56)), {}, avx2().with_feature(Target::StrictFloat));
    CHECK_FALSE(by_winograd(strict.source));
    CHECK(grade(strict.graph, strict.planned.plan) == Grade::exact);
    const Scheduled device =
        scheduled(program({}, layer(64, 56, 56)), {},
                  avx2().with_feature(Target::CUDA).with_feature(Target::CUDACapability80));
    CHECK_FALSE(by_winograd(device.source));
    const Scheduled few = scheduled(program({}, layer(2, 56, 56)));
    CHECK_FALSE(by_winograd(few.source));
    CHECK_FALSE(says(few, "Winograd"));
}

TEST_CASE("two layers, each a call, the producer's first" * doctest::test_suite("slow")) {
    const std::string source =
        check_same_values(two_layers, {{{{48, 40, 36}, {48, 48, 3, 3}, {48, 48, 3, 3}}, {{48, 40, 36}}},
                                       {{{48, 5, 7}, {48, 48, 3, 3}, {48, 48, 3, 3}}, {{48, 5, 7}}},
                                       {{{48, 1, 1}, {48, 48, 3, 3}, {48, 48, 3, 3}}, {{48, 1, 1}}}});
    INFO(source);
    const size_t once = source.find("eutectic::winograd_");
    REQUIRE(once != std::string::npos);
    CHECK(source.find("eutectic::winograd_", once + 1) != std::string::npos);
}

namespace {

/** What reads the sum at columns that a table tells, kept within `columns` or not. */
Program looked_up(bool kept, Func &sum) {
    ImageParam x(Float(32), 3, "x"), w(Float(32), 4, "w"), at(Int(32), 1, "at");
    Func y("y");
    const Var c("c"), u("u"), v("v");
    const RDom r({{0, 64}, {0, 3}, {0, 3}}, "r");
    sum(c, u, v) += x(r[0], u + r[1], v + r[2]) * w(c, r[0], r[1], r[2]);
    y(c, u, v) = sum(c, kept ? clamp(at(u), 0, 55) : Expr(at(u)), v);
    x.set_estimates({{0, 64}, {0, 58}, {0, 58}});
    w.set_estimates({{0, 64}, {0, 64}, {0, 3}, {0, 3}});
    at.set_estimates({{0, 56}});
    sum.set_estimates({{0, 64}, {0, 56}, {0, 56}});
    y.set_estimates({{0, 64}, {0, 56}, {0, 56}});
    return {{x, w, at}, {y}, {}};
}

}  // namespace

TEST_CASE("a sum whose points depend on data alone stays as it is, and the plan says why") {
    Func kept("sum");
    CHECK(by_winograd(scheduled(looked_up(true, kept)).source));
    Func sum("sum");
    const Program far = looked_up(false, sum);
    const Pipeline pipeline(far.outputs);
    CHECK_THROWS_WITH_AS(
        winograd_2x2(pipeline, {{index_of(pipeline, sum), 4}}),
        doctest::Contains("was to be computed by winograd_2x2, but is no convolution with windows of 3 x 3"),
        UserError);
    const Scheduled s = scheduled(far);
    CHECK_FALSE(by_winograd(s.source));
    CHECK(says(s, "sum stays a sum over windows: Winograd's algorithm needs to know"));
}
