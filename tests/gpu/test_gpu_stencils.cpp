// What blocks compute of stencils, chains of them, and pyramids: taps need what lies between them, and
// quotients a point more where a block begins between two of them. Run through OpenCL (PoCL: on this CPU),
// against the serial program on the CPU.

#include <doctest/doctest.h>

#include <array>
#include <functional>

#include "schedules/autoschedule.h"
#include "tests/gpu/device_program.h"
#include "tests/gpu/same_results.h"
#include "tests/schedules/jit_run.h"
#include "tests/support/pipelines.h"

using namespace Halide;
using namespace eutectic;
using namespace eutectic::test;

namespace {

constexpr int columns = 1024, rows = 512;

Var x("x"), y("y");

Program stencil(const std::function<Func(Func)> &make) {
    const ImageParam in = image("in", {columns, rows});
    Func edges("edges");
    edges(x, y) = BoundaryConditions::repeat_edge(in)(x, y);
    const Func out = make(edges);
    estimate(out, {columns, rows});
    return {{in}, {out}, {}};
}

Func taps_of_taps(Func in) {
    Func wide("wide"), out("out");
    Expr sum = 0.0f;
    for (int i = -2; i <= 2; i++) {
        sum += in(x + i, y) * static_cast<float>(i + 3);
    }
    wide(x, y) = sum;
    out(x, y) = wide(x, y - 1) + wide(x, y) + wide(x, y + 1);
    return out;
}

/** Taps of what goes on mirrored, or from the start again, beyond 96 x 40 points. */
Func taps_beyond(Func in, bool mirrored) {
    Func f("f"), out("out");
    f(x, y) = exp(in(x, y)) * sqrt(abs(in(x, y)));
    const Region inside = {{0, 96}, {0, 40}};
    const Func beyond =
        mirrored ? BoundaryConditions::mirror_image(f, inside) : BoundaryConditions::repeat_image(f, inside);
    out(x, y) = beyond(x - 2, y) + beyond(x + 2, y) + beyond(x, y + 1) + beyond(x, y - 1);
    return out;
}

Func cross_of_transcendentals(Func in) {
    Func f("f"), out("out");
    f(x, y) = exp(in(x, y)) * sqrt(abs(in(x, y)));
    out(x, y) = f(x - 1, y) + f(x + 1, y) + f(x, y + 1) + f(x, y - 1);
    return out;
}

Func chain(Func in) {
    for (int i = 0; i < 5; i++) {
        Func f("f" + std::to_string(i));
        f(x, y) = (in(x - 1, y) + in(x + 1, y) + in(x, y - 1) + in(x, y + 1) + in(x, y) * 4) / 8;
        in = f;
    }
    return in;
}

/** Down `levels` times, and up again with what each level had: `apart` points of the one below. */
Func pyramid(Func in, int levels, int apart) {
    std::vector<Func> down = {in};
    for (int l = 0; l < levels; l++) {
        Func f("down" + std::to_string(l));
        f(x, y) =
            (down.back()(2 * x - 1, 2 * y) + 2 * down.back()(2 * x, 2 * y) + down.back()(2 * x, 2 * y + 1)) /
            4;
        down.push_back(f);
    }
    Func up = down.back();
    for (int l = levels; l-- > 0;) {
        Func f("up" + std::to_string(l));
        f(x, y) = (up(x / 2, y / 2) + up((x + apart) / 2, (y + apart) / 2)) / 2 + down[l](x, y);
        up = f;
    }
    return up;
}

/** A row of blocks of what is costly, laid out in another shape: of a remainder Halide needs the whole
 * period, of one point, too. */
Func reshaped(const Func &in) {
    Func sums("sums"), out("out");
    const RDom r(0, 60);
    sums(x, y) += in(r, x) * in(r + 1, y);
    const Expr element = x * 128 + y;
    out(x, y) = sums(clamp(element % 100, 0, 99), clamp(element / 100, 0, 127));
    return out;
}

/** Blocks of words beside blocks of bytes, none of which is a whole number of words. */
Func bytes_and_words(const Func &in) {
    Func a("a"), b("b"), c("c"), out("out");
    const auto taps = [](const Func &f, const Expr &i, const Expr &j) {
        return f(i - 1, j) + f(i + 1, j) + f(i, j - 1) + f(i, j + 1);
    };
    a(x, y) = cast<uint8_t>(clamp(exp(in(x, y)) * 16, 0, 60));
    b(x, y) = sin(taps(in, x, y));
    c(x, y) = cast<uint8_t>(taps(a, x, y) / 4 + cast<uint8_t>(clamp(taps(b, x, y), 0, 9)));
    out(x, y) = cast<float>(taps(c, x, y)) + taps(b, x, y);
    return out;
}

/** What is of half the size, and inlined, is read beside what it is made from. */
Func down_and_up(const Func &in) {
    Func blurred("blurred"), half("half"), out("out");
    blurred(x, y) = exp(in(x - 1, y)) + in(x, y) / (2 + in(x, y + 1));
    half(x, y) = (blurred(2 * x - 1, 2 * y) + blurred(2 * x + 1, 2 * y) + blurred(2 * x, 2 * y - 1) +
                  blurred(2 * x, 2 * y + 1)) /
                 4;
    out(x, y) = half(x / 2, y / 2) + half((x + 1) / 2, (y + 1) / 2) + blurred(x, y);
    return out;
}

}  // namespace

TEST_CASE("stencils, chains of them and pyramids, wherever the output begins") {
    if (!has_opencl()) {
        return;
    }
    const Target host = get_jit_target_from_environment(), opencl = host.with_feature(Target::OpenCL);
    const struct {
        const char *name;
        std::function<Func(Func)> make;
    } table[] = {{"taps of taps", taps_of_taps},
                 {"cross", cross_of_transcendentals},
                 {"mirrored", [](const Func &f) { return taps_beyond(f, true); }},
                 {"repeated", [](const Func &f) { return taps_beyond(f, false); }},
                 {"chain", chain},
                 {"down and up", down_and_up},
                 {"reshaped", reshaped},
                 {"bytes and words", bytes_and_words},
                 {"pyramid of 1", [](const Func &f) { return pyramid(f, 1, 1); }},
                 {"pyramid of 3", [](const Func &f) { return pyramid(f, 3, 1); }},
                 {"pyramid of 3, far taps", [](const Func &f) { return pyramid(f, 3, 3); }},
                 {"pyramid of 2, no taps", [](const Func &f) { return pyramid(f, 2, 0); }}};
    for (const auto &row : table) {
        const Program reference = stencil(row.make);
        compute_all_at_root(reference);
        Compiled device(stencil(row.make), opencl), serial(reference, host);
        const std::string source = autoschedule(device.pipeline(), opencl, {});
        INFO(row.name << "\n" << source);
        for (const auto &[width, height, left, top] :
             {std::array<int, 4>{columns, rows, 0, 0}, {131, 37, 1, 1}, {64, 33, 3, 0}, {3, 2, 0, 1}}) {
            const Sizes sizes{{{width, height}}, {{width, height}}, {left, top}};
            INFO(width << " x " << height << " from " << left << ", " << top);
            CHECK(difference(values(device.run(sizes)[0]), values(serial.run(sizes)[0])).largest < 1e-4);
        }
    }
}
