#include "apps/digits/network.h"
#include "apps/digits/split.h"
#include "apps/support/random.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

using namespace eutectic;
using namespace eutectic::digits;

TEST_CASE("SplitMix64 gives its published numbers") {
    Random random(1234567);
    for (const uint64_t expected : {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                    4593380528125082431u, 16408922859458223821u}) {
        CHECK(random.next() == expected);
    }
}

TEST_CASE("below is uniform and stays below") {
    Random random(7);
    std::map<uint64_t, int> seen;
    for (int i = 0; i < 60000; i++) {
        seen[random.below(6)]++;
    }
    REQUIRE(seen.size() == 6);
    CHECK(seen.rbegin()->first == 5);
    for (const auto &[value, times] : seen) {
        CHECK(std::abs(times - 10000) < 500);  // five standard deviations are 456
    }
    CHECK(random.below(1) == 0);
}

TEST_CASE("the split is a permutation, four fifths to train, fixed by the seed") {
    Streams streams(1), same(1), other(2);
    const Split a = split(1797, streams.split), b = split(1797, same.split), c = split(1797, other.split);
    CHECK(a.train.size() == 1437);
    CHECK(a.test.size() == 360);
    CHECK(a.train == b.train);
    CHECK(a.test == b.test);
    CHECK(a.train != c.train);
    std::vector<int> all = a.train;
    all.insert(all.end(), a.test.begin(), a.test.end());
    CHECK_FALSE(std::is_sorted(all.begin(), all.end()));
    std::sort(all.begin(), all.end());
    std::vector<int> lines(1797);
    std::iota(lines.begin(), lines.end(), 0);
    CHECK(all == lines);

    const Split tiny = split(2, streams.split);
    CHECK(tiny.train.size() == 1);
    CHECK(tiny.test.size() == 1);
}

TEST_CASE("the streams of a seed are independent of how much the others draw") {
    Streams a(3), b(3);
    split(1797, a.split);
    CHECK(a.weights.next() == b.weights.next());
    CHECK(a.order.next() == b.order.next());
    CHECK(Streams(3).weights.next() != Streams(3).order.next());
}

TEST_CASE("weights start at He's variance, biases at zero") {
    Random random(5);
    Network network({64, 256, 10}, random);
    REQUIRE(network.parameters.size() == 4);
    const Parameter &w1 = network.parameters[0];
    CHECK(w1.name == "w1");
    CHECK(w1.value.dim(0).extent() == 256);
    CHECK(w1.value.dim(1).extent() == 64);
    double sum = 0, squares = 0;
    w1.value.for_each_value([&](float weight) {
        sum += weight;
        squares += weight * weight;
    });
    const double n = 64 * 256;
    CHECK(std::abs(sum / n) < 0.01);
    CHECK(squares / n == doctest::Approx(2.0 / 64).epsilon(0.05));
    CHECK(network.parameters[3].name == "b2");
    network.parameters[3].value.for_each_value([](float bias) { CHECK(bias == 0.0f); });
}
