// What a Func that is rewritten may do besides: be summed up in strips of rows, be recomputed, share its
// loops.

#include <doctest/doctest.h>

#include "fusion/rules/rules.h"
#include "tests/support/patterns.h"
#include "tests/support/rule_named.h"

using namespace eutectic;
using namespace eutectic::test;

namespace {

using Kind = Placement::Kind;

/** Is `func` written in the loops of `root` at the one site where a rule would have it, or why not? */
std::string refusal(const Sketch &s, FuncId func, FuncId root, const Placements &placements) {
    const Rule rule = rule_named("write_rows_together");
    const Graph g = s.graph();
    for (const Site &site : rule.match(g, placements)) {
        if (site.producer == func && site.consumers == std::vector<FuncId>{root}) {
            return rule.legal(g, placements, site).reason();
        }
    }
    return "no site";
}

/** y(j, i) = relu(x(j, i)), and m(b, i), a bit for each of 8 columns of y. */
struct Relu {
    Sketch s;
    FuncId x = s.input("x", {1024, 65536});
    FuncId y = s.pointwise("y", {1024, 65536}, {{x, {at(0), at(1)}}});
    FuncId m = s.pointwise("m", {128, 65536}, {{y, {scaled(0, 8), at(1)}}}, work(16));

    Relu() {
        s.func(m).bytes_per_point = s.func(m).element_bytes = 1;
        s.output(y);
        s.output(m);
    }
};

}  // namespace

TEST_CASE("a sum that is divided late is not summed up in strips of rows") {
    Sketch s;
    const FuncId x = s.input("x", {32, 16}), divisor = s.input("divisor", {32});
    const FuncId y = s.pointwise("y", {32, 16}, {{x, {at(0), at(1)}}});
    const FuncId sum = s.reduction("sum", {32}, {16}, {{x, {at(0), at(1)}}, {divisor, {at(0)}}}, work(1, 1));
    s.output(y);
    s.output(sum);
    late_division(s, sum, -1, {}, {{x, {at(0), at(1)}}}, {divisor, {at(0)}});
    const Graph g = s.graph();
    Placements placements = unfused(g);
    CHECK(may_sum_in_strips(g, placements, sum, y));
    placements.use(late_division_rewrite(), sum);
    CHECK(may_sum_in_strips(g, placements, sum, y).reason() ==
          "sum is divided where its tile is written, and has to be summed up there");
}

TEST_CASE("rows that are multiplied by reciprocals are not recomputed for a sum, nor for a mask") {
    Sketch s;
    const FuncId d = s.input("d", {32, 16}), m = s.input("m", {32, 16});
    const FuncId z = s.pointwise("z", {32, 16}, {{d, {at(0), at(1)}}, {m, {at(0), at(1)}}}, work(1));
    const FuncId b = s.reduction("b", {32}, {16}, {{z, {at(0), at(1)}}});
    s.output(b);
    s.output(s.reduction("reader", {16}, {32}, {{z, {at(1), at(0)}}}));
    row_division(s, z, {false, true});
    const Graph g = s.graph();
    Placements placements = unfused(g);
    CHECK(may_sum_in_strips(g, placements, b, z));
    placements.use(reciprocal_rewrite(), z);
    CHECK(may_sum_in_strips(g, placements, b, z).reason() ==
          "z is multiplied by reciprocals in its own loops, where b, which would recompute it, is not");

    Relu relu;
    row_division(relu.s, relu.y, {false, false});
    Placements with_mask = unfused(relu.s.graph());
    CHECK(refusal(relu.s, relu.m, relu.y, with_mask).empty());
    with_mask.use(reciprocal_rewrite(), relu.y);
    CHECK(refusal(relu.s, relu.m, relu.y, with_mask) ==
          "y is multiplied by reciprocals in its own loops, where m, which would recompute it, is not");
}

TEST_CASE("a line of rows is written row by row, in loops of its own") {
    Relu relu;
    line_of_rows(relu.s, relu.y, BufferDim{relu.x, 0});
    CHECK(refusal(relu.s, relu.m, relu.y, unfused(relu.s.graph())) ==
          "y is put together row by row, in loops of its own");
}

TEST_CASE("a sum that recomputes its rows leaves them when they get reciprocals of rows") {
    Sketch s;
    const FuncId d = s.input("d", {32, 16});
    const FuncId of_row = s.reduction("of_row", {16}, {32}, {{d, {at(1), at(0)}}});
    const FuncId y = s.pointwise("y", {32, 16}, {{d, {at(0), at(1)}}, {of_row, {at(1)}}}, work(0, 1));
    const FuncId sum = s.reduction("sum", {32}, {16}, {{y, {at(0), at(1)}}});
    s.output(y);
    s.output(sum);
    row_division(s, y, {false, true});
    const Graph g = s.graph();
    Placements placements = unfused(g);
    placements[sum] = {Kind::strips, y};
    const Rule rule = rewrite_rule_named("multiply_by_reciprocal");
    REQUIRE(rule.legal(g, placements, {y, {y}}));
    const Placements divided = rule.candidates(g, placements, {y, {y}}).front();
    CHECK(divided.uses(reciprocal_rewrite(), y));
    CHECK(divided[sum] == Placement{Kind::root, -1});
}

TEST_CASE("a reciprocal of each row stays with its row, where another Func is written beside that") {
    Sketch s;
    const FuncId x = s.input("x", {32, 16});
    const FuncId e = s.pointwise("e", {32, 16}, {{x, {at(0), at(1)}}}, work(0, 0, 1));
    const FuncId sum = s.reduction("sum", {16}, {32}, {{e, {at(1), at(0)}}});
    const FuncId loss = s.pointwise("loss", {16}, {{sum, {at(0)}}});
    const FuncId y = s.pointwise("y", {32, 16}, {{e, {at(0), at(1)}}, {sum, {at(1)}}}, work(0, 1));
    s.output(loss);
    s.output(y);
    s.output(s.reduction("column", {32}, {16}, {{x, {at(0), at(1)}}}));
    row_division(s, y, {false, true});
    const Graph g = s.graph();
    Placements next = rule_named("write_rows_together").candidates(g, unfused(g), {loss, {y}}).front();
    next.use(reciprocal_rewrite(), y);
    CHECK(may_write_with(g, next, loss, y));
}
