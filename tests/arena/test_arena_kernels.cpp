// Kernels made with ARENA beside one made without: values, page faults, threads, arenas of a caller's own.

#include <doctest/doctest.h>

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "HalideBuffer.h"

#include "arena/arena.h"
#include "attention_of_arena.h"
#include "attention_of_callers_arena.h"
#include "attention_of_heap.h"
#include "attention_pair_of_arena_residuals.h"
#include "attention_portable_of_arena.h"
#include "tests/support/random.h"

using Halide::Runtime::Buffer;

namespace {

using Call = std::function<int(halide_buffer_t *, halide_buffer_t *, halide_buffer_t *, halide_buffer_t *,
                               halide_buffer_t *, halide_buffer_t *, halide_buffer_t *, halide_buffer_t *)>;

Buffer<float, 2> random_matrix(int columns, int rows, uint64_t seed) {
    Buffer<float, 2> matrix(columns, rows);
    eutectic::test::Random random(seed);
    for (float &x : matrix) {
        x = static_cast<float>(random.below(2001) - 1000) / 1000;
    }
    return matrix;
}

/** The tensors of one call, sized as the kernels' estimates say, or less. */
struct Attention {
    int queries, keys;
    Buffer<float, 2> q = random_matrix(64, queries, 1), k = random_matrix(64, keys, 2),
                     v = random_matrix(64, keys, 3), d_y = random_matrix(64, queries, 4);
    Buffer<float, 2> y{64, queries}, d_q{64, queries}, d_k{64, keys}, d_v{64, keys};

    explicit Attention(int n = 256) : queries(n), keys(n) {
    }

    int run(const Call &call) {
        return call(q, k, v, d_y, y, d_q, d_k, d_v);
    }

    /** The largest difference between the results of two calls. */
    double difference(const Attention &other) const {
        double most = 0;
        const std::pair<const Buffer<float, 2> *, const Buffer<float, 2> *> pairs[] = {
            {&y, &other.y}, {&d_q, &other.d_q}, {&d_k, &other.d_k}, {&d_v, &other.d_v}};
        for (const auto &[a, b] : pairs) {
            a->for_each_element([&, mine = a, theirs = b](const int *place) {
                most = std::max<double>(most, std::fabs((*mine)(place) - (*theirs)(place)));
            });
        }
        return most;
    }
};

/** What heap and arena may differ by: their plans may add in another order. */
constexpr double tolerance = 1e-4;

Call with_arena(eutectic_arena *arena) {
    return [=](auto... buffers) { return attention_of_callers_arena(arena, buffers...); };
}

/** Page faults a call, once it has settled. */
double faults_a_call(const std::function<void()> &call) {
    const auto faults = [] {
        struct rusage usage;
        getrusage(RUSAGE_SELF, &usage);
        return usage.ru_minflt;
    };
    for (int i = 0; i < 10; i++) {
        call();
    }
    constexpr int calls = 20;
    const long before = faults();
    for (int i = 0; i < calls; i++) {
        call();
    }
    return static_cast<double>(faults() - before) / calls;
}

struct Destroy {
    void operator()(eutectic_arena *arena) const {
        CHECK(eutectic_arena_destroy(arena) == 0);
    }
};
using Arena = std::unique_ptr<eutectic_arena, Destroy>;

std::atomic<int> heap_calls{0};

void *counted_malloc(void *context, size_t bytes) {
    heap_calls++;
    return halide_default_malloc(context, bytes);
}

std::string said;  // by the last error

}  // namespace

TEST_CASE("values are those of the heap's kernel, and each kernel has its own allocator") {
    for (const int n : {256, 200, 33, 1}) {
        CAPTURE(n);
        Attention heap(n), arena(n), portable(n);
        const auto before = halide_set_custom_malloc(counted_malloc);
        heap_calls = 0;
        CHECK(heap.run(attention_of_heap) == 0);
        CHECK((heap_calls > 0 || n == 1));
        heap_calls = 0;
        eutectic_arena_reset_peak(nullptr);
        CHECK(arena.run(attention_of_arena) == 0);
        CHECK(portable.run(attention_portable_of_arena) == 0);
        CHECK(heap_calls == 0);
        halide_set_custom_malloc(before);
        CHECK(eutectic_arena_usage(nullptr).used == 0);
        CHECK(eutectic_arena_usage(nullptr).peak > 0);
        CHECK(arena.difference(heap) < tolerance);
        CHECK(portable.difference(heap) < tolerance);
    }
}

TEST_CASE("with an arena repeated calls cost no page faults, as they do without") {
    Attention of_heap, of_arena;
    const double heap = faults_a_call([&] { REQUIRE(of_heap.run(attention_of_heap) == 0); });
    const double arena = faults_a_call([&] { REQUIRE(of_arena.run(attention_of_arena) == 0); });
    MESSAGE("page faults a call: " << heap << " of the heap, " << arena << " of an arena");
    CHECK(heap > 20);
    CHECK(arena < heap / 10);  // a busy machine takes some pages away
}

