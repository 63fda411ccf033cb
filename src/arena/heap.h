#pragma once

#include <array>
#include <cstddef>

struct eutectic_arena;

namespace eutectic {

/** Bytes. Of every block's start, and of its size: twice a cache line, since lines are fetched in pairs, and
 * what Halide asks for at most. */
constexpr size_t block_alignment = 128;

/** What lies in front of a block's bytes; the blocks of a piece of memory that the system gave lie one behind
 * the other. */
struct alignas(block_alignment) Block {
    eutectic_arena *owner = nullptr;
    size_t bytes = 0;                            ///< a multiple of block_alignment, this header aside
    size_t piece_bytes = 0;                      ///< of the whole piece, in its first block
    Block *before = nullptr, *after = nullptr;   ///< its neighbours in the piece
    Block *previous = nullptr, *next = nullptr;  ///< in the list of free blocks
    bool free = false;

    void *data() {
        return this + 1;
    }
    static Block *of(void *data) {
        return static_cast<Block *>(data) - 1;
    }
    /** Is it the whole of its piece? */
    bool is_alone() const {
        return !before && !after;
    }
};
static_assert(sizeof(Block) == block_alignment, "bytes begin where a block ends");

/** Memory in pieces from the system, cut into blocks; neighbours that are free are one. Best fit, in lists by
 * powers of two. For one thread at a time. */
class Heap {
public:
    /** A block of at least so many bytes (a multiple of block_alignment) out of what is free, or null. */
    Block *take(size_t bytes);

    void give(Block *block);

    /** Takes a piece from the system that has room for such a block, and writes to its pages if they are to
     * be there at once; no more than `limit` bytes are held then. False where there is no more memory. */
    bool grow(size_t bytes, size_t limit, bool touch);

    /** Gives pieces back that are free as a whole, until no more than `keep` bytes are held. */
    size_t release(size_t keep);

    size_t held() const {
        return held_;
    }

private:
    std::array<Block *, 64> free_{};  // by the power of two that is not above their size
    size_t held_ = 0;

    void insert(Block *block);
    void remove(Block *block);
    Block *find(size_t bytes) const;
    void absorb_next(Block *block);
};

}  // namespace eutectic
