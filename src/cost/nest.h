#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graph/data/graph.h"

namespace eutectic {

/** One loop after splitting. On a GPU loops of other kinds than gpu_ run inside each thread, in their order,
 * wherever they stand: {d0/128, d0 gpu_thread} gives a thread every 128th point. A loop over dim -1 that is
 * the stage's own runs once: what makes a kernel of a stage without dims. It steps over stage dim `dim` by
 * `size` points; the points inside belong to the loops further in. */
struct Loop {
    enum class Kind {
        serial,
        parallel,
        unroll,
        vector,
        gpu_block,   ///< its iterations are blocks of threads
        gpu_thread,  ///< its iterations are threads of a block
        gpu_lane,    ///< its iterations are the lanes of a warp, which hand each other values without shared
                     ///< memory
        gpu_step
    };  ///< all threads of a block take its iterations together, one after another: Funcs computed in it are
        ///< their common work
    /** What becomes of the last turn where the size divides nothing: a test for each point, or all points of
     * a turn that begins earlier and computes some points again. */
    enum class Tail {
        by_version,  ///< shifted in the version for whole tiles (Nest::whole), guarded in any other
        guarded      ///< guarded in both
    };
    DimId dim = 0;
    int64_t size = 1;
    Kind kind = Kind::serial;
    int64_t count =
        0;  ///< trips of an enclosing stage's loop, which the stage's own extents do not tell; 0: they do
    Tail tail = Tail::by_version;
    bool partitioned = true;  ///< may become several loops, of which one needs no boundary condition
    bool only_whole = false;  ///< unrolled or in vectors in the version for whole tiles alone
};

/** `extent of buffer >= points`: a run-time condition under which whole tiles may be computed. */
struct Condition {
    BufferDim buffer;
    int64_t points = 1;
    std::optional<BufferDim> inside = std::nullopt;  ///< and the buffer's dimension lies inside this one
};

/** The loops of one stage as plain data, outermost first: what the cost model prices and what emission turns
 * into directives.
 *
 *  A dim that no loop names runs as one serial loop at the place that its storage order gives it. For a stage
 * computed inside another one, the first `shared` loops are that other stage's, in this stage's dims (dim -1:
 * a loop that this stage does not depend on). */
struct Nest {
    std::vector<Loop> loops;
    int shared = 0;
    /** When they all hold, tails shift inwards and the tile is unrolled; otherwise the same loops run
     * guarded. */
    std::vector<Condition> whole = {};
    int versions = 1;  ///< of its code: two where it or a stage around it has one for whole tiles, four where
                       ///< both have
};

/** Is each turn of such a loop code, or a lane, of its own, and no jump back? */
bool is_unrolled(Loop::Kind kind);

/** The dim along which lanes lie, or -1 where there are no vectors. */
DimId vector_dim(const Nest &nest);

/** The loop that steps from one vector to the next along their dim, or -1 where there is none. */
int vector_step(const Nest &nest);

/** Trip count of loop `at`, rounded up: the points that enclosing loops leave in its dim over its size. */
int64_t trips(const Nest &nest, size_t at, const Dims &dims);

/** Points in each dim that one iteration of the loops outside `at` covers (all of them when at is 0). */
Extents tile_inside(const Nest &nest, size_t at, const Dims &dims);

/** "d0/32 parallel, d1/12, d1 unroll, d0/16 unroll, d0 vector | whole 2.0>=32". */
std::string to_string(const Nest &nest);

}  // namespace eutectic
