#include "apps/eutectic/values.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "base/regex.h"
#include "base/user_error.h"
#include "schedules/hlpipe/values.h"

namespace eutectic {

using namespace Halide;

namespace {

/** SplitMix64's output function: neighbours become unrelated. */
uint64_t mix(uint64_t z) {
    z += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/** Calls `use` with a value of the C++ type that stands for `type`. */
template<typename Use>
void with_type(const Type &type, const std::string &input, Use use) {
    if (type == Float(32)) {  // NOLINT(bugprone-branch-clone): each is of another type
        use(float());
    } else if (type == Float(64)) {
        use(double());
    } else if (type == Float(16)) {
        use(float16_t());
    } else if (type == BFloat(16)) {
        use(bfloat16_t());
    } else if (type == Int(8)) {
        use(int8_t());
    } else if (type == Int(16)) {
        use(int16_t());
    } else if (type == Int(32)) {
        use(int32_t());
    } else if (type == Int(64)) {
        use(int64_t());
    } else if (type == UInt(8) || type == Bool()) {
        use(uint8_t());
    } else if (type == UInt(16)) {
        use(uint16_t());
    } else if (type == UInt(32)) {
        use(uint32_t());
    } else if (type == UInt(64)) {
        use(uint64_t());
    } else {
        throw UserError("The input " + input + " is of type " + type_name(type) +
                        ", for which there are no values to draw: take it out of the pipeline.");
    }
}

/** Every element's address, with `hash` of its coordinates. */
template<typename T, typename Use>
void for_each_element(const Buffer<> &buffer, int d, T *at, uint64_t hash, const Use &use) {
    if (d < 0) {
        use(at, hash);
        return;
    }
    const auto dim = buffer.dim(d);
    for (int i = 0; i < dim.extent(); i++) {
        for_each_element(buffer, d - 1, at + static_cast<ptrdiff_t>(i) * dim.stride(),
                         mix(hash ^ static_cast<uint64_t>(static_cast<int64_t>(dim.min()) + i)), use);
    }
}

template<typename T>
T *first(const Buffer<> &buffer) {
    return const_cast<T *>(static_cast<const T *>(buffer.data()));
}

uint64_t seed_of(const std::string &input) {
    uint64_t seed = 0;
    for (const char c : input) {
        seed = mix(seed ^ static_cast<unsigned char>(c));
    }
    return seed;
}

template<typename T>
double as_double(T value) {
    return static_cast<double>(value);
}

template<typename T>
double epsilon() {
    return std::is_same_v<T, float16_t>    ? 0x1p-10
           : std::is_same_v<T, bfloat16_t> ? 0x1p-7
                                           : static_cast<double>(std::numeric_limits<T>::epsilon());
}

template<typename T>
Difference compare_as(const Buffer<> &result, const Buffer<> &reference, const Allowance &may) {
    constexpr bool is_float = !std::is_integral_v<T>;
    std::vector<T> values;
    double largest = 0;
    Difference difference;
    difference.all_nan = is_float;
    difference.all_zero = true;
    for_each_element(reference, reference.dimensions() - 1, first<T>(reference), 0, [&](T *at, uint64_t) {
        const double right = as_double(*at);
        values.push_back(*at);
        difference.all_nan = difference.all_nan && std::isnan(right);
        difference.all_zero = difference.all_zero && right == 0;
        largest = std::isfinite(right) ? std::max(largest, std::abs(right)) : largest;
    });
    const double of_largest =
        1e-5 + std::sqrt(may.terms) * std::min<double>(epsilon<T>(), std::numeric_limits<float>::epsilon());
    size_t i = 0, off_by_one = 0;
    for_each_element(result, result.dimensions() - 1, first<T>(result), 0, [&](T *at, uint64_t) {
        const T expected = values[i++];
        const double right = as_double(expected), d = std::abs(as_double(*at) - right);
        const bool same = *at == expected || (std::isnan(right) && std::isnan(as_double(*at)));
        const double allowed =
            is_float && !may.exact ? of_largest * largest + may.terms * epsilon<T>() * std::abs(right) : 0;
        const bool rounded = !is_float && may.rounded && !may.exact && d == 1;
        off_by_one += rounded;
        if (!same) {
            difference.largest =
                std::isnan(d) ? std::numeric_limits<double>::infinity() : std::max(difference.largest, d);
            difference.agrees = difference.agrees && (rounded || (d <= allowed && !(may.exact && is_float)));
        }
    });
    difference.agrees = difference.agrees && 100 * off_by_one <= values.size();
    return difference;
}

}  // namespace

ValueSource parse_source(const std::string &input, const std::string &text) {
    const std::string number = " *([-+]?[0-9]*\\.?[0-9]+(?:[eE][-+]?[0-9]+)?) *";
    Groups parts;
    ValueSource source;
    if (text.size() > 4 && text.substr(text.size() - 4) == ".npy") {
        source.kind = ValueSource::Kind::file;
        source.path = text;
        return source;
    }
    if (!Regex("(uniform|int)\\(" + number + "," + number + "\\)").matches(text, &parts)) {
        throw UserError("The input " + input + " was given as " + text +
                        ", which says no values: write --input " + input +
                        "=FILE.npy, uniform(-1,1) or int(0,9).");
    }
    source.kind = parts[1] == "int" ? ValueSource::Kind::integers : ValueSource::Kind::uniform;
    // Beyond what a double holds this is an infinity, where std::stod() would throw.
    source.low = std::strtod(parts[2].c_str(), nullptr);
    source.high = std::strtod(parts[3].c_str(), nullptr);
    if (!std::isfinite(source.low) || !std::isfinite(source.high)) {
        throw UserError("The input " + input + " was given as " + text +
                        ", whose ends are larger than a double holds: give ends up to 1e308.");
    }
    if (source.low > source.high) {
        throw UserError("The input " + input + " was given as " + text +
                        ", whose ends are in the wrong order: write the smaller one first.");
    }
    return source;
}

ValueSource default_source(const Type &type, const std::optional<ImpliedRange> &implied) {
    ValueSource source;
    source.kind = type.is_float() ? ValueSource::Kind::uniform : ValueSource::Kind::integers;
    if (implied) {
        source.low = implied->low;
        source.high = implied->high;
    } else if (type == Bool()) {
        source.low = 0;
    } else if (!type.is_float()) {
        const int values = type.bits() == 8 ? 256 : 16;
        source.low = type.is_uint() ? 0 : -values / 2;
        source.high = source.low + values - 1;
    }
    return source;
}

void fill(Buffer<> &buffer, const std::string &input, const ValueSource &source) {
    const uint64_t seed = seed_of(input);
    const auto count =
        static_cast<uint64_t>(std::max(0.0, std::floor(source.high) - std::ceil(source.low))) + 1;
    with_type(buffer.type(), input, [&](auto kind) {
        using T = decltype(kind);
        for_each_element(buffer, buffer.dimensions() - 1, first<T>(buffer), seed, [&](T *at, uint64_t hash) {
            const uint64_t bits = mix(hash);
            // 24 bits are exact in float32.
            const double drawn =
                source.kind == ValueSource::Kind::uniform
                    ? source.low + (source.high - source.low) * (static_cast<double>(bits >> 40) * 0x1p-24)
                    : std::ceil(source.low) + static_cast<double>(bits % count);
            if constexpr (std::is_same_v<T, float16_t> || std::is_same_v<T, bfloat16_t>) {
                *at = T(static_cast<float>(drawn));
            } else {
                *at = static_cast<T>(drawn);
            }
        });
    });
    buffer.set_host_dirty();
}

halide_scalar_value_t scalar_value(const Type &type, const std::string &input, const nlohmann::json &number) {
    halide_scalar_value_t value = {};
    with_type(type, input, [&](auto kind) {
        using T = decltype(kind);
        if constexpr (std::is_integral_v<T>) {
            const T v = number.get<T>();
            std::memcpy(&value.u, &v, sizeof v);
        } else {
            const T v = T(number.get<double>());
            std::memcpy(&value.u, &v, sizeof v);
        }
    });
    return value;
}

Difference compare(const Buffer<> &result, const Buffer<> &reference, const Allowance &allowance) {
    Difference difference;
    with_type(reference.type(), "",
              [&](auto kind) { difference = compare_as<decltype(kind)>(result, reference, allowance); });
    return difference;
}

}  // namespace eutectic
