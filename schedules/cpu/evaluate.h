#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "Halide.h"

namespace eutectic {

/** What an expression of sizes is worth at the estimates: a whole number, or the members of a structure that
 * a parallel loop is handed; or nothing is known. */
struct Known {
    std::optional<int64_t> number;
    std::shared_ptr<const std::vector<Known>> members;
};

/** By the names of variables; of a buffer's sizes as "a.min.0", "a.extent.0", "a.stride.0". */
using KnownValues = std::map<std::string, Known>;

/** Of scalars and structures; nothing for what hangs on values of buffers, or on what is not known. */
Known evaluate(const Halide::Expr &e, const KnownValues &values);

}  // namespace eutectic
