#pragma once

#include <map>
#include <string>

#include "Halide.h"

namespace eutectic {

/** A constraint on a buffer as text: whole numbers, the sizes of the pipeline's buffers ("x.min.0",
 * "x.extent.0", "x.stride.1"), its scalar parameters, + - * / %, min(), max() and parentheses. Throws
 * UserError, saying that it is `what`, when `e` is made of anything else. */
std::string term_text(const Halide::Expr &e, const std::string &what);

/** Reads term_text(). `parameters`: the pipeline's, by name. Throws UserError in the same way, for an unknown
 * name too. */
Halide::Expr parse_term(const std::string &text, const std::map<std::string, Halide::Parameter> &parameters,
                        const std::string &what);

}  // namespace eutectic
