// The allocator alone: what it promises, and that it grows no further than it has to.

#include <doctest/doctest.h>

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <thread>
#include <vector>

#include "arena/arena.h"
#include "tests/support/random.h"

using eutectic::test::Random;

namespace {

constexpr size_t KiB = 1024, MiB = 1024 * KiB;

struct Destroy {
    void operator()(eutectic_arena *arena) const {
        CHECK(eutectic_arena_destroy(arena) == 0);
    }
};
using Arena = std::unique_ptr<eutectic_arena, Destroy>;

Arena make_arena() {
    return Arena(eutectic_arena_create());
}

/** Page faults of this process that needed no disk. */
long faults() {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
}

/** Sizes from one byte to some 4 MiB, each order of magnitude as often. */
size_t random_bytes(Random &random) {
    const int64_t least = int64_t{1} << random.below(22);
    return static_cast<size_t>(least + random.below(least));
}

/** Takes and frees blocks by a random sequence, and finds each as it was left. False if one was not. */
bool use_at_random(eutectic_arena *arena, uint64_t seed, int steps) {
    struct Held {
        char *start;
        size_t bytes;
        char mark;
    };
    std::vector<Held> held;
    bool right = true;
    const auto release = [&](size_t which) {
        const Held h = held[which];
        right =
            right && h.start[0] == h.mark && h.start[h.bytes / 2] == h.mark && h.start[h.bytes - 1] == h.mark;
        eutectic_arena_free(arena, h.start);
        held.erase(held.begin() + static_cast<std::ptrdiff_t>(which));
    };
    Random random(seed);
    for (int i = 0; i < steps; i++) {
        if (held.size() < 12 && (held.empty() || random.below(2) == 0)) {
            const size_t bytes = random_bytes(random);
            auto *start = static_cast<char *>(eutectic_arena_malloc(arena, bytes));
            if (!start) {
                return false;
            }
            held.push_back({start, bytes, static_cast<char>(random.below(256))});
            start[0] = start[bytes / 2] = start[bytes - 1] = held.back().mark;
        } else {
            release(static_cast<size_t>(random.below(static_cast<int64_t>(held.size()))));
        }
    }
    while (!held.empty()) {
        release(held.size() - 1);
    }
    return right;
}

}  // namespace

TEST_CASE("blocks are aligned, and readable before and beyond") {
    const Arena arena = make_arena();
    for (const size_t bytes : {size_t{0}, size_t{1}, size_t{127}, size_t{128}, size_t{129}, size_t{4096},
                               size_t{1000003}, 5 * MiB}) {
        CAPTURE(bytes);
        void *const block = eutectic_arena_malloc(arena.get(), bytes);
        REQUIRE(block);
        CHECK(reinterpret_cast<uintptr_t>(block) % 128 == 0);
        std::memset(block, 1, bytes);
        const auto *const start = static_cast<volatile char *>(block);
        CHECK(start[-128] + start[(bytes + 127) / 128 * 128 + 127] < 256);  // does not end the program
        eutectic_arena_free(arena.get(), block);
    }
    eutectic_arena_free(arena.get(), nullptr);
    CHECK(eutectic_arena_usage(arena.get()).used == 0);
}

TEST_CASE("where there is no memory, null, and the arena is as good as before") {
    const Arena arena = make_arena();
    for (const size_t bytes :
         {std::numeric_limits<size_t>::max(), std::numeric_limits<size_t>::max() - 100,
          std::numeric_limits<size_t>::max() / 2, size_t{1} << 60, (size_t{1} << 48) + 1}) {
        CAPTURE(bytes);
        CHECK(!eutectic_arena_malloc(arena.get(), bytes));
        CHECK(eutectic_arena_reserve(arena.get(), bytes) == -1);
    }
    CHECK(eutectic_arena_usage(arena.get()).held == 0);
    CHECK(use_at_random(arena.get(), 1, 100));
}

