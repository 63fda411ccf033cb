#pragma once

#include <optional>
#include <string>
#include <vector>

#include "Halide.h"

namespace eutectic {

/** An integer that is divided by a number which is known when the pipeline runs, and is the same for all its
 * points: j / width, j % width. */
struct Quotient {
    Halide::Expr dividend, divisor;
    bool remainder_used = false;  ///< j % width occurs, perhaps beside j / width
};

/** Does e change from one iteration of a stage's loops to another? Constants and scalar parameters (sizes of
 * buffers among them) do not. */
bool varies(const Halide::Expr &e);

/** Is it `node` itself, not what is below it, that makes an expression vary: a variable, a load at an index,
 *  a call that is not pure? */
bool is_varying(const Halide::Expr &node);

/** Is `e` (a Div or a Mod of 32-bit signed integers) such a quotient? */
bool divides_by_run_time_number(const Halide::Expr &e);

/** Those of the expressions, in values and in the indices of loads alike, each once. */
std::vector<Quotient> run_time_quotients(const std::vector<Halide::Expr> &expressions);

/** The number that the values of a definition over `args` divide their innermost argument by, if
 * run_time_quotients() of them are of that argument and by one number all: j / width, j % width. */
std::optional<Halide::Expr> line_width(const std::vector<std::string> &args,
                                       const std::vector<Halide::Expr> &values);

/** Stage::simplified has it where a definition was read with its quotients as products. */
inline constexpr const char *run_time_quotients_rewrite = "quotients";

/** Operations, in 4-byte ones, of a quotient (and of a remainder beside it) as schedules/rewrites.h makes it:
 * conversion to two vectors of doubles, sum, product, floor and conversion back, ten in all; then a choice of
 * the sign, and a product, a difference and a choice. */
constexpr double quotient_operations = 11, remainder_operations = 3;

}  // namespace eutectic
