#pragma once

#include <string>

namespace eutectic::test {

/** How often `part` is in `text`. */
inline int occurrences(const std::string &text, const std::string &part) {
    int count = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        count++;
    }
    return count;
}

}  // namespace eutectic::test
