#pragma once

#include "schedules/manual/schedule.h"

#include <Halide.h>

#include <optional>

namespace eutectic::manual {

/// How a contraction out(j, i, …) = f(sum(j, i, …), …), sum(j, i, …) += a(…) b(…), is cut. `sum`
/// stays in registers for a tile of `out`.
struct Tile {
    int rows = 8, columns = 32;  ///< along i and j; columns / 16 · rows + columns / 16 + 1 registers of 32
    enum Parallel { by_columns, by_rows, serial } parallel = by_columns;  ///< the outermost loop
    bool narrow = false;  ///< fewer columns than a tile has: one vector of them under a mask
    std::optional<Halide::Var>
        over;            ///< a further variable of `out`, whose iterations run in parallel instead
    int over_block = 1;  ///< so many of its iterations a task
    std::optional<Halide::LoopLevel>
        at;             ///< where `out` is computed, serially; at the root if it is not given
    Halide::Expr fast;  ///< the extents hold a tile: the last tile moves inwards and the tile's loops are
                        ///< unrolled. Otherwise it is guarded
};

/// The name of the loop over tiles that is outermost, and of the one inside it: where operands may be staged.
struct Nest {
    Halide::Var outer, inner;
};

/// Schedules both. `sum` has one update. Further variables of both are loops outside.
Nest schedule_contraction(Halide::Func out, Halide::Func sum, const Tile &tile);

/// The extent, the minimum and the stride of an input's dimension, from the Func that stands for the input.
Halide::Expr input_extent(const Halide::Func &input, int dimension);
Halide::Expr input_stride(const Halide::Func &input, int dimension);
Halide::Expr input_min(const Halide::Func &input, int dimension);

/// Whether a sum runs along the first dimension of an operand: that is b(r, j), not b(j, r).
bool reads_transposed(const Halide::Func &sum, const Halide::Func &operand);

/// Copies what `consumer` reads of `operand`, contiguous, once: at the root or where `at` says. `transposed`:
/// so that the operand's second dimension becomes the innermost. Returns the copy.
Halide::Func pack(Halide::Func operand, const Halide::Func &consumer,
                  const std::optional<Halide::LoopLevel> &at, bool transposed);

/// Schedules an output that is a product itself, c(j, i, …) += a(…) b(j, r, …), with `rows`, `columns`,
/// `panel` and `pack` (best: `packed`) of the tuning.
void schedule_product(Halide::Func c, Halide::Func b, bool packed, const Tuning &tuning);

constexpr int vector_floats = 16;  ///< in a register of 512 bits

}  // namespace eutectic::manual
