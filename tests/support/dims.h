#pragma once

#include <vector>

#include "graph/data/graph.h"

namespace eutectic::test {

/** Pure dims of these extents, which nothing is known of. */
inline std::vector<Dim> dims(const std::vector<int64_t> &extents) {
    std::vector<Dim> result;
    for (const int64_t e : extents) {
        result.push_back({"d", e, false, std::nullopt});
    }
    return result;
}

}  // namespace eutectic::test
