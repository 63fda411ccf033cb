#pragma once

#include <string>

#include "Halide.h"

namespace eutectic {

/** `e` as the load of a Func or a buffer that it is; null where it is anything else. */
const Halide::Internal::Call *load_of(const Halide::Expr &e);

/** Does what a Func or a buffer holds change it? */
bool depends_on_data(const Halide::Expr &e);

/** Does `e` name a value of the Func `func`, in an index of a load perhaps? */
bool calls(const Halide::Expr &e, const std::string &func);

}  // namespace eutectic
