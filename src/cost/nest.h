#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cost/loops.h"
#include "graph/data/graph.h"

namespace eutectic {

/** A run-time condition on a dimension of a buffer that the caller passes, under which a version of its own
 * may be run. */
struct Condition {
    enum class Kind {
        at_least,  ///< it has that many points or more: whole tiles of them may be computed
        exactly,   ///< it has that many points, from `first` on: a loop over them may be code for each
        stride,  ///< neighbours along it are that many elements apart: they lie side by side, but for others
        multiple,  ///< its first point is at a multiple of that: remainders of coordinates are known in steps
                   ///< of as many
        rows,      ///< neighbours along it are a multiple of that many elements apart
        aligned    ///< its buffer (whatever the dimension) is at a multiple of that many bytes on the device
    };
    BufferDim buffer;
    int64_t points = 1;
    std::optional<BufferDim> inside =
        std::nullopt;  ///< of at_least: and the buffer's dimension lies inside this one
    Kind kind = Kind::at_least;
    int64_t first = 0;  ///< of exactly: the coordinate of the first point
};

/** Is it for buffers of another kind, rather than for such as are large enough for whole tiles? */
inline bool is_of_any_size(const Condition &condition) {
    return condition.kind != Condition::Kind::at_least;
}

/** The loops of one stage as plain data, outermost first: what the cost model prices and what emission turns
 * into directives.
 *
 *  A dim that no loop names runs as one serial loop at the place that its storage order gives it. For a stage
 * computed inside another one, the first `shared` loops are that other stage's, in this stage's dims (dim -1:
 * a loop that this stage does not depend on). */
struct Nest {
    Loops loops;
    int shared = 0;
    /** When they all hold, tails shift inwards and the tile is unrolled; otherwise the same loops run
     * guarded. */
    std::vector<Condition> whole = {};
    /** The loops of the stage where they do not hold, on a GPU; empty: the same. Only of a stage in whose
     * loops nothing else is computed. */
    Loops otherwise = {};
    int versions = 1;  ///< of its code: two where it or a stage around it has one for whole tiles, four where
                       ///< both have
};

/** The dim along which lanes lie, or -1 where there are no vectors. */
DimId vector_dim(const Nest &nest);

/** The loop that steps from one vector to the next along their dim, or -1 where there is none. */
int vector_step(const Nest &nest);

/** Trip count of loop `at`, rounded up: the points that enclosing loops leave in its dim over its size. */
int64_t trips(const Nest &nest, size_t at, const Dims &dims);

/** Points in each dim that one iteration of the loops outside `at` covers (all of them when at is 0). */
Extents tile_inside(const Nest &nest, size_t at, const Dims &dims);

/** The same with a serial loop for each dim of which the others leave more than a point, where none of them
 * is the stage's own: those that Halide makes of a definition, reduction dims inside the pure ones, the first
 * of either innermost. */
Nest with_loops_as_defined(Nest nest, const Dims &dims);

/** "d0/32 parallel, d1/12, d1 unroll, d0/16 unroll, d0 vector | whole 2.0>=32". */
std::string to_string(const Nest &nest);

}  // namespace eutectic
