// Pipelines as Halide has them -> the same as plain data, compared as text.

#include "graph_text.h"

#include <doctest/doctest.h>

#include "Halide.h"

#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic;
using namespace eutectic::test;

namespace {

Var x("x"), y("y"), c("c");

}  // namespace

TEST_CASE("a matmul is a contraction, whichever operand is transposed") {
    const ImageParam a = image("a", {64, 16}), b = image("b", {32, 64}), bt = image("bt", {64, 32});
    RDom k(0, 64);
    Func straight("straight"), transposed("transposed");
    straight(x, y) += a(k, y) * b(x, k);
    transposed(x, y) += a(k, y) * bt(k, x);
    estimate(straight, {32, 16});
    estimate(transposed, {32, 16});
    CHECK(text_of({straight}) == "func 0 [64 x 16] 4 B input\n"
                                 "func 1 [32 x 64] 4 B input\n"
                                 "func 2 [32 x 16] 4 B output\n"
                                 "  stage 0 pure pointwise (32, 16) flops 0 div 0 exp 0 libm 0\n"
                                 "  stage 1 update contraction (32, 16, r:64) flops 2 div 0 exp 0 libm 0\n"
                                 "    reads 0(d2, d1)\n"
                                 "    reads 1(d0, d2)\n");
    CHECK(text_of({transposed}) == "func 0 [64 x 16] 4 B input\n"
                                   "func 1 [64 x 32] 4 B input\n"
                                   "func 2 [32 x 16] 4 B output\n"
                                   "  stage 0 pure pointwise (32, 16) flops 0 div 0 exp 0 libm 0\n"
                                   "  stage 1 update contraction (32, 16, r:64) flops 2 div 0 exp 0 libm 0\n"
                                   "    reads 0(d2, d1)\n"
                                   "    reads 1(d2, d0)\n");
}

TEST_CASE("a convolution is a contraction that reads beside its points") {
    const ImageParam in = image("in", {66, 66, 8}), w = image("w", {3, 3, 8, 16});
    RDom r(0, 3, 0, 3, 0, 8);
    Func conv("conv");
    conv(x, y, c) = 0.0f;
    conv(x, y, c) += in(x + r.x, y + r.y, r.z) * w(r.x, r.y, r.z, c);
    estimate(conv, {64, 64, 16});
    CHECK(text_of({conv}) ==
          "func 0 [66 x 66 x 8] 4 B input\n"
          "func 1 [3 x 3 x 8 x 16] 4 B input\n"
          "func 2 [64 x 64 x 16] 4 B output\n"
          "  stage 0 pure pointwise (64, 64, 16) flops 0 div 0 exp 0 libm 0\n"
          "  stage 1 update contraction (64, 64, 16, r:3, r:3, r:8) flops 2 div 0 exp 0 libm 0\n"
          "    reads 0(d0 + d3, d1 + d4, d5)\n"
          "    reads 1(d3, d4, d5, d2)\n");
}

TEST_CASE("what a boundary condition asks is a guard, what any other select asks is work") {
    const ImageParam in = image("in", {64, 64, 8});
    Var c("c");
    Func plain("plain"), guarded("guarded");
    const Func zero =
        BoundaryConditions::constant_exterior(in, 0.0f, {{0, 64}, {Expr(), Expr()}, {Expr(), Expr()}});
    guarded(x, y, c) = zero(x - 1, y, c) + 1.0f;
    plain(x, y, c) = select(x < 4, in(0, y, c), in(x, y, c));
    estimate(guarded, {64, 64, 8});
    estimate(plain, {64, 64, 8});
    const std::string text = text_of({guarded});
    INFO(text);
    CHECK(text.find("pure pointwise (64, 64, 8) flops 0 div 0 exp 0 libm 0 guards 5 (d0)\n") !=
          std::string::npos);
    CHECK(text_of({plain}).find("flops 2 div") != std::string::npos);
}