TEST_CASE("a limit holds for what is held; what is free and too small goes back for what fits") {
    const Arena arena = make_arena();
    eutectic_arena_limit(arena.get(), 4 * MiB);
    CHECK(!eutectic_arena_malloc(arena.get(), 4 * MiB));
    CHECK(eutectic_arena_reserve(arena.get(), 5 * MiB) == -1);
    void *const small = eutectic_arena_malloc(arena.get(), 2 * MiB);
    REQUIRE(small);
    CHECK(!eutectic_arena_malloc(arena.get(), 3 * MiB));
    eutectic_arena_free(arena.get(), small);
    void *const large = eutectic_arena_malloc(arena.get(), 3 * MiB + 512 * KiB);
    REQUIRE(large);
    CHECK(eutectic_arena_usage(arena.get()).held <= 4 * MiB);
    for (const size_t less : {size_t{0}, 2 * MiB}) {
        eutectic_arena_limit(arena.get(), less);
        CHECK(!eutectic_arena_malloc(arena.get(), MiB));
    }
    eutectic_arena_free(arena.get(), large);
    void *const again = eutectic_arena_malloc(arena.get(), 3 * MiB + 512 * KiB);
    CHECK(again == large);  // what it has it may use
    eutectic_arena_free(arena.get(), again);
}

TEST_CASE("used and peak are what is in use") {
    const Arena arena = make_arena();
    void *const a = eutectic_arena_malloc(arena.get(), 1000), *const b =
                                                                  eutectic_arena_malloc(arena.get(), MiB);
    CHECK(eutectic_arena_usage(arena.get()).used == 1024 + MiB);
    CHECK(eutectic_arena_destroy(arena.get()) == -1);
    eutectic_arena_free(arena.get(), b);
    CHECK(eutectic_arena_usage(arena.get()).used == 1024);
    CHECK(eutectic_arena_usage(arena.get()).peak == 1024 + MiB);
    eutectic_arena_reset_peak(arena.get());
    CHECK(eutectic_arena_usage(arena.get()).peak == 1024);
    CHECK(eutectic_arena_usage(arena.get()).held >= 1024 + MiB);
    eutectic_arena_free(arena.get(), a);
}

TEST_CASE("trimming gives back what is free as a whole, down to what is to be kept") {
    const Arena arena = make_arena();
    void *const a = eutectic_arena_malloc(arena.get(), 8 * MiB), *const b = eutectic_arena_malloc(arena.get(),
                                                                                                  8 * MiB);
    const size_t held = eutectic_arena_usage(arena.get()).held;
    eutectic_arena_free(arena.get(), a);
    CHECK(eutectic_arena_trim(arena.get(), held) == 0);
    const size_t gone = eutectic_arena_trim(arena.get(), 0);
    CHECK(gone >= 8 * MiB);
    CHECK(eutectic_arena_usage(arena.get()).held == held - gone);
    CHECK(eutectic_arena_usage(arena.get()).held >= 8 * MiB);
    static_cast<char *>(b)[8 * MiB - 1] = 1;
    eutectic_arena_free(arena.get(), b);
    CHECK(eutectic_arena_trim(arena.get(), 0) == held - gone);
    CHECK(eutectic_arena_usage(arena.get()).held == 0);
    CHECK(use_at_random(arena.get(), 2, 100));
}

TEST_CASE("what is reserved is there: its first use costs no page faults") {
    const Arena arena = make_arena();
    CHECK(eutectic_arena_reserve(arena.get(), 16 * MiB) == 0);
    CHECK(eutectic_arena_usage(arena.get()).held >= 16 * MiB);
    const long before = faults();
    void *const block = eutectic_arena_malloc(arena.get(), 15 * MiB);
    std::memset(block, 1, 15 * MiB);
    eutectic_arena_free(arena.get(), block);
    CHECK(faults() - before < 100);  // of 3,840 pages
    CHECK(eutectic_arena_reserve(arena.get(), 20 * MiB) == 0);
    CHECK(eutectic_arena_usage(arena.get()).held >= 20 * MiB);
    CHECK(eutectic_arena_reserve(arena.get(), 1) == 0);
}

TEST_CASE("a thread finds what it has freed last, though others free as well") {
    const Arena arena = make_arena();
    void *const mine = eutectic_arena_malloc(arena.get(), 100 * KiB);
    eutectic_arena_free(arena.get(), mine);
    void *theirs = nullptr;
    std::thread([&] {
        theirs = eutectic_arena_malloc(arena.get(), 100 * KiB);
        eutectic_arena_free(arena.get(), theirs);
    }).join();
    CHECK(theirs != mine);
    void *const smaller = eutectic_arena_malloc(arena.get(), 90 * KiB);
    CHECK(smaller == mine);
    eutectic_arena_free(arena.get(), smaller);
    void *const much_smaller = eutectic_arena_malloc(arena.get(), 50 * KiB);
    CHECK(much_smaller != mine);  // a quarter may be wasted, no half
    eutectic_arena_free(arena.get(), much_smaller);
}

