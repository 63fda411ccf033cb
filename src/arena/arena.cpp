// Arenas: a heap for all threads, and in front of it what each has freed last, which is still in its cache
// and needs no heap's lock.

#include "arena/arena.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <mutex>
#include <new>

#include "arena/heap.h"

namespace eutectic {

namespace {

constexpr size_t no_limit = std::numeric_limits<size_t>::max();

/** Blocks that a thread keeps to itself: as many temporaries as a task of a kernel has, more or less. A
 * further one goes to the heap, where others find it. */
constexpr size_t kept_blocks = 8;

/** Threads beyond so many share what they keep. */
constexpr size_t keeper_count = 64;

/** Of a block that is used again, the part that may be more than was asked for. */
constexpr size_t waste_divisor = 4;

/** What one thread, or a few, freed last. */
class alignas(block_alignment) Keeper {
public:
    Block *take(size_t bytes) {
        const std::lock_guard<std::mutex> lock(mutex_);
        Block **best = nullptr;
        for (Block *&b : kept_) {
            const bool fits = b && b->bytes >= bytes && b->bytes - bytes <= bytes / waste_divisor;
            best = fits && (!best || b->bytes < (*best)->bytes) ? &b : best;
        }
        if (!best) {
            return nullptr;
        }
        Block *block = *best;
        *best = nullptr;
        return block;
    }

    /** Keeps the block, and returns the one that has to go for it, or null. */
    Block *exchange(Block *block) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto room = std::find(kept_.begin(), kept_.end(), nullptr);
        if (room != kept_.end()) {
            *room = block;
            return nullptr;
        }
        Block *const out = kept_[oldest_];
        kept_[oldest_] = block;
        oldest_ = (oldest_ + 1) % kept_.size();
        return out;
    }

    std::array<Block *, kept_blocks> take_all() {
        const std::lock_guard<std::mutex> lock(mutex_);
        const std::array<Block *, kept_blocks> all = kept_;
        kept_.fill(nullptr);
        return all;
    }

private:
    std::mutex mutex_;
    std::array<Block *, kept_blocks> kept_{};
    size_t oldest_ = 0;
};

size_t keeper_of_this_thread() {
    static std::atomic<size_t> threads{0};
    thread_local const size_t mine = threads++ % keeper_count;
    return mine;
}

}  // namespace

}  // namespace eutectic

using namespace eutectic;

struct eutectic_arena {
public:
    void *allocate(size_t asked) {
        if (asked > no_limit / 2) {
            return nullptr;
        }
        const size_t bytes =
            std::max((asked + block_alignment - 1) / block_alignment * block_alignment, block_alignment);
        Block *block = keepers_[keeper_of_this_thread()].take(bytes);
        block = block ? block : from_heap(bytes);
        if (!block) {
            return nullptr;
        }
        const size_t now = used_ += block->bytes;
        size_t most = peak_;
        while (now > most && !peak_.compare_exchange_weak(most, now)) {
        }
        return block->data();
    }

    void free(Block *block) {
        used_ -= block->bytes;
        if (Block *const out = keepers_[keeper_of_this_thread()].exchange(block)) {
            const std::lock_guard<std::mutex> lock(mutex_);
            heap_.give(out);
        }
    }

    bool reserve(size_t bytes) {
        const std::lock_guard<std::mutex> lock(mutex_);
        return heap_.held() >= bytes || heap_.grow(bytes - heap_.held(), limit_, true);
    }

    size_t trim(size_t keep) {
        collect();
        const std::lock_guard<std::mutex> lock(mutex_);
        return heap_.release(keep);
    }

    void limit(size_t bytes) {
        const std::lock_guard<std::mutex> lock(mutex_);
        limit_ = bytes;
    }

    eutectic_arena_bytes usage() const {
        const std::lock_guard<std::mutex> lock(mutex_);
        return {heap_.held(), used_, peak_};
    }

    void reset_peak() {
        peak_ = used_.load();
    }

private:
    std::array<Keeper, keeper_count> keepers_;
    mutable std::mutex mutex_;  // of the heap and the limit; taken after a keeper's, never before
    Heap heap_;
    size_t limit_ = no_limit;
    std::atomic<size_t> used_{0}, peak_{0};

    Block *from_heap(size_t bytes) {
        if (Block *const block = locked_take(bytes, false)) {
            return block;
        }
        // What threads keep may be all that is lacking, and the system is asked only after that.
        collect();
        return locked_take(bytes, true);
    }

    Block *locked_take(size_t bytes, bool grow) {
        const std::lock_guard<std::mutex> lock(mutex_);
        Block *block = heap_.take(bytes);
        if (!block && grow) {
            // What is free and too small goes back, as much as is lacking: sizes that change from call to
            // call do not add up.
            heap_.release(heap_.held() > bytes ? heap_.held() - bytes : 0);
            block = heap_.grow(bytes, limit_, false) ? heap_.take(bytes) : nullptr;
        }
        if (block) {
            block->owner = this;
        }
        return block;
    }

    /** What threads keep goes to the heap. */
    void collect() {
        for (Keeper &keeper : keepers_) {
            for (Block *const block : keeper.take_all()) {
                if (block) {
                    const std::lock_guard<std::mutex> lock(mutex_);
                    heap_.give(block);
                }
            }
        }
    }
};

namespace {

/** Never ended: kernels may run in the destructors of a program that ends. */
eutectic_arena &process_arena() {
    alignas(eutectic_arena) static unsigned char storage[sizeof(eutectic_arena)];
    static eutectic_arena *const arena = new (storage) eutectic_arena;
    return *arena;
}

eutectic_arena &or_process(eutectic_arena *arena) {
    return arena ? *arena : process_arena();
}

eutectic_arena *arena_itself(void *user_context) {
    return static_cast<eutectic_arena *>(user_context);
}

std::atomic<eutectic_arena *(*)(void *)> find_arena{arena_itself};

}  // namespace

extern "C" {

eutectic_arena *eutectic_arena_create() {
    return new (std::nothrow) eutectic_arena;
}

int eutectic_arena_destroy(eutectic_arena *arena) {
    if (!arena) {
        return 0;
    }
    if (arena->usage().used > 0) {
        return -1;
    }
    arena->trim(0);
    delete arena;
    return 0;
}

int eutectic_arena_reserve(eutectic_arena *arena, size_t bytes) {
    return or_process(arena).reserve(bytes) ? 0 : -1;
}

size_t eutectic_arena_trim(eutectic_arena *arena, size_t keep) {
    return or_process(arena).trim(keep);
}

void eutectic_arena_limit(eutectic_arena *arena, size_t bytes) {
    or_process(arena).limit(bytes);
}

eutectic_arena_bytes eutectic_arena_usage(const eutectic_arena *arena) {
    return (arena ? *arena : process_arena()).usage();
}

void eutectic_arena_reset_peak(eutectic_arena *arena) {
    or_process(arena).reset_peak();
}

void eutectic_arena_find_by(eutectic_arena *(*find)(void *)) {
    find_arena = find ? find : arena_itself;
}

void *eutectic_arena_malloc(void *user_context, size_t bytes) {
    return or_process(user_context ? find_arena.load()(user_context) : nullptr).allocate(bytes);
}

void eutectic_arena_free(void *, void *block) {
    if (block) {
        Block *const b = Block::of(block);
        b->owner->free(b);
    }
}
}