TEST_CASE("softmax") {
    const ImageParam in = image("in", {100, 10});
    RDom r(0, 100);
    Func largest("largest"), e("e"), sum("sum"), out("out");
    largest(y) = in.type().min();
    largest(y) = max(largest(y), in(r, y));
    e(x, y) = exp(in(x, y) - largest(y));
    sum(y) += e(r, y);
    out(x, y) = e(x, y) / sum(y);
    estimate(out, {100, 10});
    CHECK(text_of({out}) == "func 0 [100 x 10] 4 B input\n"
                            "func 1 [10] 4 B\n"
                            "  stage 0 pure pointwise (10) flops 0 div 0 exp 0 libm 0\n"
                            "  stage 1 update reduction (10, r:100) flops 1 div 0 exp 0 libm 0\n"
                            "    reads 0(d1, d0)\n"
                            "func 2 [100 x 10] 4 B\n"
                            "  stage 2 pure pointwise (100, 10) flops 1 div 0 exp 1 libm 0\n"
                            "    reads 0(d0, d1)\n"
                            "    reads 1(d1)\n"
                            "func 3 [10] 4 B\n"
                            "  stage 3 pure pointwise (10) flops 0 div 0 exp 0 libm 0\n"
                            "  stage 4 update reduction (10, r:100) flops 1 div 0 exp 0 libm 0 online\n"
                            "    reads 2(d1, d0)\n"
                            "func 4 [100 x 10] 4 B output\n"
                            "  stage 5 pure pointwise (100, 10) flops 0 div 1 exp 0 libm 0 reciprocal\n"
                            "    reads 2(d0, d1)\n"
                            "    reads 3(d1)\n");
}

TEST_CASE("tuples: pure ones are pointwise, with updates they are opaque") {
    const ImageParam in = image("in", {64, 8});
    RDom r(0, 64);
    Func pair("pair"), best("best");
    pair(x, y) = Tuple(in(x, y), cast<double>(in(x, y)));
    best(y) = Tuple(0.0f, 0);
    const Expr better = pair(r, y)[0] > best(y)[0];
    best(y) = Tuple(select(better, pair(r, y)[0], best(y)[0]), select(better, r, best(y)[1]));
    estimate(best, {8});
    CHECK(text_of({best}) == "func 0 [64 x 8] 4 B input\n"
                             "func 1 [64 x 8] 12 B\n"
                             "  stage 0 pure pointwise (64, 8) flops 1 div 0 exp 0 libm 0\n"
                             "    reads 0(d0, d1) x2\n"
                             "func 2 [8] 8 B output\n"
                             "  stage 1 pure pointwise (8) flops 0 div 0 exp 0 libm 0\n"
                             "  stage 2 update opaque (8, r:64) flops 4 div 0 exp 0 libm 0\n"
                             "    reads 1(d1, d0) x2\n");
}

TEST_CASE("a scan reads what it wrote; a scatter writes where data says") {
    const ImageParam in = image("in", {256}, UInt(8));
    RDom r(1, 255), all(0, 256);
    Func prefix("prefix"), histogram("histogram");
    prefix(x) = cast<int>(in(x));
    prefix(r) = prefix(r - 1) + prefix(r);
    histogram(x) = 0;
    histogram(cast<int>(in(all))) += 1;
    estimate(prefix, {256});
    estimate(histogram, {256});
    CHECK(text_of({prefix}) == "func 0 [256] 1 B input\n"
                               "func 1 [256] 4 B output\n"
                               "  stage 0 pure pointwise (256) flops 1 div 0 exp 0 libm 0\n"
                               "    reads 0(d0)\n"
                               "  stage 1 update scan (1, r:255) flops 1 div 0 exp 0 libm 0\n");
    CHECK(text_of({histogram}) == "func 0 [256] 1 B input\n"
                                  "func 1 [256] 4 B output\n"
                                  "  stage 0 pure pointwise (256) flops 0 div 0 exp 0 libm 0\n"
                                  "  stage 1 update scatter (1, r:256) flops 2 div 0 exp 0 libm 0\n"
                                  "    reads 0(d1) x2\n");
}

