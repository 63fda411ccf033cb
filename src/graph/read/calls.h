#pragma once

#include <string>

#include "Halide.h"

namespace eutectic {

/** Does `e` name a value of the Func `func`, in an index of a load perhaps? */
bool calls(const Halide::Expr &e, const std::string &func);

}  // namespace eutectic
