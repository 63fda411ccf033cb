#include "apps/support/format.h"

#include <cstdio>
#include <vector>

namespace eutectic {

std::string format(const char *pattern, double value) {
    const int size = std::snprintf(nullptr, 0, pattern, value);
    std::vector<char> text(static_cast<size_t>(size) + 1);
    std::snprintf(text.data(), text.size(), pattern, value);
    return text.data();
}

}  // namespace eutectic
