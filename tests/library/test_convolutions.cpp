// Convolutions by each library that was found, against plain loops, in every layout that a call can name.

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "HalideBuffer.h"

#include "library/product.h"
#include "tests/support/random.h"

using Halide::Runtime::Buffer;

namespace {

using Call = EUTECTIC_CONVOLUTION((*));

struct Library {
    const char *name;
    Call convolution;
    bool doubles;
};

const std::vector<Library> &libraries() {
    static const std::vector<Library> all = {
        {"eigen", eutectic_eigen_convolution, true},
#ifdef EUTECTIC_HAS_OPENBLAS
        {"openblas", eutectic_openblas_convolution, true},
#endif
#ifdef EUTECTIC_HAS_ONEDNN
        {"onednn", eutectic_onednn_convolution, false},
#endif
    };
    return all;
}

struct Window {
    int taps = 3, scale = 1, step = 1, offset = 0;
};

struct Case {
    int images = 2, channels = 5, results = 7;
    std::array<int, 2> points = {9, 6};
    std::array<Window, 2> windows = {};
    std::vector<int> order_a = {0, 1, 2, 3};  ///< of channel, u, v and image, the innermost first
    std::vector<int> order_b = {0, 1, 2, 3};  ///< of result, channel, u and v
    std::vector<int> order_c = {0, 1, 2, 3};  ///< of result, u, v and image
    int pitch = 0;                            ///< elements between rows of c and where they would be
    int tasks = 1;
};

constexpr int sum_min[3] = {2, -1, 1}, c_min = 3;

template<typename T>
class Run {
public:
    explicit Run(const Case &c) : c_(c) {
        const std::array<int, 4> extents = {c.results, c.points[0], c.points[1], c.images};
        std::vector<int> sizes;
        for (const int what : c.order_c) {
            sizes.push_back(extents[what] + (sizes.empty() ? c.pitch : 0));
        }
        whole_ = Buffer<T>(sizes);
        whole_.fill(T(9));
        result_ = whole_;
        if (c.pitch > 0) {
            result_.crop(0, 0, sizes[0] - c.pitch);
        }
        result_.translate(std::vector<int>(4, c_min));
        a_ = made(c.order_a, true, a_dims_, 1);
        b_ = made(c.order_b, false, b_dims_, 2);
    }

    int call(const Library &library) {
        const Window &u = c_.windows[0], &v = c_.windows[1];
        const auto steps = [](const Window &w) { return w.scale | w.step << 16; };
        return library.convolution(a_, b_, sum_min[0], c_.channels, sum_min[1], u.taps, steps(u), u.offset,
                                   sum_min[2], v.taps, steps(v), v.offset, a_dims_, b_dims_, c_.tasks,
                                   result_);
    }

    /** The largest difference from plain sums, as a share of the terms; and nothing else is written. */
    double error() {
        double most = 0;
        result_.for_each_element([&](const int *at) {
            double sum = 0;
            int k[3];
            const int taps[3] = {c_.channels, c_.windows[0].taps, c_.windows[1].taps};
            for (k[0] = 0; k[0] < taps[0]; k[0]++) {
                for (k[1] = 0; k[1] < taps[1]; k[1]++) {
                    for (k[2] = 0; k[2] < taps[2]; k[2]++) {
                        sum += value(a_, c_.order_a, true, at, k) * value(b_, c_.order_b, false, at, k);
                    }
                }
            }
            most = std::max(most, std::abs(sum - result_(at)) / std::max(1, taps[0] * taps[1] * taps[2]));
        });
        int changed = 0;
        whole_.for_each_value([&](T x) { changed += x != T(9); });
        CHECK(changed <= static_cast<int>(result_.number_of_elements()));
        return most;
    }

private:
    Case c_;
    int a_dims_ = 0, b_dims_ = 0;
    Buffer<T> a_, b_, whole_, result_;

    /** Where dimension `what` of c lies in it. */
    int dim_of(int what) const {
        return static_cast<int>(std::find(c_.order_c.begin(), c_.order_c.end(), what) - c_.order_c.begin());
    }

    /** Sum and dimension of c that dimension `what` of an operand goes along; -1 for none. */
    static std::array<int, 2> along(int what, bool a) {
        if (a) {
            return what == 0 ? std::array{0, -1} : what == 3 ? std::array{-1, 3} : std::array{what, what};
        }
        return what == 0 ? std::array{-1, 0} : std::array{what - 1, -1};
    }

    int index(int what, bool a, const int *at, const int *k) const {
        const auto [sum, dim] = along(what, a);
        const bool window = a && sum > 0;
        const Window w = window ? c_.windows[sum - 1] : Window{1, 1, 1, 0};
        return (dim >= 0 ? w.scale * at[dim_of(dim)] : 0) +
               (sum >= 0 ? w.step * (sum_min[sum] + k[sum]) : 0) + w.offset;
    }

