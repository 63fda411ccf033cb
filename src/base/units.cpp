#include "base/units.h"

#include <cmath>
#include <cstdio>

namespace eutectic {

namespace {

/** Three significant digits of a number in [0, 1024). */
std::string three_digits(double value) {
    const int decimals = value >= 100 ? 0 : value >= 10 ? 1 : 2;
    char text[32];
    std::snprintf(text, sizeof text, "%.*f", decimals, value);
    return text;
}

}  // namespace

std::string format_bytes(Bytes bytes) {
    if (bytes < 1024) {
        return std::to_string(bytes) + " B";
    }
    double value = static_cast<double>(bytes) / 1024;
    const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
    size_t unit = 0;
    while (value >= 1024 && unit < 3) {
        value /= 1024;
        unit++;
    }
    return three_digits(value) + " " + units[unit];
}

std::string format_seconds(Seconds seconds) {
    if (seconds < 1e-6) {
        return three_digits(seconds * 1e9) + " ns";
    } else if (seconds < 1e-3) {
        return three_digits(seconds * 1e6) + " us";
    } else if (seconds < 1) {
        return three_digits(seconds * 1e3) + " ms";
    }
    return three_digits(seconds) + " s";
}

std::string format_count(int64_t count) {
    const uint64_t magnitude =
        count < 0 ? 0 - static_cast<uint64_t>(count)
                  : static_cast<uint64_t>(count);  // the smallest number has no positive twin
    std::string digits = std::to_string(magnitude);
    for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3) {
        digits.insert(static_cast<size_t>(at), ",");
    }
    return count < 0 ? "-" + digits : digits;
}

std::string stable_hash(const std::string &text) {
    uint64_t hash = 0xcbf29ce484222325ULL;
    for (const char c : text) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    }
    char hex[17];
    std::snprintf(hex, sizeof hex, "%016llx", static_cast<unsigned long long>(hash));
    return hex;
}

}  // namespace eutectic
