#pragma once

#include <Halide.h>

namespace eutectic::manual {

/// How a contraction out(j, i) = f(sum(j, i), …), sum(j, i) += a(…) b(…), is cut. `sum` stays in registers for a tile of `out`.
struct Tile {
    int rows = 8, columns = 32;  ///< along i and j; columns / 16 · rows + columns / 16 + 1 registers of 32
    enum Parallel { by_columns,
                    by_rows,
                    serial } parallel = by_columns;
    bool narrow = false;  ///< fewer columns than a tile has: one vector of them under a mask
    Halide::Expr fast;    ///< the extents hold a tile: the last tile moves inwards and the tile's loops are unrolled. Otherwise it is guarded
};

/// The name of the loop over tiles that is outermost, and of the one inside it: where operands may be staged.
struct Nest {
    Halide::Var outer, inner;
};

/// Schedules both. `sum` has one update, over one reduction variable.
Nest schedule_contraction(Halide::Func out, Halide::Func sum, const Tile &tile);

constexpr int vector_floats = 16;  ///< in a register of 512 bits

}  // namespace eutectic::manual
