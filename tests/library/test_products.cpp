// Products by each library that was found, against plain loops; which threads work.

#include <doctest/doctest.h>

#include <sys/types.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "HalideBuffer.h"

#include "library/product.h"
#include "tests/support/random.h"

using Halide::Runtime::Buffer;

namespace {

using Product = int (*)(halide_buffer_t *, halide_buffer_t *, int32_t, int32_t, int32_t, int32_t, int32_t,
                        halide_buffer_t *);

struct Library {
    const char *name;
    Product product;
    bool doubles;
};

const std::vector<Library> &libraries() {
    static const std::vector<Library> all = {
        {"eigen", eutectic_eigen_product, true},
#ifdef EUTECTIC_HAS_OPENBLAS
        {"openblas", eutectic_openblas_product, true},
#endif
#ifdef EUTECTIC_HAS_ONEDNN
        {"onednn", eutectic_onednn_product, false},
#endif
    };
    return all;
}

std::atomic<int> parallel_loops{0}, pieces_run{0};

/** A product of random numbers: which operands are transposed, and how many products there are. */
struct Case {
    int m, n, k;
    bool a_transposed = false, b_transposed = false, c_transposed = false;
    int batch = 0;             ///< 0: no such dimension
    bool same_b = false;       ///< all products of a batch have the same b
    bool batch_first = false;  ///< a batch in a's innermost dimension: rows of no unit stride
    int tasks = 1;
};

constexpr int along_k = 0;

template<typename T>
class Run {
public:
    explicit Run(const Case &c) : c_(c) {
        const int j = c.c_transposed ? 1 : 0, i = 1 - j, batch = 2;
        set(a_dims_, c.a_transposed ? std::vector<int>{i + 1, along_k} : std::vector<int>{along_k, i + 1});
        set(b_dims_, c.b_transposed ? std::vector<int>{along_k, j + 1} : std::vector<int>{j + 1, along_k});
        extents_ = c.c_transposed ? std::vector<int>{c.m, c.n} : std::vector<int>{c.n, c.m};
        if (c.batch > 0) {
            extents_.push_back(c.batch);
            a_dims_.insert(c.batch_first ? a_dims_.begin() : a_dims_.end(), batch + 1);
            if (!c.same_b) {
                b_dims_.push_back(batch + 1);
            }
        }
        a_ = made(a_dims_, 1);
        b_ = made(b_dims_, 2);
        result_ = Buffer<T>(extents_);
        result_.fill(T(7));
        // Coordinates need not begin at 0.
        result_.translate(std::vector<int>(extents_.size(), 3));
        a_.translate(begin_of(a_dims_));
        b_.translate(begin_of(b_dims_));
    }

    int call(Product product) {
        return product(a_, b_, k_min, c_.k, packed(a_dims_), packed(b_dims_), c_.tasks, result_);
    }

    /** The largest difference from plain sums, as a share of the terms. */
    double error() {
        double most = 0;
        result_.for_each_element([&](const int *at) {
            double sum = 0;
            for (int k = k_min; k < k_min + c_.k; k++) {
                sum += static_cast<double>(value(a_, a_dims_, at, k)) * value(b_, b_dims_, at, k);
            }
            most = std::max(most, std::abs(sum - result_(at)) / std::max(1, c_.k));
        });
        return most;
    }

private:
    static constexpr int k_min = -2;
    Case c_;
    std::vector<int> a_dims_, b_dims_, extents_;
    Buffer<T> a_, b_, result_;

    static void set(std::vector<int> &dims, std::vector<int> to) {
        dims = std::move(to);
    }

    static int32_t packed(const std::vector<int> &dims) {
        int32_t all = 0;
        for (size_t d = 0; d < dims.size(); d++) {
            all |= dims[d] << (4 * d);
        }
        return all;
    }

    Buffer<T> made(const std::vector<int> &dims, uint64_t seed) const {
        std::vector<int> sizes;
        for (const int d : dims) {
            sizes.push_back(d == along_k ? std::max(1, c_.k) : extents_[d - 1]);
        }
        Buffer<T> buffer(sizes);
        eutectic::test::Random random(seed);
        buffer.for_each_value([&](T &x) { x = static_cast<T>(random.below(2001) - 1000) / 1000; });
        return buffer;
    }

    static std::vector<int> begin_of(const std::vector<int> &dims) {
        std::vector<int> mins;
        for (const int d : dims) {
            mins.push_back(d == along_k ? k_min : 3);
        }
        return mins;
    }

