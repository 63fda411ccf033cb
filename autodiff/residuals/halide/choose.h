#pragma once

// Which forward values the backward gets, and how: builds the residual graph (build.h), takes a choice
// (budget.h), and makes the backward so (bind.h).

#include "autodiff/residuals/choice/options.h"
#include "autodiff/residuals/choice/residual.h"
#include "autodiff/tape.h"

#include <Halide.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace eutectic {

/// A tensor that the forward writes and the backward reads.
struct KeptTensor {
    std::string name;
    std::string kind;               // output (of the forward itself), saved, mask, argmax, argmin, lse
    Halide::Internal::Function of;  // output, saved: the forward Func; value_index its element
    int value_index = 0;
    MadeResidual made;  // mask, argmax, argmin, lse
    Halide::Type type;
    SymbolicRegion region;
    Halide::Func func;         // of the forward, not defined yet; undefined for an output
    Halide::ImageParam param;  // of the backward
    Residual info;             // name, kind, seconds, reason and refused are set
};

struct ChosenResiduals {
    std::vector<KeptTensor> kept;
    /// What the backward has without a residual: outputs, and what is made there.
    std::vector<Residual> others;
    Bytes scratch = 0;  // the larger peak of temporaries, estimated
};

/// Decides, and rewrites the backward Funcs reachable from `gradients` so that they read what was decided.
/// `order` is the forward, `outputs` its outputs' Funcs -> the names that their caller knows, `taken` the
/// names that no residual may have, `backward_regions` those of the backward's Funcs. UserError for a budget
/// that cannot be met.
ChosenResiduals choose_and_bind(Tape &tape, const std::vector<Halide::Func> &gradients,
                                const std::vector<Halide::Internal::Function> &order,
                                const std::map<Element, std::string> &outputs,
                                const std::set<std::string> &taken,
                                const std::map<std::string, SymbolicRegion> &backward_regions,
                                const ResidualOptions &options);

}  // namespace eutectic