TEST_CASE("forward and backward have the arena, too") {
    Attention joint, pair;
    CHECK(joint.run(attention_of_heap) == 0);
    attention_pair_of_arena_residuals kept;
    REQUIRE(kept.allocate({pair.q, pair.k, pair.v}, {pair.y}) == 0);
    const auto before = halide_set_custom_malloc(counted_malloc);
    heap_calls = 0;
    CHECK(kept.forward({pair.q, pair.k, pair.v}, {pair.y}) == 0);
    CHECK(kept.backward({pair.q, pair.k, pair.v}, {pair.y}, {pair.d_y}, {pair.d_q, pair.d_k, pair.d_v}) == 0);
    halide_set_custom_malloc(before);
    CHECK(heap_calls == 0);
    CHECK(pair.difference(joint) < tolerance);
}

TEST_CASE("a call in an arena of the caller's own leaves the process's alone, and has it to itself") {
    const Arena mine(eutectic_arena_create());
    const eutectic_arena_bytes before = eutectic_arena_usage(nullptr);
    eutectic_arena_reset_peak(nullptr);
    Attention heap, own;
    CHECK(heap.run(attention_of_heap) == 0);
    CHECK(own.run(with_arena(mine.get())) == 0);
    CHECK(own.difference(heap) < tolerance);
    CHECK(eutectic_arena_usage(nullptr).held == before.held);
    CHECK(eutectic_arena_usage(nullptr).peak == 0);
    const size_t peak = eutectic_arena_usage(mine.get()).peak;
    CHECK(peak > 0);
    CHECK(eutectic_arena_trim(mine.get(), 0) >= peak);
    CHECK(eutectic_arena_usage(mine.get()).held == 0);
    CHECK(own.run(with_arena(nullptr)) == 0);  // the process's
    CHECK(eutectic_arena_usage(nullptr).peak > 0);
}

TEST_CASE("a call for which there is no memory ends with Halide's error, and the next is as ever") {
    const auto handler = halide_set_error_handler([](void *, const char *message) { said = message; });
    const Arena mine(eutectic_arena_create());
    Attention heap, own;
    CHECK(heap.run(attention_of_heap) == 0);
    CHECK(own.run(with_arena(mine.get())) == 0);
    const size_t peak = eutectic_arena_usage(mine.get()).peak;
    eutectic_arena_trim(mine.get(), 0);
    for (const size_t limit : {size_t{0}, peak / 4, peak / 2, peak - peak / 8}) {
        CAPTURE(limit);
        eutectic_arena_limit(mine.get(), limit);
        said.clear();
        CHECK(own.run(with_arena(mine.get())) == halide_error_code_out_of_memory);
        CHECK(said.find("Out of memory") != std::string::npos);
        CHECK(eutectic_arena_usage(mine.get()).used == 0);  // what it had so far it has given back
        CHECK(eutectic_arena_usage(mine.get()).held <= limit);
    }
    eutectic_arena_limit(mine.get(), 4 * peak + (size_t{2} << 20));
    CHECK(own.run(with_arena(mine.get())) == 0);
    CHECK(own.difference(heap) < tolerance);
    halide_set_error_handler(handler);
}

TEST_CASE("kernels in several threads at once, in tasks of Halide's pool, with and without an arena") {
    Attention heap;
    CHECK(heap.run(attention_of_heap) == 0);
    constexpr int count = 4, calls = 10;
    std::vector<Attention> each(count);
    std::atomic<int> failed{0};
    const auto work = [&](int i, const Call &call) {
        for (int c = 0; c < calls; c++) {
            failed += each[i].run(call) != 0;
        }
    };
    std::vector<std::thread> threads;
    const Arena mine(eutectic_arena_create());
    for (int i = 0; i < count; i++) {
        threads.emplace_back([&, i] {
            work(i, i == 0   ? Call(attention_of_heap)
                    : i == 1 ? with_arena(mine.get())
                             : Call(attention_of_arena));
        });
    }
    for (std::thread &t : threads) {
        t.join();
    }
    struct Nested {
        const decltype(work) *run;
    } nested{&work};
    const auto task = [](void *, int i, uint8_t *closure) {
        (*reinterpret_cast<Nested *>(closure)->run)(i, attention_of_arena);
        return 0;
    };
    for (const Attention &a : each) {
        CHECK(a.difference(heap) < tolerance);
    }
    std::vector<Attention>(count).swap(each);
    CHECK(halide_do_par_for(nullptr, task, 0, count, reinterpret_cast<uint8_t *>(&nested)) == 0);
    for (const Attention &a : each) {
        CHECK(a.difference(heap) < tolerance);
    }
    CHECK(failed == 0);
    CHECK(eutectic_arena_usage(nullptr).used == 0);
}
