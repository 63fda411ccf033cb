// Pyramids: every level is in memory, its rows in parallel; what is between two levels slides down a strip.

#include "schedules/manual/images/strips.h"

namespace eutectic::manual {

using namespace Halide;

namespace {

/// `f` at the root, in strips; `between`, which it reads, a row at a time inside.
void level(const Funcs &funcs, const std::string &name, const std::vector<std::string> &between,
           const Tuning &tuning) {
    const Func f = funcs[name];
    const int width = tuning.get("vectors", 1) * lanes(f);
    const Strips strips = in_strips(f, tuning.get("rows", 16), width);
    for (const std::string &inside : between) {
        if (funcs.has(inside)) {
            slide(funcs[inside], strips, width);
        }
    }
}

std::string of_level(const std::string &name, int number) {
    return name + std::to_string(number) + "_";
}

/// The levels below the first of NAME1_, NAME2_…: each is NAMEn_y, of NAMEn_x.
void gaussian(const Funcs &funcs, const std::string &name, const Tuning &tuning) {
    for (int n = 1; funcs.has(of_level(name, n) + "y"); n++) {
        level(funcs, of_level(name, n) + "y", {of_level(name, n) + "x"}, tuning);
    }
}

}  // namespace

void schedule_tone_mapping(const Funcs &funcs, const Tuning &tuning) {
    level(funcs, "tone", {}, tuning);
    gaussian(funcs, "gaussian", tuning);
    for (int n = 1; funcs.has(of_level("mapped", n)); n++) {
        level(funcs, of_level("mapped", n),
              {of_level("mapped_up", n) + "x", of_level("laplacian_up", n) + "x"}, tuning);
    }
    Func out = funcs["out"];
    const int width = tuning.get("vectors", 1) * lanes(out);
    const Strips strips = in_strips(out, tuning.get("rows", 16), width);
    out.reorder(out.args()[0], out.args()[2], strips.row, strips.strip);
    each_row(funcs[of_level("mapped", 0)], strips, width);
    slide(funcs[of_level("mapped_up", 0) + "x"], strips, width);
    slide(funcs[of_level("laplacian_up", 0) + "x"], strips, width);
}

void schedule_interpolate(const Funcs &funcs, const Tuning &tuning) {
    level(funcs, "weighted", {}, tuning);
    gaussian(funcs, "pulled", tuning);
    for (int n = 1; funcs.has(of_level("pushed", n)); n++) {
        level(funcs, of_level("pushed", n), {of_level("larger", n) + "x"}, tuning);
    }
    Func out = funcs["out"], pushed = funcs[of_level("pushed", 0)];
    const int width = tuning.get("vectors", 1) * lanes(out);
    const Strips strips = in_strips(out, tuning.get("rows", 16), width);
    out.reorder(out.args()[0], out.args()[2], strips.row, strips.strip);
    each_row(pushed, strips, width);
    slide(funcs[of_level("larger", 0) + "x"], strips, width);
}

void schedule_pyramid_blend(const Funcs &funcs, const Tuning &tuning) {
    for (const char *name : {"gaussian_a", "gaussian_b", "mask"}) {
        gaussian(funcs, name, tuning);
    }
    const auto parts = [](int n) {
        return std::vector<std::string>{of_level("laplacian_a_up", n) + "x",
                                        of_level("laplacian_b_up", n) + "x",
                                        of_level("collapsed_up", n) + "x"};
    };
    for (int n = 1; funcs.has(of_level("collapsed", n)); n++) {
        level(funcs, of_level("collapsed", n), parts(n), tuning);
    }
    level(funcs, "out", parts(0), tuning);
}

void schedule_burst_merge(const Funcs &funcs, const Tuning &tuning) {
    for (const auto &[full_name, f] : funcs.all()) {
        if (f.name() != full_name) {
            continue;
        }
        const std::string name =
            full_name.substr(0, full_name.find('$'));  // of several, the first is without a number
        Func func = f;
        const int width = tuning.get("vectors", 1) * lanes(func);
        const auto starts = [&](const std::string &with) { return name.rfind(with, 0) == 0; };
        if (starts("level") && name.back() == 'y') {
            level(funcs, name, {name.substr(0, name.size() - 1) + "x"}, tuning);
        } else if (starts("score")) {
            // Of one tile: its moves in vectors, its pixels one after the other.
            const std::string best = "least" + name.substr(5);
            func.compute_at(funcs[best], funcs[best].args()[0]);
            func.update().reorder(func.args()[0], func.rvars(0)[0], func.args()[1], func.rvars(0)[1]);
            func.update().vectorize(func.args()[0], 8, TailStrategy::GuardWithIf).unroll(func.args()[1], 8);
            func.vectorize(func.args()[0], 8, TailStrategy::GuardWithIf);
        } else if (starts("least") || starts("share")) {
            func.compute_root().parallel(func.args()[1]);
            if (starts("least")) {
                func.update().parallel(func.args()[1]);
            }
        } else if (starts("difference")) {
            const std::string share = "share" + name.substr(10);
            const RVar along = func.rvars(0)[0], down = func.rvars(0)[1];
            Var lane("lane");
            func.compute_at(funcs[share], funcs[share].args()[0]);
            Func partial = func.update().rfactor(along, lane);
            partial.compute_at(funcs[share], funcs[share].args()[0]).vectorize(lane, 16);
            partial.update().reorder(lane, down).vectorize(lane, 16);
        } else if (name == "out") {
            Strips strips = in_strips(func, tuning.get("rows", 16), width);
        }
    }
}

}  // namespace eutectic::manual