TEST_CASE("operations are as wide as the widest of what they work on, whatever is stored in the end") {
    const ImageParam in = image("in", {64}, UInt(8));
    Func bytes("bytes"), floats("floats"), mixed("mixed");
    bytes(x) = max(in(x), min(in(x) + cast<uint8_t>(1), cast<uint8_t>(9)));
    floats(x) = cast<uint8_t>(cast<float>(in(x)) * 0.5f + 1.0f);
    mixed(x) = select(in(x) > 3, cast<uint16_t>(in(x)), cast<uint16_t>(7));
    const auto body_of = [](Func f) {
        estimate(f, {64});
        const Graph graph = graph_of({f});
        return graph.stages[graph.funcs[graph.funcs.next_id() - 1].stages.front()].body;
    };
    const ExprSummary of_bytes = body_of(bytes), of_floats = body_of(floats), of_mixed = body_of(mixed);
    CHECK(of_bytes.operand_bytes == of_bytes.flops);
    CHECK(of_bytes.bytes_of_operation(4) == 1);
    CHECK(of_floats.flops == 4);  // both conversions work on floats
    CHECK(of_floats.operand_bytes == 16);
    CHECK(of_mixed.flops == 3);
    CHECK(of_mixed.operand_bytes == 1 + 2 + 2);
}

TEST_CASE(
    "what mirrors an image divides at its edges alone: quotients are counted where most points need them") {
    const ImageParam in = image("in", {64});
    Func mirrored("mirrored"), divided("divided");
    mirrored(x) = BoundaryConditions::mirror_image(in)(x - 1);
    divided(x) = in(x / in.dim(0).extent());
    const auto flops = [](Func f) {
        estimate(f, {64});
        const Graph graph = graph_of({f});
        double all = 0;
        for (const eutectic::Stage &stage : graph.stages) {
            all += stage.body.flops;
        }
        return all;
    };
    CHECK(flops(mirrored) == 0);
    CHECK(flops(divided) >= 11);
}

TEST_CASE("several updates, a predicate, and a reduction that is no sum") {
    const ImageParam in = image("in", {64, 64});
    RDom r(0, 64, 0, 64);
    r.where(r.x < r.y);
    Func f("f");
    f(x) = 0.0f;
    f(x) += in(r.x, r.y);
    f(x) = f(x) * 2;
    estimate(f, {4});
    CHECK(text_of({f}) == "func 0 [64 x 64] 4 B input\n"
                          "func 1 [4] 4 B output\n"
                          "  stage 0 pure pointwise (4) flops 0 div 0 exp 0 libm 0\n"
                          "  stage 1 update reduction (4, r:64, r:64) flops 2 div 0 exp 0 libm 0\n"
                          "    reads 0(d1, d2)\n"
                          "  stage 2 update reduction (4) flops 1 div 0 exp 0 libm 0\n");
}

TEST_CASE("several outputs with a shared producer: it comes first, and once") {
    const ImageParam in = image("in", {128});
    Func shared("shared"), a("a"), b("b");
    shared(x) = sqrt(in(x)) / in(x + 1);
    a(x) = shared(x) + shared(x + 1);
    b(x) = shared(2 * x);
    estimate(a, {100});
    estimate(b, {50});
    CHECK(text_of({a, b}) == "func 0 [102] 4 B input\n"
                             "func 1 [101] 4 B\n"
                             "  stage 0 pure pointwise (101) flops 0 div 2 exp 0 libm 0 square_root 1\n"
                             "    reads 0(d0)\n"
                             "    reads 0(d0 ~0)\n"
                             "func 2 [100] 4 B output\n"
                             "  stage 1 pure pointwise (100) flops 1 div 0 exp 0 libm 0\n"
                             "    reads 1(d0)\n"
                             "    reads 1(d0 ~0)\n"
                             "func 3 [50] 4 B output\n"
                             "  stage 2 pure view (50) flops 0 div 0 exp 0 libm 0\n"
                             "    reads 1(2*d0)\n");
}

