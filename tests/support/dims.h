#pragma once

#include "graph/data/graph.h"

namespace eutectic::test {

/** Pure dims of these extents, which nothing is known of. */
inline Dims dims(const Extents &extents) {
    Dims result;
    for (const int64_t e : extents) {
        result.push_back({"d", e, false, std::nullopt});
    }
    return result;
}

}  // namespace eutectic::test
