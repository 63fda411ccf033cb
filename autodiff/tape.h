#pragma once

// The reverse walk over the forward Funcs. Each Func's adjoint is the sum of the contributions of its
// consumers; a rule, or propagate_adjoints over the Func's own segment, turns it into contributions to the
// Funcs that it reads.
//
// What comes out reads forward values through placeholders. residuals/choose.h decides what stands behind
// each.
//
// An adjoint belongs to one element of a Func: (name, 0) unless the Func is tuple-valued.

#include "autodiff/activity.h"
#include "autodiff/bounds.h"
#include "autodiff/leaf.h"
#include "autodiff/rules/rule.h"
#include "autodiff/tidy.h"
#include "autodiff/wide_adjoints.h"

#include <Halide.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace eutectic {

/// A forward value that the backward reads: a Func without a definition until it is bound.
struct Placeholder {
    Halide::Func func;
    Halide::Internal::Function of;  // the forward Func, for a plain value
    int value_index = 0;
    bool is_made = false;
    MadeResidual made;  // for a made residual
};

/// A Func's name and the element of its tuple.
using Element = std::pair<std::string, int>;

class Tape {
public:
    /// `order`: every forward Func, producers first. `regions`: of every Func (needed_regions). `upstream`:
    /// the gradient of each differentiable output, by the output's Func. `wrt`: the names of the Funcs of the
    /// inputs asked for, `outputs`: of all outputs.
    Tape(std::vector<Halide::Internal::Function> order, std::map<std::string, SymbolicRegion> regions,
         std::map<Element, Halide::Func> upstream, std::set<std::string> wrt,
         const std::set<std::string> &outputs, const RuleList &rules);

    /// Walks once. UserError names the Func that has no gradient, and why.
    void run();

    /// The gradient of an input asked for: a pure Func d_<input>; undefined when no output depends on it.
    Halide::Func gradient(const std::string &input_func);
    /// Where that gradient is right: the region of the input that the forward reads, or what a rule said
    /// instead.
    const SymbolicRegion &gradient_region(const std::string &input_func) const;

    const std::map<std::string, Placeholder> &placeholders() const {
        return placeholders_;
    }
    /// Their names in the order in which they were asked for: backwards through the forward.
    const std::vector<std::string> &placeholder_order() const {
        return placeholder_order_;
    }
    const SymbolicRegion &region(const Halide::Internal::Function &f) const;
    /// False for what no differentiated output needs.
    bool has_region(const Halide::Internal::Function &f) const;
    /// The values of `of` are read as those of the output `copy`, which is the same at each point, instead of
    /// being kept beside it.
    void read_as(const Element &of, const Halide::Internal::Function &copy) {
        copies_[of] = copy;
    }
    /// The backward's view of a forward value: an input is read again, anything else through a placeholder.
    Halide::Expr value(const Halide::Internal::Function &g, int value_index,
                       const std::vector<Halide::Expr> &args);

private:
    friend class TapeSite;
    friend class StageWalk;

    void check_bounded(const Halide::Internal::Function &f) const;
    void add_placeholder(const Placeholder &placeholder);
    std::vector<Halide::Func> adjoints_of(const Halide::Internal::Function &f);
    Halide::Func adjoint_of(const Halide::Internal::Function &f, int element);
    Halide::Func sum_up(const Halide::Internal::Function &f, const Halide::Type &type,
                        const std::vector<Contribution> &parts, bool pure_result);
    void differentiate(const Halide::Internal::Function &f, const std::vector<Halide::Func> &adjoints,
                       const SymbolicRegion &region);
    void propagate(const Halide::Internal::Function &f, int element, const Halide::Func &adjoint,
                   const SymbolicRegion &region);
    void add_load(const LeafLoad &load, const Halide::Func &raw, const Resolve &resolve,
                  const VariableBounds &bounds);
    Contribution scattered(const LeafLoad &load, const Halide::Func &raw, const Resolve &resolve,
                           const VariableBounds &bounds);
    Halide::Expr guarded(const Halide::Func &adjoint, const SymbolicRegion &region,
                         const std::vector<Halide::Expr> &args, const VariableBounds &bounds) const;
    Halide::Expr value_within(const Halide::Internal::Function &g, int value_index,
                              const std::vector<Halide::Expr> &args, const VariableBounds &bounds);
    Halide::Expr leaf_value(const Segment &segment, const Halide::Internal::Call *call,
                            const VariableBounds &bounds);
    Resolve resolver(const Segment &segment, const std::string &adjoint_name, const Halide::Func &adjoint,
                     const SymbolicRegion &region);
    bool is_active(const std::string &name) const {
        return activity_.is_active(name);
    }
    bool is_active(const Halide::Internal::Function &f, int element) const {
        return activity_.is_active(f, element);
    }

    std::vector<Halide::Internal::Function> order_;
    std::map<std::string, SymbolicRegion> regions_;
    std::map<Element, Halide::Func> upstream_;
    std::set<std::string> wrt_;
    Activity activity_;
    const RuleList &rules_;
    std::map<Element, std::vector<Contribution>> parts_;
    // Forward Funcs that stand for a value in the middle of another (stages.h), by name: what the backward
    // reads of their elements.
    std::map<std::string, std::function<Halide::Expr(int element, const std::vector<Halide::Expr> &args)>>
        stand_ins_;
    std::map<std::string, Placeholder> placeholders_;  // by the placeholder Func's name
    std::vector<std::string> placeholder_order_;
    std::map<std::pair<std::string, int>, std::string> value_placeholder_;
    std::map<Element, Halide::Internal::Function> copies_;
    WideAdjoints wide_;
    std::map<std::string, Halide::Func> gradients_;
    std::map<std::string, SymbolicRegion> within_;  // regions that rules gave, by the input's Func
    std::set<std::string>
        finished_;  // Funcs of the backward that rules defined: clean, and not to be looked into again
};

}  // namespace eutectic
