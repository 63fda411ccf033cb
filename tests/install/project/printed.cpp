// The printed schedule compiles outside of Eutectic, and finds the one header and library that it needs.

#include <Halide.h>

#include <cstdio>

#include "schedules/rewrites.h"

#include "layer.schedule.h"

int main() {
    Halide::ImageParam x(Halide::Float(32), 2, "x");
    Halide::Func y("y");
    Halide::Var i("i"), j("j");
    y(j, i) = x(j, i) + 1.0f;
    Halide::Func wrapped = x;
    const Halide::Expr extent = eutectic::input_extent(wrapped, 1);
    const Halide::Internal::Variable *size = extent.as<Halide::Internal::Variable>();
    const bool named = size && size->name == "x.extent.1";
    bool refused = false;
    try {
        eutectic::input_extent(y, 0);
    } catch (const std::exception &e) {
        refused = true;
    }
    if (!named || !refused || !&apply_schedule_layer) {
        std::puts(
            "printed: input_extent() of an input is not its extent, or that of another Func was not refused");
        return 1;
    }
    return 0;
}
