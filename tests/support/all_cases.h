#pragma once

#include <cstdlib>

namespace eutectic::test {

/** Does this run go over all cases, as the tests do that eutectic_all_cases() adds under `slow`? Others go
 * over some of each kind. */
inline bool all_cases() {
    return std::getenv("EUTECTIC_ALL_CASES") != nullptr;
}

}  // namespace eutectic::test
