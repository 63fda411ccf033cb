#include "apps/digits/split.h"

#include <numeric>

namespace eutectic::digits {

// Members are initialised in the order of their declaration: split, weights, order.
Streams::Streams(Random seeds) : split(seeds.next()), weights(seeds.next()), order(seeds.next()) {
}

Streams::Streams(uint64_t seed) : Streams(Random(seed)) {
}

Split split(int count, Random &random) {
    std::vector<int> lines(count);
    std::iota(lines.begin(), lines.end(), 0);
    random.shuffle(lines);
    const auto middle = lines.begin() + static_cast<int64_t>(count) * 4 / 5;
    return {{lines.begin(), middle}, {middle, lines.end()}};
}

}  // namespace eutectic::digits
