#pragma once

#include <vector>

#include "Halide.h"

#include "graph/read/body_reader.h"

namespace eutectic {

/** Finds the dim of few points by which `values`, the definition of `stage` in the Func `self`, chooses most:
 * sets Stage::cases, and Edge::taps_at of what is read in some cases only. */
void find_cases(const std::vector<Halide::Expr> &values, const std::string &self, const BodyReader &bodies,
                Graph &graph, Stage &stage);

/** Finds the dims by whose remainders `values` choose: sets Stage::phases, and Edge::in_phases of what is
 * read in some of them only. (y & 1 and y % 2 are the same.) */
void find_phases(const std::vector<Halide::Expr> &values, const std::string &self, const BodyReader &bodies,
                 Graph &graph, Stage &stage);

/** The iterations at which `predicate`, an update's condition, can hold: where a reduction variable equals
 * what does not change with it, one of its values. */
std::vector<SomeOf> taken_iterations(const Halide::Expr &predicate, const Dims &dims);

}  // namespace eutectic