    static T value(const Buffer<T> &of, const std::vector<int> &dims, const int *at, int k) {
        std::vector<int> place;
        for (const int d : dims) {
            place.push_back(d == along_k ? k : at[d - 1]);
        }
        return of(place.data());
    }
};

/** Threads of this process. */
long threads() {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"),
                         std::filesystem::directory_iterator());
}

}  // namespace

/** In the place of Halide's runtime: counts. */
extern "C" int halide_do_par_for(void *context, halide_task_t task, int min, int size, uint8_t *closure) {
    parallel_loops++;
    for (int piece = min; piece < min + size; piece++) {
        pieces_run++;
        if (const int error = task(context, piece, closure)) {
            return error;
        }
    }
    return 0;
}

TEST_CASE("layouts, sizes, batches and pieces") {
    for (const Library &library : libraries()) {
        CAPTURE(library.name);
        for (const auto &[m, n, k] : {std::array{1, 1, 1},
                                      {3, 5, 7},
                                      {17, 1, 9},
                                      {1, 33, 40},
                                      {64, 31, 5},
                                      {45, 70, 130},
                                      {4, 6, 0}}) {
            for (int transposed = 0; transposed < 8; transposed++) {
                for (const int batch : {0, 3}) {
                    for (const int tasks : {1, 4}) {
                        Case c{
                            m,    n, k, (transposed & 1) != 0, (transposed & 2) != 0, (transposed & 4) != 0,
                            batch};
                        c.tasks = tasks;
                        c.same_b = batch > 0 && transposed % 3 == 1;
                        c.batch_first = batch > 0 && transposed % 3 == 2;
                        CAPTURE(m);
                        CAPTURE(n);
                        CAPTURE(k);
                        CAPTURE(transposed);
                        CAPTURE(batch);
                        CAPTURE(tasks);
                        Run<float> floats(c);
                        REQUIRE(floats.call(library.product) == 0);
                        CHECK(floats.error() < 1e-6);
                        Run<double> doubles(c);
                        const int error = doubles.call(library.product);
                        CHECK((error == 0) == library.doubles);
                        if (library.doubles) {
                            CHECK(doubles.error() < 1e-14);
                        }
                    }
                }
            }
        }
    }
}

TEST_CASE("a call on a block stays on its thread; one on the whole is cut for Halide's") {
    for (const Library &library : libraries()) {
        CAPTURE(library.name);
        Case c{192, 160, 128};
        Run<float> first(c);
        REQUIRE(first.call(library.product) == 0);  // what a library sets up at its first call
        const long before = threads();
        parallel_loops = pieces_run = 0;
        for (int i = 0; i < 20; i++) {
            Run<float> block(c);
            REQUIRE(block.call(library.product) == 0);
        }
        CHECK(parallel_loops == 0);
        CHECK(threads() == before);
        c.tasks = 6;
        Run<float> whole(c);
        REQUIRE(whole.call(library.product) == 0);
        CHECK(parallel_loops == 1);
        CHECK(pieces_run == 6);
        CHECK(threads() == before);  // and no pool of the library's own
        CHECK(whole.error() < 1e-6);
        c.batch = 12;
        parallel_loops = pieces_run = 0;
        Run<float> batch(c);
        REQUIRE(batch.call(library.product) == 0);
        CHECK(pieces_run == 12);
    }
}

TEST_CASE("bounds queries are answered with what the result needs") {
    halide_dimension_t of_c[] = {{5, 10, 1}, {7, 20, 10}}, of_a[2] = {}, of_b[2] = {};
    halide_buffer_t a{}, b{}, c{};
    a.dimensions = b.dimensions = c.dimensions = 2;
    a.type = b.type = c.type = halide_type_of<float>();
    a.dim = of_a;
    b.dim = of_b;
    c.dim = of_c;
    REQUIRE(eutectic_eigen_product(&a, &b, 2, 30, 0x20, 0x01, 1, &c) == 0);  // (k, i) and (j, k)
    CHECK(of_a[0].min == 2);
    CHECK(of_a[0].extent == 30);
    CHECK(of_a[1].min == 7);
    CHECK(of_a[1].extent == 20);
    CHECK(of_b[0].min == 5);
    CHECK(of_b[0].extent == 10);
    CHECK(of_b[1].extent == 30);
}

TEST_CASE("other types are refused") {
    Buffer<int> a(4, 4), b(4, 4), c(4, 4);
    CHECK(eutectic_eigen_product(a, b, 0, 4, 0x20, 0x01, 1, c) == halide_error_code_bad_type);
}
