#pragma once

#include <string>

namespace eutectic {

/// `value` as printf() writes it by `pattern`, which has one conversion of a double: "%.2f times".
std::string format(const char *pattern, double value);

}  // namespace eutectic
