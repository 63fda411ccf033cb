#pragma once

// Before the choice: what the backward reads of forward values only through conditions, and what it writes
// out again although the forward has it as a Func.

#include "autodiff/tape.h"

#include <Halide.h>

#include <map>
#include <string>
#include <vector>

namespace eutectic {

/// A condition on forward values at one point, which the backward reads through a placeholder of its own.
struct ForwardCondition {
    Halide::Func func;              // the placeholder, boolean
    std::vector<std::string> vars;  // the point
    Halide::Expr value;             // in terms of vars; forward values by their placeholders
    SymbolicRegion region;
    MadeResidual mask;
};

/// Rewrites the Funcs that `gradients` reach: each largest boolean expression of forward values at one point
/// becomes the read of a ForwardCondition (equal ones share it), by the placeholder's name. A condition of
/// inputs alone is left as it is.
std::map<std::string, ForwardCondition> find_conditions(Tape &tape,
                                                        const std::vector<Halide::Func> &gradients);

/// Rewrites a call of a math function that is just what some pure Func y of `order` computes, exp(a(x)) where
/// y(x) = exp(a(x)), into a read of y: whether y is kept or recomputed is then a choice like any other.
void find_results(Tape &tape, const std::vector<Halide::Func> &gradients,
                  const std::vector<Halide::Internal::Function> &order);

/// Every Func that `gradients` reach apart from inputs and placeholders, producers first: in the order in
/// which Halide computes them.
std::vector<Halide::Internal::Function> backward_funcs(const Tape &tape,
                                                       const std::vector<Halide::Func> &gradients);

/// Rebuilds each expression of f's definitions by `map`, without lets; those that change on a right-hand side
/// get lets for what they share.
void map_definitions(Halide::Internal::Function f,
                     const std::function<Halide::Expr(const Halide::Expr &)> &map);

}  // namespace eutectic
