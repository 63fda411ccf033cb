#pragma once

// Regenerates what propagate_adjoints made for one load as a clean definition. Before, for a matrix product's
// left operand:
//     d(j, i) += select(0 <= j && j + 1 <= K, mm_d_def(r, i) * w(r, max(min(K - 1, j), 0)), 0)
// after, where the region of d is known to be 0 <= j < K:
//     d(j, i) += d_mm(r, i) * w(r, j)

#include "autodiff/bounds.h"

#include <Halide.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace eutectic {

/// One load's part of an adjoint: value, summed over rvars (none: a pure expression) at the points where
/// predicate holds.
struct Contribution {
    std::vector<std::string> vars;
    Halide::Expr value;
    std::vector<Halide::Internal::ReductionVariable> rvars;
    std::vector<Halide::Expr> predicate;
};

/// Maps a call of a leaf or of an adjoint to what the backward reads there, given the bounds of the free
/// variables; undefined for any other call.
using Resolve = std::function<Halide::Expr(const Halide::Internal::Call *, const VariableBounds &)>;

/// The contribution of a leaf whose adjoint is `raw` over the region `target`. Pure Funcs in between are
/// substituted, `likely` goes, guards and clamps go where they are provable within `target`, reduction
/// domains get simplified bounds. What has another form (a scatter, a scan) stays a Func of its own, with the
/// calls resolved in place.
Contribution tidy(const Halide::Func &raw, const std::vector<std::string> &vars, const SymbolicRegion &target,
                  const Resolve &resolve);

/// The same clean-up of an expression whose free variables have the given bounds.
Halide::Expr tidy_expr(const Halide::Expr &e, const VariableBounds &bounds, const Resolve &resolve);

/// Where a sum goes that has one index in some dimensions, whatever the point of its domain: w(1) of `y(i) =
/// w(1) * x(i)`.
struct OneElement {
    std::vector<std::string> others;  ///< the variables of the other dimensions
    Halide::Expr condition;           ///< that the index of the first ones is that one
};

/// Of what is added to the elements `where` at the points of `rvars`; nothing if an index, other than a
/// variable of `vars` at its own place, depends on the point.
std::optional<OneElement> at_one_element(const std::vector<std::string> &vars,
                                         const std::vector<Halide::Expr> &where,
                                         const std::vector<Halide::Internal::ReductionVariable> &rvars);

/// The contribution of such a sum: a Func of the other dimensions, which may run in any order and in
/// parallel, where a scatter to one element would be one addition after the other.
Contribution total_at(const std::string &name, const std::vector<std::string> &vars, const OneElement &one,
                      const Contribution &sum);

/// The Func of a definition: a pure one, or 0 and one update.
Halide::Func define_func(const std::string &name, const Contribution &definition);

}  // namespace eutectic
