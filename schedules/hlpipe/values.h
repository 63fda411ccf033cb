#pragma once

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "Halide.h"

namespace eutectic {

/** The name of what user_context_value() reads, which is no input: for targets with user_context Halide adds
 * it to the function. */
constexpr const char *user_context_name = "__user_context";

/** "float32", "bfloat16", "uint8", "bool", "handle". */
std::string type_name(const Halide::Type &type);

/** The type of that name; nothing for any other text. */
std::optional<Halide::Type> type_named(const std::string &name);

/** The constant `e` as a number; null when it is undefined. Throws UserError, saying that it is `what`, when
 * `e` is no constant. */
nlohmann::json constant_json(const Halide::Expr &e, const std::string &what);

/** The same the other way: an undefined Expr for null. Throws UserError, saying that it is `what`, for a
 * number that `type` does not hold. */
Halide::Expr constant_expr(const nlohmann::json &value, const Halide::Type &type, const std::string &what);

}  // namespace eutectic
