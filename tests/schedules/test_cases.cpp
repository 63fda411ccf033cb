// Definitions that choose by a dim of few points: the version for as many as are expected and the other have
// the values of the definition, whatever the number, and wherever the points begin.

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "Halide.h"

#include "tests/schedules/jit_check.h"

using namespace Halide;
using namespace eutectic;
using namespace eutectic::test;

namespace {

/** Sizes of an output of `colours` of each of `counts`, at sizes odd and tiny, from `first` on. */
std::vector<Sizes> sizes_of(const std::vector<int> &counts, const std::vector<int> &firsts,
                            const std::function<std::vector<std::vector<int>>(int, int)> &inputs) {
    std::vector<Sizes> all;
    for (const int count : counts) {
        for (const int first : firsts) {
            for (const auto &[columns, rows] : {std::pair{640, 9}, {1, 1}, {17, 3}, {64, 2}, {131, 5}}) {
                Sizes sizes{inputs(columns, rows), {{columns, rows, count}}};
                sizes.own_mins = {{0, 0, first}};
                all.push_back(sizes);
            }
        }
    }
    return all;
}

/** Three colours, each from what all of them need. */
Program equalized() {
    ImageParam in(Float(32), 3, "in");
    Var x("x"), y("y"), c("c");
    Func luma("luma"), blue("blue"), out("out");
    luma(x, y) = 0.3f * in(x, y, 0) + 0.6f * in(x, y, 1) + 0.1f * in(x, y, 2);
    blue(x, y) = (in(x, y, 2) - luma(x, y)) * 0.6f;
    const Expr grey = luma(x, y) * luma(x, y) * 0.5f;
    out(x, y, c) = mux(c, {grey + in(x, y, 0) * 1.4f, grey - blue(x, y) * 0.3f, grey + blue(x, y) * 1.8f});
    in.set_estimates({{0, 1536}, {0, 1024}, {0, 3}});
    out.set_estimates({{0, 1536}, {0, 1024}, {0, 3}});
    return {{in}, {out}, {}};
}

/** Layers put over each other by the operation that each is given: a little interpreter. */
Program interpreter(int layers, int operations) {
    ImageParam top(UInt(8), 4, "top"), code(Int(32), 1, "code");
    Var x("x"), y("y"), c("c");
    Func over("over"), out("out");
    over(x, y) = {cast<uint16_t>(top(x, y, 0, 0)), cast<uint16_t>(top(x, y, 1, 0))};
    RDom r(0, operations, 0, layers);
    r.where(r.x == code(r.y) % operations);
    const Expr colour = cast<uint16_t>(top(x, y, 0, r.y)), alpha = cast<uint16_t>(top(x, y, 1, r.y));
    std::vector<Expr> colours, alphas;
    for (int o = 0; o < operations; o++) {
        const Expr before = over(x, y)[0];
        colours.push_back(o == 0   ? before + colour
                          : o == 1 ? max(before, colour)
                          : o == 2 ? before * (255 - alpha)
                                   : before ^ colour);
        alphas.push_back(over(x, y)[1] + alpha * cast<uint16_t>(o));
    }
    over(x, y) = {mux(r.x, colours), mux(r.x, alphas)};
    out(x, y, c) = mux(c, {over(x, y)[0], over(x, y)[1]});
    top.set_estimates({{0, 1536}, {0, 1024}, {0, 2}, {0, layers}});
    code.set_estimates({{0, layers}});
    out.set_estimates({{0, 1536}, {0, 1024}, {0, 2}});
    return {{top, code}, {out}, {}};
}

/** Of even rows the exponential, of odd ones the root, of what even and odd columns read apart. */
Program rows_and_columns() {
    ImageParam in(Float(32), 2, "in");
    Var x("x"), y("y");
    Func wide("wide"), out("out");
    wide(x, y) = select(x % 2 == 0, in(x / 2, y), in(x / 2 + 1, y) * 0.5f);
    out(x, y) = select(y % 2 == 0, exp(wide(x, y)), sqrt(abs(wide(x, y))) + wide(x, y));
    in.set_estimates({{0, 769}, {0, 1024}});
    out.set_estimates({{0, 1536}, {0, 1024}});
    return {{in}, {out}, {}};
}

}  // namespace

TEST_CASE(
    "rows of two kinds are code for each, lanes are shuffled: in a version for outputs that begin even") {
    std::vector<Sizes> all;
    for (const auto &[first_x, first_y] : {std::pair{0, 0}, {1, 0}, {0, 1}, {3, 1}, {2, 4}, {6, 2}}) {
        for (const auto &[columns, rows] : {std::pair{640, 9}, {1, 1}, {17, 3}, {64, 2}, {131, 1030}}) {
            Sizes sizes{{{columns / 2 + 5, rows + 4}}, {{columns, rows}}};
            sizes.own_mins = {{first_x, first_y}};
            all.push_back(sizes);
        }
    }
    const std::string schedule = check_same_values(rows_and_columns, all);
    INFO(schedule);
    CHECK(schedule.find("dim(1).min() % 2 == 0 && ") != std::string::npos);
    CHECK(schedule.find("dim(0).min() % 2 == 0") != std::string::npos);
    CHECK(schedule.find("_whole.unroll(v_y_i") != std::string::npos);
}

TEST_CASE("colours that are chosen are code for each of them, in a version for as many as are expected") {
    const std::string schedule =
        check_same_values(equalized, sizes_of({3, 1, 2, 4, 5}, {0, -1, 1, 2}, [](int columns, int rows) {
                              return std::vector<std::vector<int>>{{columns, rows, 3}};
                          }));
    INFO(schedule);
    CHECK(schedule.find("dim(2).min() == 0 && ") != std::string::npos);
    CHECK(schedule.find("dim(2).extent() == 3") != std::string::npos);
    CHECK(schedule.find("luma.compute") == std::string::npos);  // once for all colours, where it is read
}

TEST_CASE("an interpreter: its operations and layers are code, and one of the operations is done") {
    for (const int layers : {1, 3}) {
        for (const int operations : {2, 4}) {
            const std::string schedule = check_same_values(
                [&] { return interpreter(layers, operations); },
                sizes_of({2, 1, 3}, {0, 1}, [&](int columns, int rows) {
                    return std::vector<std::vector<int>>{{columns, rows, 2, layers}, {layers}};
                }));
            INFO(schedule);
            CHECK(schedule.find(".unroll(over") != std::string::npos);
        }
    }
}
