#pragma once

// Sizes of buffers as text: terms of the mins and extents of arguments, and of scalar arguments.

#include <Halide.h>

#include <functional>
#include <optional>
#include <string>

namespace eutectic {

/// How one variable of a size is written: `what` is "min", "extent", or "" for a scalar.
struct SizeStyle {
    std::function<std::string(const std::string &argument, const std::string &what, int dimension)> variable;
    bool is_code = false;  // C++, where a division rounds towards zero and needs a function
};

/// x.extent(0), rate: for people.
SizeStyle people();
/// _x_buffer->dim[0].extent, _rate: the arguments as Halide's headers call them. Divisions are quotient(a,
/// b), remainders remainder(a, b), both as Halide has them; the smaller of two is std::min.
SizeStyle code();

/// The C++ name of an argument: _x_buffer, or _rate for a scalar.
std::string argument_identifier(const std::string &name, bool is_buffer);

/// `e` as text; nothing when it depends on more than sizes and scalar arguments.
std::optional<std::string> size_text(const Halide::Expr &e, const SizeStyle &style);

}  // namespace eutectic
