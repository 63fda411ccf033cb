#pragma once

// A segment is one forward Func cut loose: a copy whose loads read leaves. A leaf is a Func without a real definition
// (`undef`), at which propagate_adjoints stops; its adjoint is what this one load contributes to the gradient of the Func that it
// loads.

#include <Halide.h>

#include <string>
#include <vector>

namespace eutectic {

/// One distinct load of a segment: loads of the same Func at the same arguments share a leaf, others never do, so that each
/// contribution has one shape.
struct LeafLoad {
    Halide::Internal::Function callee;
    int value_index = 0;
    std::vector<Halide::Expr> args;
    Halide::Func leaf;
    /// Empty, and the leaf is read at args; except where a variable stands in more than one of them, as in x(i, i) or x(i % 4, i / 4).
    /// Halide inverts each argument by itself and would be wrong there without a word. The leaf is then read at these variables, one
    /// element for each point of the loop, and its adjoint is scattered to args.
    std::vector<Halide::Expr> points;
    std::vector<Halide::Internal::ReductionVariable> point_rvars;  // those of points that are reduction variables
};

struct Segment {
    Halide::Func func;  // the copy
    std::vector<LeafLoad> loads;
};

/// A Func of `vars.size()` dimensions whose definition is undef(type).
Halide::Func make_leaf(const std::string &name, const std::vector<std::string> &vars, const Halide::Type &type);

/// Variable names for the dimensions of an adjoint of f: f's own, or d0, d1, … where f's are the implicit ones of an input.
std::vector<std::string> adjoint_vars(const Halide::Internal::Function &f);

/// Copies f (one value, no extern definition) with a leaf for each load. Halide's tanh is rewritten through exp in the copy:
/// its derivative there would be 1 / cosh^2, two calls of the C library per element.
Segment cut(const Halide::Internal::Function &f);

}  // namespace eutectic