TEST_CASE("an extern stage is opaque and may read all of what it is given") {
    const ImageParam in = image("in", {128});
    Func before("before"), stage("stage"), after("after");
    before(x) = in(x) * 2;
    stage.define_extern("no_such_function", {before}, Float(32), 1);
    after(x) = stage(x) + before(x);
    estimate(after, {128});
    CHECK(text_of({after}) == "func 0 [128] 4 B input\n"
                              "func 1 [128] 4 B\n"
                              "  stage 0 pure pointwise (128) flops 1 div 0 exp 0 libm 0\n"
                              "    reads 0(d0)\n"
                              "func 2 [128] 4 B\n"
                              "  stage 1 pure opaque (128) flops 0 div 0 exp 0 libm 0\n"
                              "    reads 1(?)\n"
                              "func 3 [128] 4 B output\n"
                              "  stage 2 pure pointwise (128) flops 1 div 0 exp 0 libm 0\n"
                              "    reads 2(d0)\n"
                              "    reads 1(d0)\n");

    // What only an extern stage reads has the stage's size for an estimate, or its own.
    Func wide("wide"), sums("sums"), out("out");
    wide(x, y) = in(x) + y;
    wide.set_estimate(y, 0, 7);
    sums.define_extern("no_such_function", {wide}, Float(32), 1);
    out(x) = sums(x) + 1;
    estimate(out, {128});
    CHECK(text_of({out}) == "func 0 [128] 4 B input\n"
                            "func 1 [128 x 7] 4 B\n"
                            "  stage 0 pure pointwise (128, 7) flops 2 div 0 exp 0 libm 0\n"
                            "    reads 0(d0)\n"
                            "func 2 [128] 4 B\n"
                            "  stage 1 pure opaque (128) flops 0 div 0 exp 0 libm 0\n"
                            "    reads 1(?, ?)\n"
                            "func 3 [128] 4 B output\n"
                            "  stage 2 pure pointwise (128) flops 1 div 0 exp 0 libm 0\n"
                            "    reads 2(d0)\n");
}

TEST_CASE("what is counted: shared subexpressions once, index arithmetic not at all, each kind of operation "
          "in its place") {
    const ImageParam in = image("in", {128});
    Func f("f");
    const Expr v = in(2 * x + 1), twice = v * v;
    f(x) = twice + twice + exp(v) + log(v) + sqrt(v) + v / 3.0f + 1.0f / v + tanh(v) + select(v > 0, v, 0.0f);
    estimate(f, {64});
    CHECK(text_of({f}) == "func 0 [127] 4 B input\n"
                          "func 1 [64] 4 B output\n"
                          "  stage 0 pure pointwise (64) flops 12 div 2 exp 2 libm 1 square_root 1\n"
                          "    reads 0(2*d0 ~0)\n");
}

TEST_CASE("a Func whose every read is simplified away needs no size") {
    Var x("x");
    Func unread("unread"), out("out");
    const ImageParam in = image("in", {8});
    unread(x) = in(x + 1) * 2;
    out(x) = unread(x) - unread(x);
    estimate(out, {8});
    const Graph graph = graph_of({out});
    for (const FuncInfo &f : graph.funcs) {
        CHECK(f.points() <= 8);
    }
    for (const FuncInfo &f : graph.funcs) {  // a place in out's loops would be none in what Halide lowers
        CHECK((f.own_buffer_reason.find("terms that cancel") != std::string::npos) ==
              (f.name == unread.name()));
    }
}

