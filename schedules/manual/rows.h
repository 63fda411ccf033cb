#pragma once

#include "schedules/manual/schedule.h"

#include <Halide.h>

namespace eutectic::manual {

/// Rewrites y = … / s(i) to … * (1 / s(i)), where s lacks y's first variable, and returns the Func of the
/// reciprocal. Throws Halide::CompileError if y has no such division.
Halide::Func hoist_division(Halide::Func y);

/// Rewrites y = sum over t of (e(t, i) / s(i)) v(j, t), through the Func `weights` = e / s and the Func
/// `sum`, to (sum over t of e v) * (1 / s(i)), and returns the Func of the reciprocal.
Halide::Func divide_late(Halide::Func y, Halide::Func sum, Halide::Func weights);

/// A reduction of rows, f(i…) = f(i…) op g(r, i…), computed where `at` says: `vectors` sums of a
/// register each, which are then added up. Returns the Func of the partial sums.
Halide::Func schedule_row_reduction(Halide::Func f, const Halide::LoopLevel &at, int vectors);

/// Where a row's Funcs are computed: y is cut into tasks of `rows` rows, which run in parallel.
struct RowNest {
    Halide::Var task, row;
};
RowNest schedule_rows(Halide::Func y, int rows, int unroll);

}  // namespace eutectic::manual
