#pragma once

#include <string>

namespace eutectic {

/** Is it a keyword of C++20, or the alternative spelling of an operator, so that nothing can be called so? */
bool is_cpp_keyword(const std::string &word);

}  // namespace eutectic