TEST_CASE("the dims that an update writes at its own coordinates, along which it has loops") {
    const ImageParam in = image("in", {16, 8, 4});
    const RDom r(1, 7), b(0, 16);
    Func f("f");
    f(x, y, c) = in(x, y, c);
    f(x, r, c) += f(x, r - 1, c);
    f(x, y, 0) = in(x, y, 1);
    f(cast<int>(in(b, y, 0)), y, c) += 1.0f;
    f(x, y, c) *= 2.0f;
    estimate(f, {16, 8, 4});
    const Graph graph = graph_of({f});
    const FuncId id = graph.funcs.next_id() - 1;
    std::vector<std::string> own;
    for (const StageId s : graph.funcs[id].stages) {
        own.emplace_back();
        for (const DimId d : graph.stages[s].dims.ids()) {
            own.back() += graph.stages[s].is_own(d) ? 'o' : graph.stages[s].has_loop(d) ? 'r' : '-';
        }
    }
    CHECK(own == std::vector<std::string>{"ooo", "o-or", "oo-", "-oor", "ooo"});
    CHECK_FALSE(graph.writes_own(id, 0));
    CHECK(graph.funcs[id].extents.next_id() == 3);
    CHECK_FALSE(graph.writes_own(id, 1));
    CHECK_FALSE(graph.writes_own(id, 2));
    // Where they write, as far as that is affine.
    const auto written = [&](size_t s) { return graph.stages[graph.funcs[id].stages[s]].written.indices; };
    CHECK(written(0).empty());
    REQUIRE(written(1).size() == 3);
    CHECK(written(1)[0].equals_dim() == 0);
    CHECK(written(1)[1].scale[3] == 1);
    CHECK(written(1)[1].offset == 1);
    REQUIRE(written(2).size() == 3);
    CHECK(written(2)[2].offset == 0);
    CHECK_FALSE(written(2)[2].depends_on(2));
    CHECK(written(3).empty());
    CHECK(written(4).empty());
}

TEST_CASE("estimates of scalars count") {
    const ImageParam in = image("in", {128});
    Param<int> n("n");
    n.set_estimate(48);
    RDom r(0, n);
    Func f("f");
    f(x) += in(r) + in(x);
    estimate(f, {8});
    CHECK(text_of({f}) == "func 0 [48] 4 B input\n"
                          "func 1 [8] 4 B output\n"
                          "  stage 0 pure pointwise (8) flops 0 div 0 exp 0 libm 0\n"
                          "  stage 1 update reduction (8, r:48) flops 2 div 0 exp 0 libm 0\n"
                          "    reads 0(d1)\n"
                          "    reads 0(d0)\n");
}

TEST_CASE("what the user scheduled is told from what not") {
    const ImageParam in = image("in", {128});
    Func a("a"), b("b"), d("d"), e("e");
    a(x) = in(x) + 1;
    b(x) = a(x) + 1;
    d(x) = b(x) + 1;
    e(x) = d(x) + 1;
    estimate(e, {128});
    a.compute_root();
    d.vectorize(x, 8);
    const Graph g = graph_of({e});
    REQUIRE(g.funcs.size() == 5);
    CHECK(g.funcs[1].user_scheduled);
    CHECK_FALSE(g.funcs[2].user_scheduled);
    CHECK(g.funcs[3].user_scheduled);
    CHECK_FALSE(g.funcs[4].user_scheduled);
}

TEST_CASE("a mirrored or repeated image of a buffer is read at its own points, clamped; of a Func anywhere") {
    const ImageParam in = image("in", {64, 48});
    const auto index = [](const Func &source, bool mirrored) {
        Func edges = mirrored ? BoundaryConditions::mirror_image(source, {{0, 64}, {0, 48}})
                              : BoundaryConditions::repeat_image(source, {{0, 64}, {0, 48}});
        Func out("out");
        out(x, y) = edges(x, y) * 2;
        estimate(out, {64, 48});
        const Graph graph = graph_of({out});
        for (const Edge &edge : graph.edges) {
            if (graph.funcs[graph.stages[edge.consumer].func].name.find("image") != std::string::npos) {
                return edge.access.indices[0];
            }
        }
        return Index();
    };
    for (const bool mirrored : {true, false}) {
        Func view("view"), sums("sums");
        view(x, y) = in(x, y);
        sums(x, y) = in(x, y) + 1;
        const Index of_buffer = index(view, mirrored), of_func = index(sums, mirrored);
        CHECK(of_buffer.affine);
        CHECK(of_buffer.cut);
        CHECK_FALSE(of_func.affine);
    }
}
