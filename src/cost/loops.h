#pragma once

// The loops of one stage, built from the outermost in by operations that check themselves.

#include <cstdint>
#include <initializer_list>
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
     * a turn that begins earlier and recomputes some points. */
    enum class Tail {
        by_version,  ///< shifted in the version for whole tiles (Nest::whole), guarded in any other
        guarded,     ///< guarded in both
        fitted  ///< shifted, where there is a point at all: where there are fewer points than planned for,
                ///< steps are smaller, so that there are as many turns, or one a point (Dim::at_least tells
                ///< how many points there are)
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

/** Is each turn of such a loop code, or a lane, of its own, and no jump back? */
bool is_unrolled(Loop::Kind kind);

/** Loops of one stage, outermost first. Each operation throws std::logic_error, with what is wrong, where it
 * makes no nest: a loop inside the lanes of a vector, a parallel one inside unrolled ones, steps that are
 * larger than those of the loop around it over the same dim, or of no points. Whether the dims are the
 * stage's, LoopTree::add_stage() checks. */
class Loops {
public:
    using value_type = Loop;
    using const_iterator = std::vector<Loop>::const_iterator;

    Loops() = default;
    Loops(std::initializer_list<Loop> loops);

    /** Splits what the loops so far leave of `dim` into steps of `size` points: a loop inside all others. */
    Loops &split(DimId dim, int64_t size, Loop::Kind kind = Loop::Kind::serial);
    Loops &parallel(DimId dim, int64_t size) {
        return split(dim, size, Loop::Kind::parallel);
    }
    Loops &unroll(DimId dim, int64_t size = 1) {
        return split(dim, size, Loop::Kind::unroll);
    }
    /** What the loops so far leave of `dim` are the lanes of a vector. */
    Loops &vectorize(DimId dim) {
        return split(dim, 1, Loop::Kind::vector);
    }
    Loops &gpu_blocks(DimId dim, int64_t size = 1) {
        return split(dim, size, Loop::Kind::gpu_block);
    }
    Loops &gpu_threads(DimId dim, int64_t size = 1) {
        return split(dim, size, Loop::Kind::gpu_thread);
    }
    /** A loop of so many turns over none of the dims, inside all others. */
    Loops &repeat(int64_t turns, Loop::Kind kind);
    /** `loop`, inside all others. */
    Loops &nest(const Loop &loop);
    /** All of `inner`, inside these. */
    Loops &nest(const Loops &inner);

    /** `loop` outside of all others. */
    Loops &around(const Loop &loop) {
        return insert(0, loop);
    }
    /** `loop` outside of the one at `at`. */
    Loops &insert(size_t at, const Loop &loop);
    Loops &remove(size_t at);
    /** The loop at `at` as two, the outer one in steps of `size` points. */
    Loops &split_at(size_t at, int64_t size);
    /** Exchanges two loops. */
    Loops &reorder(size_t a, size_t b);

    /** Runs the loop at `at` in another way: Halide's serial, parallel, unroll and vectorize. */
    Loops &run_as(size_t at, Loop::Kind kind);
    /** Has the loop at `at` a tail of this kind? */
    Loops &set_tail(size_t at, Loop::Tail tail);
    /** May it become several loops? (Halide's partition policies.) */
    Loops &set_partitioned(size_t at, bool partitioned);
    /** Unrolls it, or makes vectors of it, in the version for whole tiles alone. */
    Loops &only_in_whole(size_t at);

    size_t size() const {
        return loops_.size();
    }
    bool empty() const {
        return loops_.empty();
    }
    const Loop &operator[](size_t at) const {
        return loops_[at];
    }
    const Loop &at(size_t at) const {
        return loops_.at(at);
    }
    const Loop &front() const {
        return loops_.front();
    }
    const Loop &back() const {
        return loops_.back();
    }
    const_iterator begin() const {
        return loops_.begin();
    }
    const_iterator end() const {
        return loops_.end();
    }
    void reserve(size_t count) {
        loops_.reserve(count);
    }

    /** Those of a stage inside `enclosing` ones of other stages, whose steps may be smaller than its own:
     * with its halo a tile is larger than the tile of what reads it. */
    static Loops inside(std::vector<Loop> enclosing, const Loops &own);

private:
    std::vector<Loop> loops_;

    void check(size_t at) const;
    void check_from(size_t at) const;
};

}  // namespace eutectic
