#include "tests/schedules/stencil_pipelines.h"

namespace eutectic::test {

using namespace Halide;

namespace {

constexpr int columns = stencil_columns;
const Var x("x"), y("y");

Func named(const char *name) {
    return Func(name);
}

Steps chain(const Func &source, int length, const std::function<Expr(Func)> &next) {
    Steps steps;
    Func last = source;
    for (int i = 0; i < length; i++) {
        Func f("step_" + std::to_string(i) + "_");
        f(x, y) = next(last);
        steps.push_back(f);
        last = f;
    }
    return steps;
}

Expr box(Func f, int radius) {
    Expr sum = 0.f;
    for (int j = -radius; j <= radius; j++) {
        for (int i = -radius; i <= radius; i++) {
            sum = sum + f(x + i, y + j);
        }
    }
    return sum;
}

Expr down_by_two(const Func &f) {
    return f(x, 2 * y - 1) + f(x, 2 * y) + f(x, 2 * y + 2);
}

Expr up_by_two(const Func &f) {
    return f(x, y / 2 - 1 + 2 * (y % 2)) + f(x, y / 2);
}

std::vector<Stencils> stencils_of_taps() {
    return {
        {"3 taps across, then 3 taps down",
         [](Func in) {
             Func a = named("across"), b = named("down");
             a(x, y) = in(x - 1, y) + in(x, y) + in(x + 1, y);
             b(x, y) = a(x, y - 1) + a(x, y) + a(x, y + 1);
             return Steps{a, b};
         }},
        {"3 taps down, then 3 taps across",
         [](Func in) {
             Func a = named("down"), b = named("across");
             a(x, y) = in(x, y - 1) + in(x, y) + in(x, y + 1);
             b(x, y) = a(x - 1, y) + a(x, y) + a(x + 1, y);
             return Steps{a, b};
         }},
        {"four boxes of 3 x 3", [](Func in) { return chain(in, 4, [](Func f) { return box(f, 1); }); }},
        {"three boxes of 5 x 5", [](Func in) { return chain(in, 3, [](Func f) { return box(f, 2); }); }},
        {"three crosses",
         [](Func in) {
             return chain(in, 3, [](Func f) {
                 return f(x, y) + f(x - 1, y) + f(x + 1, y) + f(x, y - 1) + f(x, y + 1);
             });
         }},
        {"points along a diagonal, of a shifted copy",
         [](Func in) {
             Func f = named("copy"), out = named("out");
             f(x, y) = in(x + 8, y + 8);
             out(x, y) = f(x - 1, y - 1) + f(x, y) + f(x + 1, y + 1);
             return Steps{f, out};
         }},
        {"taps far apart",
         [](Func in) { return chain(in, 2, [](Func f) { return f(x - 7, y) + f(x + 5, y + 3); }); }},
        {"a stencil that looks ahead only",
         [](Func in) { return chain(in, 3, [](Func f) { return f(x, y) + f(x + 1, y + 2); }); }},
    };
}

std::vector<Stencils> windows() {
    return {
        {"a window as a reduction over -1 … 1",
         [](Func in) {
             Func a = named("a"), out = named("out");
             const RDom r(-1, 3, -1, 3);
             a(x, y) = in(x, y) * 2.f;
             out(x, y) = sum(a(x + r.x, y + r.y));
             return Steps{a, out};
         }},
        {"a window of 2 x 5 from 0, then one of 5 x 2 from -3",
         [](Func in) {
             Func a = named("a"), b = named("b"), out = named("out");
             const RDom r(0, 2, 0, 5), q(-3, 5, 1, 2);
             a(x, y) = in(x, y) * 2.f;
             b(x, y) = 0.f;
             b(x, y) += a(x + r.x, y + r.y);
             out(x, y) = sum(b(x + q.x, y + q.y));
             return Steps{a, b, out};
         }},
        {"a window and taps on one Func",
         [](Func in) {
             Func a = named("a"), out = named("out");
             const RDom r(-2, 4);
             a(x, y) = in(x, y) * 2.f;
             out(x, y) = sum(a(x + r, y)) - a(x, y - 1) - a(x + 3, y);
             return Steps{a, out};
         }},
    };
}

std::vector<Stencils> resampling() {
    return {
        {"down by two",
         [](Func in) {
             Func a = named("a"), out = named("out");
             a(x, y) = in(x, y) + 1.f;
             out(x, y) =
                 a(2 * x - 1, 2 * y) + a(2 * x, 2 * y) + a(2 * x + 1, 2 * y + 1) + a(2 * x + 2, 2 * y);
             return Steps{a, out};
         }},
        {"down by three, then a box",
         [](Func in) {
             Func a = named("a"), b = named("b"), out = named("out");
             a(x, y) = in(x, y) + 1.f;
             b(x, y) = a(3 * x, 3 * y) + a(3 * x + 1, 3 * y + 2);
             out(x, y) = box(b, 1);
             return Steps{a, b, out};
         }},
        {"up by two, the nearest point",
         [](Func in) {
             Func a = named("a"), out = named("out");
             a(x, y) = in(x, y) + 1.f;
             out(x, y) = a(x / 2, y / 2) * 3.f;
             return Steps{a, out};
         }},
        {"up by two, between two points",
         [](Func in) {
             Func a = named("a"), out = named("out");
             a(x, y) = in(x, y) + 1.f;
             out(x, y) = a(x / 2, y / 4) + a(x / 2 + 1, y / 4 + 1);
             return Steps{a, out};
         }},
        {"up by two, and a box of that",
         [](Func in) {
             Func a = named("a"), b = named("b"), out = named("out");
             a(x, y) = in(x, y) + 1.f;
             b(x, y) = a(x / 2, y / 2) * 3.f;
             out(x, y) = b(x, y) + b(x + 2, y + 2);
             return Steps{a, b, out};
         }},
        {"down by two and up again",
         [](Func in) {
             Func a = named("a"), b = named("b"), out = named("out");
             a(x, y) = in(x, y) + 1.f;
             b(x, y) = a(2 * x, 2 * y) + a(2 * x + 1, 2 * y + 1);
             out(x, y) = a(x, y) - b(x / 2, y / 2);
             return Steps{a, b, out};
         }},
    };
}

std::vector<Stencils> levels() {
    return {
        {"three times down by two", [](Func in) { return chain(in, 4, down_by_two); }},
        {"up by two, twice", [](Func in) { return chain(in, 3, up_by_two); }},
        {"down by two, and between its points",
         [](Func in) {
             Func a = named("a"), b = named("b"), c = named("c"), out = named("out");
             a(x, y) = in(x, y) + 1.f;
             b(x, y) = down_by_two(a);
             c(x, y) = up_by_two(b);
             out(x, y) = a(x, y) - c(x, y);
             return Steps{a, b, c, out};
         }},
        {"two levels down and up",
         [](Func in) {
             Func a = named("a"), b = named("b"), c = named("c"), d = named("d"), e = named("e"),
                  out = named("out");
             a(x, y) = in(x, y) + 1.f;
             b(x, y) = down_by_two(a);
             c(x, y) = down_by_two(b);
             d(x, y) = up_by_two(c);
             e(x, y) = d(x, y) + b(x, y);
             out(x, y) = a(x, y) - up_by_two(e);
             return Steps{a, b, c, d, e, out};
         }},
    };
}

std::vector<Stencils> several_accesses() {
    return {
        {"two readers with halos of their own",
         [](Func in) {
             Func a = named("a"), b = named("b"), c = named("c"), out = named("out");
             a(x, y) = in(x, y) + 1.f;
             b(x, y) = a(x - 2, y) + a(x + 1, y);
             c(x, y) = a(x, y - 3) + a(x, y + 1);
             out(x, y) = b(x, y) * c(x + 1, y);
             return Steps{a, b, c, out};
         }},
        {"a stencil and the point itself",
         [](Func in) {
             Func a = named("a"), b = named("b"), out = named("out");
             a(x, y) = in(x, y) + 1.f;
             b(x, y) = box(a, 1);
             out(x, y) = a(x, y) * 2.f - b(x, y);
             return Steps{a, b, out};
         }},
        {"backwards across, and a transposed copy",
         [](Func in) {
             Func a = named("a"), out = named("out");
             a(x, y) = in(x, y) + 1.f;
             out(x, y) = a(columns - 1 - x, y) + a(columns - x, y);
             return Steps{a, out};
         }},
        {"read with x and y exchanged",
         [](Func in) {
             Func a = named("a"), out = named("out");
             a(x, y) = in(x, y) + 1.f;
             out(x, y) = a(y, x) + a(y + 1, x - 1);
             return Steps{a, out};
         }},
        {"one column wide windows, three times",
         [](Func in) { return chain(in, 3, [](Func f) { return f(x, y - 4) + f(x, y) + f(x, y + 4); }); }},
    };
}

}  // namespace

const std::vector<Stencils> &stencil_pipelines() {
    static const std::vector<Stencils> pipelines = [] {
        std::vector<Stencils> list;
        for (const std::vector<Stencils> &kind :
             {stencils_of_taps(), windows(), resampling(), levels(), several_accesses()}) {
            list.insert(list.end(), kind.begin(), kind.end());
        }
        return list;
    }();
    return pipelines;
}

}  // namespace eutectic::test
