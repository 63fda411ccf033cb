#pragma once

#include "Halide.h"

#include "graph/data/graph.h"
#include "graph/read/pattern_finder.h"

namespace eutectic {

/** Reads a pipeline into plain data. The Funcs are not changed.
 *
 *  Needs estimates on every output dimension, and on the inputs' dimensions and scalars that sizes depend on;
 * throws UserError naming the first that is missing. A Func that cannot be analysed becomes Role::opaque with
 * a sentence; it never stops the rest. `finders` look for patterns in each definition, in turn.
 * `functions_in_vectors`: the work of functions that vectorize_functions() knows is that of its polynomials.
 */
Graph build_graph(const std::vector<Halide::Internal::Function> &outputs,
                  const std::vector<const PatternFinder *> &finders = {}, bool functions_in_vectors = false);

}  // namespace eutectic
