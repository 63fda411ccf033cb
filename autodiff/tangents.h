#pragma once

// Forward-mode differentiation of a pipeline: values and their tangents in one pipeline.
//
//     inputs, t_<input>  ->  outputs, t_<output>
//
// t_<output> is the derivative of the output along the direction t_<input>, of all inputs asked for together:
// the product of the Jacobian and a vector. A Func that is pure, or a sum, gets a Func of its tangents beside
// it, one for each product of a factor with the tangent of another, so that each is planned as the products
// of the forward are. Any other update computes its values and tangents together, as a Tuple: its tangents
// need the values of the moment.

#include "autodiff/differentiate.h"

#include <Halide.h>

#include <vector>

namespace eutectic {

struct Tangents {
    std::vector<Halide::ImageParam> inputs;  ///< t_<input>, as `wrt` says; of a scalar, without dimensions
    /// The problem's outputs, which may be new Funcs, of the same types and sizes.
    std::vector<NamedOutput> values;
    std::vector<NamedOutput> tangents;  ///< t_<output>, as `of` says; of each floating-point element
};

/// Differentiates forwards. `residuals` and `joint` of the problem say nothing. The problem's Funcs are
/// changed: what reads a Func whose values are computed with tangents reads that. Throws UserError as
/// differentiate() does, but for updates that have no way back.
Tangents tangents_of(const DifferentiationProblem &problem);

/// The problem whose tangents are those of the gradients that differentiate() made of `problem`, which is
/// joint: Hessian-vector products, forward over reverse. Its outputs are the problem's, then the gradients.
DifferentiationProblem tangents_of_gradients(const DifferentiationProblem &problem,
                                             const Differentiated &gradients);

}  // namespace eutectic
