#pragma once

#include <HalideRuntime.h>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace eutectic::bench {

/// Calls `use` with a value of the C++ type that a Halide type stands for; `name` is whose it is. Throws
/// std::runtime_error for a type that is not there.
template<typename Use>
auto with_type(halide_type_t type, const std::string &name, Use use) {
    if (type == halide_type_of<float>())
        return use(float());
    if (type == halide_type_of<double>())
        return use(double());
    if (type == halide_type_of<int8_t>())
        return use(int8_t());
    if (type == halide_type_of<int16_t>())
        return use(int16_t());
    if (type == halide_type_of<int32_t>())
        return use(int32_t());
    if (type == halide_type_of<int64_t>())
        return use(int64_t());
    if (type == halide_type_of<uint8_t>() || type == halide_type_of<bool>())
        return use(uint8_t());
    if (type == halide_type_of<uint16_t>())
        return use(uint16_t());
    if (type == halide_type_of<uint32_t>())
        return use(uint32_t());
    if (type == halide_type_of<uint64_t>())
        return use(uint64_t());
    throw std::runtime_error("'" + name + "' is of a type that the bench does not know");
}

}  // namespace eutectic::bench
