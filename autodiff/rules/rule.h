#pragma once

// A derivative rule takes over where it matches the structure of a forward Func; propagate_adjoints does the
// rest. A rule never looks at names. It says what the Func's adjoint contributes to the Funcs that it reads,
// as expressions of the adjoint and of forward values; which of those values are kept, and how, is decided
// later (residuals/).

#include "autodiff/bounds.h"
#include "autodiff/tidy.h"

#include <Halide.h>

#include <functional>
#include <string>
#include <vector>

namespace eutectic {

/// A tensor that exists only to be kept for the backward: it is computed in the forward by a Func made for
/// it.
struct MadeResidual {
    std::string kind;  // mask, argmax, lse: also its name after "residual_"
    Halide::Type type;
    SymbolicRegion region;
    /// Defines the Func of the forward that computes it.
    std::function<void(Halide::Func)> define;
    /// What the backward reads at `args` of the kept tensor.
    std::function<Halide::Expr(const std::function<Halide::Expr(const std::vector<Halide::Expr> &)> &tensor,
                               const std::vector<Halide::Expr> &args)>
        read;
    /// When this Func's value is at hand in the backward anyway, read_value is used instead, and nothing is
    /// kept.
    Halide::Internal::Function instead_of;
    std::function<Halide::Expr(const Halide::Expr &)> read_value;
};

/// What a rule may ask for and say while the tape stands at one forward Func.
class AdjointSite {
public:
    virtual ~AdjointSite() = default;

    /// The forward Func.
    virtual const Halide::Internal::Function &func() const = 0;
    /// The region of the forward Func that the outputs need.
    virtual const SymbolicRegion &region() const = 0;
    /// The gradient of the result with respect to func() at `args`.
    virtual Halide::Expr adjoint(const std::vector<Halide::Expr> &args) = 0;
    /// Does the gradient of an input that was asked for pass through g?
    virtual bool is_active(const Halide::Internal::Function &g) const = 0;
    /// The value of a forward Func at `args` in the backward.
    virtual Halide::Expr value(const Halide::Internal::Function &g,
                               const std::vector<Halide::Expr> &args) = 0;
    /// e with every forward Func in it read in the backward.
    virtual Halide::Expr values_in(const Halide::Expr &e) = 0;
    /// A made residual, read at `args`.
    virtual Halide::Expr made(const MadeResidual &residual, const Halide::Type &read_type,
                              const std::vector<Halide::Expr> &args) = 0;

    /// Is g an output of the pipeline, with a region that its caller gives?
    virtual bool is_output(const Halide::Internal::Function &g) const = 0;
    /// Adds to g's adjoint. The variables range over g's region, or over `within` where that is given: for an
    /// input whose gradient has no meaning elsewhere.
    virtual void contribute(const Halide::Internal::Function &g, const Contribution &contribution,
                            const SymbolicRegion *within = nullptr) = 0;
    /// A Func of the backward with this definition over `region`.
    virtual Halide::Func define(const std::string &name, const Contribution &definition,
                                const SymbolicRegion &region) = 0;
    /// Goes on through an inner expression of forward Funcs: `inner` over `vars` (within `region`) has the
    /// adjoint `adjoint`.
    virtual void chain(const std::vector<std::string> &vars, const SymbolicRegion &region,
                       const Halide::Expr &inner, const Halide::Expr &adjoint) = 0;
};

/// The derivatives of a call by each of its arguments: expressions of the arguments and of the call's value.
using CallSlopes = std::function<std::vector<Halide::Expr>(const std::vector<Halide::Expr> &args,
                                                           const Halide::Expr &value)>;

/// The derivative rule `name`: of Funcs, or of calls. Either of both functions may be left out.
struct DerivativeRule {
    std::string name;
    /// Says whether it matched, and then has made every contribution of site.func().
    std::function<bool(AdjointSite &site)> apply = nullptr;
    /// Of each call of the function `name`, wherever it stands in an expression; one slope an argument.
    CallSlopes slopes = nullptr;
};

/// In the order in which they are tried; the first that matches counts.
using RuleList = std::vector<DerivativeRule>;

}  // namespace eutectic
