#pragma once

// The generators name_forward, name_backward, name_gradient, name_tangent, name_hvp and name_batched,
// made from the
// generator `name` (register.h).

#include "autodiff/differentiate.h"

#include <Halide.h>

#include <memory>
#include <string>
#include <vector>

namespace eutectic {

/// Which of the six: either half of a pair, both passes in one pipeline, values with tangents, gradients with
/// their tangents, or the pipeline itself, of a batch.
enum class GradientPart { forward, backward, joint, tangent, hvp, batched };

/// Makes the generator, which creates the one that it wraps through `inner`, not through Halide's registry
/// (whose lock is held while a factory runs). Beside the wrapped generator's parameters it has
///     gradient_wrt=a,b       names of the inputs to differentiate with respect to, buffers or scalars;
///     default: every floating-point buffer that is not marked as data (not_differentiable.h) gradient_of=a,b
///     names of the outputs that have an upstream gradient; default: every floating-point output
///     residual_report=PATH   writes residual_json() of what is kept differentiation_time=PATH  writes how
///     many seconds differentiate() took, for measurements: nothing else depends on the clock
///     residual_header=PATH   writes the contract of the pair NAME, PATH ends in NAME_residuals.h
///     (contract/header.h) residual_comment=PATH  writes what the headers of both functions should say of it,
///     for the pair NAME, PATH ends in
///                            NAME_forward.h.txt or NAME_backward.h.txt
///     backward_interface=PATH   of the backward, whose function is then NAME_backward_kernel: writes
///     NAME_backward.h, which PATH ends in, and NAME_backward.cpp beside it, the function that callers call
///     (contract/reordered.h)
///     pair_report=PATH       writes the report of the pair NAME, PATH ends in NAME.report.json
///     (contract/json.h); pair_files=A,B   what it says of the files that hold the code
///     budget=BYTES           of residuals and temporaries, as 65536, 64KiB or 1.5MiB
///     (residuals/choice/budget.h); default: none, whatever is fastest residuals_policy=P     cost (the
///     default), save-all or recompute-all: the naive extremes, to compare with accumulate=true        of a
///     pair: gradients are added to what their buffers hold. The kernel of the backward takes these again, as
///     given_d_<input>, after the residuals; functions in the callers' order do not value_ranges=a:0.1:10
///     ranges of inputs' elements, NAME:LEAST:LARGEST separated by commas: what they allow to compute back
///     (residuals/inverse.h) batched=N, batched_over=A,B   for N examples, of each of which the inputs A and
///     B are (batch.h); of name_batched by default 8 of every buffer transforms=batch,differentiate (the
///     default) or differentiate,batch: in which order. The second makes gradients for each example (of
///     _gradient, _tangent and _hvp)
/// Give both generators the same ones, and the same target and parallelism: what the backward reads is what
/// the forward keeps. Arguments of the forward: the inputs; the outputs, then the residuals. Of the backward:
/// the inputs and outputs of the forward, the upstream gradients d_<output>, whatever of those it reads (the
/// rest may be null), the residuals; the gradients d_<input>. (Halide has outputs last: backward_interface
/// puts a function before it that has residuals last, as callers pass them.) Of both in one: the inputs, the
/// upstream gradients; the outputs, the gradients. That one keeps nothing between two calls, and refuses what
/// says how (budget, residuals_policy, value_ranges, residual_*, pair_*), as do the other two. Of values with
/// tangents (tangents.h): the inputs, t_<input>; the outputs, t_<output>. Of gradients with theirs: the
/// inputs, the upstream gradients, t_<input>; the outputs, the gradients, and t_d_<input>: the product of the
/// second derivatives of sum(d_<output> <output>) with t. An error a user can cause is a UserError or a
/// Halide::Error.
std::unique_ptr<Halide::Internal::AbstractGenerator>
make_gradient_generator(const std::string &name, GradientPart part, const Halide::GeneratorContext &context,
                        const Halide::Internal::GeneratorFactory &inner,
                        const RuleList &rules = default_rules());

/// The problem that a generator poses, once its parameters are set: builds its pipeline.
DifferentiationProblem problem_of(Halide::Internal::AbstractGenerator &generator);

}  // namespace eutectic
