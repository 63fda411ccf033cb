#pragma once

// A segment is one forward Func cut loose: a copy whose loads read leaves. A leaf is a Func without a real
// definition
// (`undef`), at which propagate_adjoints stops; its adjoint is what this one load contributes to the gradient
// of the Func that it loads.

#include "autodiff/rules/rule.h"

#include <Halide.h>

#include <string>
#include <vector>

namespace eutectic {

/// One distinct load of a segment: loads of the same Func at the same arguments share a leaf, others never
/// do, so that each contribution has one shape.
struct LeafLoad {
    Halide::Internal::Function callee;
    int value_index = 0;
    std::vector<Halide::Expr> args;
    Halide::Func leaf;    // of wide_type()
    Halide::Func frozen;  // the same value, whose derivative is not asked for (derivable.h)
    /// False, and the leaf is read at args: sums of single variables and constants, with no variable in two
    /// of them. What else there is, as x(i, i), x(2 * i), x(i % 4, i / 4), x(clamp(i, 0, 9)), x(k(i)), Halide
    /// inverts argument by argument, which is wrong without a word or ends its process. The leaf is then read
    /// at `points`, the variables in args, one element for each point of the loop, and its adjoint is
    /// scattered to args.
    bool at_points = false;
    std::vector<Halide::Expr> points;
    std::vector<Halide::Internal::ReductionVariable>
        point_rvars;  // those of points that are reduction variables
};

/// An expression of frozen leaves that a segment reads through a leaf of its own, at the variables in it.
struct FrozenValue {
    Halide::Func leaf;
    std::vector<Halide::Expr> points;
    Halide::Expr value;
};

struct Segment {
    Halide::Func func;  // the copy, of wide_type()
    std::vector<LeafLoad> loads;
    std::vector<FrozenValue> values;
};

/// The type of leaves and segments for values of `type`: 32 bits for floating-point numbers of 16, at whose
/// sums Halide (21) gives up (of bfloat16), and which adjoints are not to be rounded to (wide_adjoints.h).
Halide::Type wide_type(const Halide::Type &type);

/// A Func of `vars.size()` dimensions whose definition is undef(type).
Halide::Func make_leaf(const std::string &name, const std::vector<std::string> &vars,
                       const Halide::Type &type);

/// Variable names for the dimensions of an adjoint of f: f's own, or d0, d1, … where f's are the implicit
/// ones of an input.
std::vector<std::string> adjoint_vars(const Halide::Internal::Function &f);

/// Copies one element of f (no extern definition) with a leaf for each load, its expressions made derivable,
/// with `rules` for calls. The element's updates read no other element. A predicate that mentions a pure
/// variable, at which Halide gives up, becomes a select in the update's value.
Segment cut(const Halide::Internal::Function &f, const RuleList &rules, int element = 0);

}  // namespace eutectic
