#pragma once

// Which forward values the backward gets, and how. For each value that the backward reads, in forward order:
//   an output of the forward      the caller has it anyway: passed again under its own name;
//   cheap to compute again        a pure expression without reductions and transcendental functions, of inputs and of values that are
//                                 at hand for another reason: written out in the backward;
//   anything else                 saved in full as residual_<name>.
// A made residual (mask, argmax, lse) is kept unless what it stands for is at hand. Nothing that is kept is computed again.

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
    std::string kind;               // output (of the forward itself), saved, mask, argmax, lse
    Halide::Internal::Function of;  // output, saved: the forward Func; value_index its element
    int value_index = 0;
    MadeResidual made;  // mask, argmax, lse
    Halide::Type type;
    SymbolicRegion region;
    Halide::Func func;         // of the forward, not defined yet; undefined for an output
    Halide::ImageParam param;  // of the backward
};

/// Decides, and rewrites the backward Funcs reachable from `gradients` so that they read what was decided. `order` is the forward,
/// `outputs` its outputs' Funcs -> the names that their caller knows, `taken` the names that no residual may have.
std::vector<KeptTensor> choose_and_bind(Tape &tape, const std::vector<Halide::Func> &gradients,
                                        const std::vector<Halide::Internal::Function> &order,
                                        const std::map<Element, std::string> &outputs, const std::set<std::string> &taken);

}  // namespace eutectic
