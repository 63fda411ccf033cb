#pragma once

// Symbolic regions: which part of each forward Func the outputs' regions need, dimension by dimension, as
// Exprs of the buffers' mins and extents. Extents of buffers are taken to be at least 1.

#include <Halide.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace eutectic {

/// One interval a dimension, both ends included; an end may be infinite (Interval::pos_inf / neg_inf).
using SymbolicRegion = std::vector<Halide::Internal::Interval>;

/// What is known of free variables: a pure variable's or reduction variable's interval by its name.
using VariableBounds = Halide::Internal::Scope<Halide::Internal::Interval>;

/// simplify() that knows that the extents of buffers are at least 1.
Halide::Expr simplify_index(const Halide::Expr &e);

/// Is `condition` true for all values of its free variables within `bounds`? False when it cannot be proved.
bool proved(const Halide::Expr &condition, const VariableBounds &bounds);

/// The interval of an index expression within `bounds`.
Halide::Internal::Interval index_interval(const Halide::Expr &index, const VariableBounds &bounds);

/// Adds the variables `names` with their `region`.
void add_variables(VariableBounds &bounds, const std::vector<std::string> &names,
                   const SymbolicRegion &region);
/// Adds reduction variables.
void add_variables(VariableBounds &bounds, const std::vector<Halide::Internal::ReductionVariable> &rvars);

/// [min, min + extent - 1] of each dimension of a buffer; none for a scalar.
SymbolicRegion whole_buffer(const Halide::Parameter &buffer);

/// Are both bounded, and provably the same?
bool same_interval(const Halide::Internal::Interval &a, const Halide::Internal::Interval &b);

/// Is an end of the interval a minimum or maximum of others?
bool has_extremes(const Halide::Internal::Interval &interval);

bool is_bounded(const SymbolicRegion &region);

/// The position of a point in the order of a reduction (innermost variable fastest), counted from 0; `at`
/// gives the point, by variable.
Halide::Expr position(const std::vector<Halide::Internal::ReductionVariable> &rvars,
                      const std::function<Halide::Expr(const std::string &)> &at);

/// {min, extent} of each dimension; every dimension is bounded.
Halide::Region as_min_extent(const SymbolicRegion &region);

/// The region of every Func in `order` (producers first) that the outputs, over `output_regions`, read, and
/// what its own scans touch. Inputs' Funcs included.
std::map<std::string, SymbolicRegion>
needed_regions(const std::vector<Halide::Internal::Function> &order,
               const std::map<std::string, SymbolicRegion> &output_regions);

/// An index of those that others of `order` read f at which has no bounds in their `regions`, as it is
/// written there; undefined where each by itself has.
Halide::Expr index_without_bounds(const std::vector<Halide::Internal::Function> &order,
                                  const std::map<std::string, SymbolicRegion> &regions,
                                  const Halide::Internal::Function &f);

/// A Func whose region is the larger of several, as of the output's and of a sum over an input, is taken to
/// be needed over all of the input that it reads at its own index: what it is asked for lies within, or the
/// forward would fail. The backward then has one region to ask about.
void widen_to_inputs(const std::vector<Halide::Internal::Function> &order,
                     std::map<std::string, SymbolicRegion> &regions);

}  // namespace eutectic
