#pragma once

#include "schedules/manual/schedule.h"

namespace eutectic::manual {

/// Elements of `f` in a register of 512 bits; of its narrowest Tuple element.
int lanes(const Halide::Func &f);

/// An image in strips of rows, each a task that runs through its rows from the top.
struct Strips {
    Halide::Func out;
    Halide::Var strip{"strip"}, row{"row"};
    int vectors = 1;  ///< along x in each step

    Halide::LoopLevel each_strip() const {
        return {out, strip};
    }
    Halide::LoopLevel each_row() const {
        return {out, row};
    }
};

/// `out`, whose columns are its argument `column` and whose rows are the one after it, in strips of `rows`;
/// `vectors` of `lanes` elements at a time.
Strips in_strips(const Halide::Func &out, int rows, int lanes, int column = 0);

/// What a strip's rows need of `f`, each row of it once: computed where a row of the strip is, kept for those
/// below.
void slide(Halide::Func f, const Strips &strips, int lanes);

/// What a row of the strip needs of `f`, computed before it and then forgotten.
void each_row(Halide::Func f, const Strips &strips, int lanes);

/// In memory, rows in parallel, `task` of them each.
void at_root(Halide::Func f, int task, int lanes);

/// In vectors along its columns, the last one inside of bounds.
void vectorize_columns(Halide::Func f, int lanes);

}  // namespace eutectic::manual