TEST_CASE("the same calls find the same memory: it settles, and then costs no page faults") {
    const Arena arena = make_arena();
    for (uint64_t seed = 0; seed < 20; seed++) {
        CAPTURE(seed);
        for (int call = 0; call < 6; call++) {
            REQUIRE(use_at_random(arena.get(), seed, 300));
        }
        const size_t held = eutectic_arena_usage(arena.get()).held;
        REQUIRE(use_at_random(arena.get(), seed, 300));
        CHECK(eutectic_arena_usage(arena.get()).held == held);
    }
}

TEST_CASE("sizes that change from call to call do not add up") {
    const Arena arena = make_arena();
    size_t most = 0;
    for (size_t call = 0; call < 400; call++) {
        const size_t bytes = 100 * KiB + call * 37 * KiB;  // up to 15 MiB; all of them would be 3 GiB
        void *const a = eutectic_arena_malloc(arena.get(), bytes), *const b = eutectic_arena_malloc(
                                                                       arena.get(), bytes / 3);
        REQUIRE((a && b));
        most = bytes + bytes / 3;
        eutectic_arena_free(arena.get(), a);
        eutectic_arena_free(arena.get(), b);
        REQUIRE(eutectic_arena_usage(arena.get()).held <= 2 * most + 2 * MiB);
    }
    for (uint64_t seed = 0; seed < 200; seed++) {
        REQUIRE(use_at_random(arena.get(), seed, 100));
    }
    CHECK(eutectic_arena_usage(arena.get()).held <= 2 * eutectic_arena_usage(arena.get()).peak);
}

TEST_CASE("many threads at once: nobody's block is another's, and all of it goes back") {
    const Arena own = make_arena();
    for (eutectic_arena *const arena : {own.get(), static_cast<eutectic_arena *>(nullptr)}) {
        std::atomic<int> right{0};
        std::vector<std::thread> threads;
        for (uint64_t t = 0; t < 8; t++) {
            threads.emplace_back([&, t] { right += use_at_random(arena, 100 + t, 2000); });
        }
        for (int i = 0; i < 50; i++) {
            eutectic_arena_trim(arena, 4 * MiB);
            std::this_thread::yield();
        }
        for (std::thread &t : threads) {
            t.join();
        }
        CHECK(right == 8);
        CHECK(eutectic_arena_usage(arena).used == 0);
        eutectic_arena_trim(arena, 0);
        CHECK(eutectic_arena_usage(arena).held == 0);
    }
}

TEST_CASE("a block that another thread frees is the arena's again") {
    const Arena arena = make_arena();
    std::vector<void *> blocks;
    for (int i = 0; i < 100; i++) {
        blocks.push_back(eutectic_arena_malloc(arena.get(), 10 * KiB));
    }
    std::thread([&] {
        for (void *const b : blocks) {
            eutectic_arena_free(nullptr, b);  // it knows where it came from
        }
    }).join();
    CHECK(eutectic_arena_usage(arena.get()).used == 0);
    void *const all = eutectic_arena_malloc(arena.get(), 1000 * KiB);  // together again
    CHECK(eutectic_arena_usage(arena.get()).held <= 3 * MiB);
    eutectic_arena_free(arena.get(), all);
}

TEST_CASE("a context that is no arena has one found by the program") {
    struct Request {
        eutectic_arena *arena;
    };
    const Arena arena = make_arena();
    Request with{arena.get()}, without{nullptr};
    eutectic_arena_find_by([](void *context) { return static_cast<Request *>(context)->arena; });
    void *const a = eutectic_arena_malloc(&with, 1000);
    CHECK(eutectic_arena_usage(arena.get()).used == 1024);
    void *const b = eutectic_arena_malloc(&without, 1000), *const c = eutectic_arena_malloc(nullptr, 1000);
    CHECK(eutectic_arena_usage(arena.get()).used == 1024);
    CHECK(eutectic_arena_usage(nullptr).used == 2048);
    eutectic_arena_free(&with, a);
    eutectic_arena_free(&without, b);
    eutectic_arena_free(nullptr, c);
    eutectic_arena_find_by(nullptr);
    CHECK(eutectic_arena_usage(nullptr).used == 0);
    CHECK(eutectic_arena_destroy(nullptr) == 0);
}
