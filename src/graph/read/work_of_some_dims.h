#pragma once

#include <string>
#include <vector>

#include "Halide.h"

#include "graph/data/graph.h"
#include "graph/read/body_reader.h"

namespace eutectic {

/** What `values`, of an update of `self` with the dims of `stage`, compute that not all dims change, by the
 * dims that do. Unrolled loops over the others, as over three colours that are weighted alike, share it. */
std::vector<HoistedWork> work_of_some_dims(const std::vector<Halide::Expr> &values, const Stage &stage,
                                           const std::string &self, const BodyReader &bodies);

}  // namespace eutectic
