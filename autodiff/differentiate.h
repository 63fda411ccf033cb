#pragma once

// Reverse-mode differentiation of a forward pipeline into a forward that also writes residuals and a backward
// that reads them.
//
//     forward:   inputs -> outputs, residuals
//     backward:  some of the inputs, some of the outputs, residuals, d_<output> -> d_<input>
//
// The backward calls no forward Func: what it needs of the forward is passed in, or is recomputed from what
// is passed in, by cost or under a budget (residuals/choose.h). Its Funcs are in gather form: pure
// expressions and sums over reduction domains whose accesses are affine, with guards only where the regions
// leave a doubt; every gradient d_<input> is a pure Func.
//
// Conventions: an input's gradient covers the part of the input that the forward reads, and is zero
// elsewhere, or the call fails at run time with Halide's own bounds error; upstream gradients have the
// extents of the outputs. Kinks: see README.md.

#include "autodiff/bounds.h"
#include "autodiff/residuals/choice/options.h"
#include "autodiff/residuals/choice/residual.h"
#include "autodiff/rules/rule_list.h"

#include <Halide.h>

#include <map>
#include <string>
#include <vector>

namespace eutectic {

struct NamedOutput {
    std::string name;
    Halide::Func func;
};

/// The name of one element of an output: <name>_0, <name>_1, … of a tuple-valued one.
std::string output_name(const NamedOutput &output, int element);

/// The Funcs of outputs.
std::vector<Halide::Internal::Function> functions_of(const std::vector<NamedOutput> &outputs);

struct DifferentiationProblem;

/// What the upstream gradient of an output, or of an element of one, is called: d_<name>, or, where an input
/// has that name (of a gradient's own gradient), d_<name>_2 and so on.
std::string upstream_name(const DifferentiationProblem &problem, const std::string &output);

struct DifferentiationProblem {
    /// In the order of the forward's arguments; scalars too.
    std::vector<Halide::Parameter> inputs;
    /// Those of a floating-point type get an upstream gradient d_<name>. The elements of a tuple-valued one
    /// are <name>_0, <name>_1, …
    std::vector<NamedOutput> outputs;
    /// Names of inputs of a floating-point type, buffers or scalars; empty: every such buffer that is not
    /// marked as data (not_differentiable.h).
    std::vector<std::string> wrt;
    /// Names of those outputs that are differentiated; empty: every one of a floating-point type. The others
    /// have no upstream gradient.
    std::vector<std::string> of;
    const RuleList *rules = nullptr;  // null: default_rules()
    ResidualOptions residuals;
    /// Forward and backward in one pipeline: nothing is kept, the gradients read the forward's own Funcs
    /// (joint.h), and `residuals` says nothing.
    bool joint = false;
    /// Of a backward: gradients are added to what their buffers hold.
    bool accumulate = false;
    /// The forward's values are computed just as they are written, as strict numerics want them
    /// (stable_softmax.h).
    bool as_written = false;
    /// Of tangents_of(): what is 0 everywhere is 0, instead of being refused as a mistake. Second derivatives
    /// of what is linear are.
    bool zeros = false;
};

/// A tensor that goes from the forward to the backward.
struct ResidualTensor {
    Residual info;
    Halide::Func forward;         // an additional output of the forward
    Halide::ImageParam backward;  // an input of the backward
    SymbolicRegion region;        // its shape, in terms of the inputs and of the upstream gradients
};

struct Differentiated {
    std::vector<ResidualTensor> residuals;
    /// The backward's arguments, in this order.
    std::vector<Halide::Parameter> inputs;    // those of the forward's that it needs, for values or extents
    std::vector<Halide::ImageParam> outputs;  // those of the forward's that it needs
    /* then the residuals */
    std::vector<Halide::ImageParam> upstream;  // d_<output>
    /// What the buffers of the gradients hold: none, unless they are added to it (accumulate.h).
    std::vector<Halide::ImageParam> given;
    /// What the backward reads of the forward without a residual, and why; and the larger peak of
    /// temporaries, estimated.
    std::vector<Residual> without_residual;
    std::int64_t temporary_bytes = 0;
    /// d_<input>, in the order of `wrt` (of the inputs, when that was empty).
    std::vector<NamedOutput> gradients;
    /// What each output reads of each input: by the output's name (of a tuple-valued one, its element's) and
    /// the input's, in terms of the sizes of d_<output>, which an output has here without an upstream
    /// gradient, too.
    std::map<std::string, std::map<std::string, SymbolicRegion>> read;
};

/// Differentiates. The forward Funcs are changed only in that consumers of a saved Func read the residual
/// instead, and those of a scalar in `wrt` a Func of it; a schedule that a saved Func has already is not
/// carried over. Estimates are set on every new Func and parameter as far as the forward's own tell.
/// UserError: a name in `wrt` that is no floating-point input, an input that no output depends on, or a Func
/// that has no gradient.
Differentiated differentiate(const DifferentiationProblem &problem);

}  // namespace eutectic
