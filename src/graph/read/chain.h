#pragma once

#include <optional>

#include "Halide.h"

#include "graph/data/graph.h"

namespace eutectic {

/** The chain of an update that goes along the rows of `f` and reads, of what it wrote, the neighbour that the
 * iteration before has written; nothing for any other update. Its reduction variables are dims from
 * f.dimensions() on. */
std::optional<Chain> chain_of(const Halide::Internal::Function &f,
                              const Halide::Internal::Definition &update);

}  // namespace eutectic
