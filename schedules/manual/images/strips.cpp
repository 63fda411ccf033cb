#include "schedules/manual/images/strips.h"

namespace eutectic::manual {

using namespace Halide;

namespace {

constexpr int register_bits = 512;

}  // namespace

int lanes(const Func &f) {
    int most = 1;
    for (const Type &type : f.types()) {
        most = std::max(most, register_bits / type.bits());
    }
    return most;
}

void vectorize_columns(Func f, int lanes) {
    f.vectorize(f.args()[0], lanes, TailStrategy::GuardWithIf);
}

Strips in_strips(const Func &out, int rows, int lanes, int column) {
    Strips strips;
    strips.out = out;
    const Var x = out.args()[static_cast<size_t>(column)], y = out.args()[static_cast<size_t>(column) + 1];
    strips.out.compute_root()
        .split(y, strips.strip, strips.row, rows, TailStrategy::GuardWithIf)
        .vectorize(x, lanes, TailStrategy::GuardWithIf)
        .parallel(strips.strip);
    return strips;
}

void slide(Func f, const Strips &strips, int lanes) {
    f.store_at(strips.each_strip()).compute_at(strips.each_row()).vectorize(f.args()[0], lanes);
}

void each_row(Func f, const Strips &strips, int lanes) {
    f.compute_at(strips.each_row()).vectorize(f.args()[0], lanes);
}

void at_root(Func f, int task, int lanes) {
    const Var y = f.args()[1];
    Var inside("inside");
    f.compute_root().split(y, y, inside, task, TailStrategy::GuardWithIf).parallel(y);
    vectorize_columns(f, lanes);
}

}  // namespace eutectic::manual