    Buffer<T> made(const std::vector<int> &order, bool a, int &dims, uint64_t seed) const {
        int first_at[4], last_at[4];
        for (int d = 0; d < 4; d++) {
            first_at[d] = result_.dim(d).min();
            last_at[d] = std::max(result_.dim(d).max(), first_at[d]);
        }
        const int none[3] = {0, 0, 0},
                  last[3] = {std::max(c_.channels - 1, 0), c_.windows[0].taps - 1, c_.windows[1].taps - 1};
        std::vector<int> mins, sizes;
        for (size_t d = 0; d < order.size(); d++) {
            const auto [sum, dim] = along(order[d], a);
            dims |= ((dim < 0 ? 0 : dim_of(dim) + 1) | (sum + 1) << 4) << (8 * d);
            mins.push_back(index(order[d], a, first_at, none));
            sizes.push_back(index(order[d], a, last_at, last) - mins.back() + 1);
        }
        Buffer<T> buffer(sizes);
        buffer.translate(mins);
        eutectic::test::Random random(seed);
        buffer.for_each_value([&](T &x) { x = static_cast<T>(random.below(2001) - 1000) / 1000; });
        return buffer;
    }

    double value(const Buffer<T> &of, const std::vector<int> &order, bool a, const int *at,
                 const int *k) const {
        int place[4];
        for (size_t d = 0; d < order.size(); d++) {
            place[d] = index(order[d], a, at, k);
        }
        return of(place);
    }
};

void check(const Case &c) {
    for (const Library &library : libraries()) {
        CAPTURE(std::string(library.name));
        Run<float> floats(c);
        REQUIRE(floats.call(library) == 0);
        CHECK(floats.error() < 1e-6);
        Run<double> doubles(c);
        CHECK((doubles.call(library) == 0) == library.doubles);
        if (library.doubles) {
            CHECK(doubles.error() < 1e-14);
        }
    }
}

const std::vector<int> channels_first = {0, 1, 2, 3}, planar = {1, 2, 0, 3}, images_first = {3, 0, 1, 2};

}  // namespace

TEST_CASE("layouts: channels innermost, planar, images innermost; filters in every order") {
    std::vector<int> filter = {0, 1, 2, 3};
    do {
        for (const std::vector<int> &a : {channels_first, planar, images_first}) {
            for (const std::vector<int> &c : {channels_first, planar}) {
                for (const int tasks : {1, 3}) {
                    Case of;
                    of.order_a = a;
                    of.order_b = filter;
                    of.order_c = c;
                    of.tasks = tasks;
                    CAPTURE(filter);
                    CAPTURE(a);
                    CAPTURE(c);
                    check(of);
                }
            }
        }
    } while (std::next_permutation(filter.begin(), filter.end()));
}

TEST_CASE("windows: strides, dilations, offsets, one dimension, one tap; sizes of 1, and of many") {
    for (const Window u :
         {Window{3, 1, 1, 0}, {3, 2, 1, -1}, {2, 1, 3, 5}, {1, 2, 1, 0}, {1, 1, 1, 0}, {7, 3, 2, -2}}) {
        for (const Window v : {Window{3, 1, 1, 0}, {1, 1, 1, 0}, {4, 2, 2, 1}}) {
            for (const auto &[channels, results] : {std::array{1, 1}, {3, 16}, {24, 9}, {12, 1}}) {
                for (const std::vector<int> &layout : {channels_first, planar}) {
                    Case of;
                    of.windows = {u, v};
                    of.channels = channels;
                    of.results = results;
                    of.order_a = of.order_c = layout;
                    of.pitch = results % 2 == 0 ? 0 : 2;
                    of.tasks = channels > 1 ? 2 : 1;
                    CAPTURE(u.taps);
                    CAPTURE(u.scale);
                    CAPTURE(v.taps);
                    CAPTURE(channels);
                    CAPTURE(results);
                    CAPTURE(layout);
                    check(of);
                }
            }
        }
    }
}

TEST_CASE("more than a panel of rows; a row of points; no channels") {
    Case of;
    of.channels = 48;
    of.points = {61, 23};
    check(of);
    of.order_a = of.order_c = planar;
    check(of);
    of.tasks = 4;
    check(of);
    of.points = {1, 1};
    check(of);
    of.channels = 0;
    check(of);
}

TEST_CASE("bounds queries are answered with what the windows reach") {
    halide_dimension_t of_c[] = {{0, 8, 1}, {5, 10, 8}, {7, 20, 80}}, of_a[3] = {}, of_b[4] = {};
    halide_buffer_t a{}, b{}, c{};
    a.dimensions = c.dimensions = 3;
    b.dimensions = 4;
    a.type = b.type = c.type = halide_type_of<float>();
    a.dim = of_a;
    b.dim = of_b;
    c.dim = of_c;
    REQUIRE(eutectic_eigen_convolution(&a, &b, 0, 4, 0, 3, 0x10002, -1, 0, 3, 0x20001, 0, 0x332210,
                                       0x30201001, 1, &c) == 0);
    CHECK(of_a[0].extent == 4);
    CHECK(of_a[1].min == 2 * 5 - 1);
    CHECK(of_a[1].extent == 2 * 9 + 3);
    CHECK(of_a[2].min == 7);
    CHECK(of_a[2].extent == 19 + 5);
    CHECK(of_b[0].extent == 8);
    CHECK(of_b[1].extent == 4);
    CHECK(of_b[3].extent == 3);
}
