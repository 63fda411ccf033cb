#pragma once

// A loaded pipeline becomes a forward and a backward, or one with tangents, each as if it had been loaded.

#include <optional>
#include <string>
#include <vector>

#include "autodiff/contract/contract.h"
#include "autodiff/residuals/choice/residual.h"
#include "autodiff/rules/rule.h"
#include "schedules/hlpipe/load.h"

namespace eutectic {

/** What is differentiated by what, by the names that callers know. */
struct GradientOptions {
    std::vector<std::string> wrt;                  ///< inputs; empty: every buffer of a floating-point type
    std::vector<std::string> of;                   ///< outputs; empty: the only one
    std::optional<Bytes> budget;                   ///< of what is kept plus the larger peak of temporaries
    bool accumulate = false;                       ///< are gradients added to what their buffers hold?
    std::optional<RuleList> rules = std::nullopt;  ///< in place of the default ones
    bool as_written = false;                       ///< the forward, whose values strict numerics want so
};

/** What callers know a buffer of the pipeline by. */
std::string callers_name(const LoadedPipeline &loaded, const std::string &name);

/** Its inputs and outputs, by the names that callers know; nothing is asked for yet. */
DifferentiationProblem problem_of(const LoadedPipeline &loaded);

/** What callers hand over for a buffer. */
Halide::Argument buffer_argument(const Halide::Parameter &p);

/** Names of a pipeline's outputs, in its order; a tuple-valued one counts once. */
std::vector<std::string> output_names(const LoadedPipeline &loaded);

/** Throws UserError, in a sentence about `subject`, for names that are no inputs or outputs, or have no
 * gradient. */
void check_options(const GradientOptions &options, const LoadedPipeline &loaded, const std::string &subject);

struct Pair {
    Contract contract;
    ResidualReport residuals;
    LoadedPipeline forward;   ///< its outputs, then what it keeps
    LoadedPipeline backward;  ///< takes what it needs of the forward's arguments, what is kept, and d_OUTPUT;
                              ///< gives d_INPUT
};

/** Differentiates a pipeline, whose Funcs become the forward's. The two share Funcs that read inputs:
 * schedule one, compile it, strip() the other. `options` have been checked. Throws UserError for what has no
 * gradient. */
Pair make_pair_of(const LoadedPipeline &loaded, const GradientOptions &options);

/** Values with tangents of a pipeline (autodiff/tangents.h), or, `of_gradients`, those with gradients and
 * their tangents: Hessian-vector products. Takes the inputs, the upstream gradients d_OUTPUT of the latter,
 * and t_INPUT; gives the outputs, then t_OUTPUT, or d_INPUT and t_d_INPUT. Otherwise as make_pair_of(). */
LoadedPipeline make_tangents_of(const LoadedPipeline &loaded, const GradientOptions &options,
                                bool of_gradients);

}  // namespace eutectic
