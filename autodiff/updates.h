#pragma once

// How a Func's update definitions can be reversed.

#include "autodiff/expr_tools.h"
#include "autodiff/supported.h"

#include <Halide.h>

#include <string>
#include <vector>

namespace eutectic {

enum class UpdateKind {
    /// Linear in the value that it replaces (a sum, a scale, a replacement of each point once), and in each
    /// element of a
    /// tuple by itself: propagate_adjoints reverses it.
    linear,
    /// A sum into points that data or several reduction variables decide: a scatter-add, a histogram. What
    /// was there stays.
    scatter,
    /// At the pure variables' point, in any way of the earlier values there: a product, an extreme, an online
    /// tuple reduction.
    reduction,
    /// Each point once, from values at constant distances: a prefix sum or product, a recurrence, a
    /// cumulative tuple.
    scan,
};

/// One update of all elements of f, with plain variables in place of reduction variables and no predicate
/// (without_predicate()), its own values read at constant distances where possible (clamped_reads.h).
struct UpdateStep {
    std::vector<Halide::Expr> args;
    std::vector<Halide::Expr> values;                        // by element
    std::vector<Halide::Internal::ReductionVariable> rvars;  // their names are those of the plain variables
};
UpdateStep step_of(const Halide::Internal::Function &f, size_t stage);

/// Is args[d] f's own pure variable there?
bool is_pure_argument(const Halide::Internal::Function &f, const std::vector<Halide::Expr> &args, size_t d);

/// A dimension of f as a scan's step writes it: sign * rvars[variable] + offset, or just offset where
/// variable is -1.
struct ScanDim {
    bool is_pure = false;  // the pure variable itself; nothing else is set
    int variable = -1, sign = 1;
    Halide::Expr offset;
};
/// The dimensions of a scan; empty when `step` has another form.
std::vector<ScanDim> scan_dims(const Halide::Internal::Function &f, const UpdateStep &step);

/// One read of f's earlier values: of `element` at the step's own point plus `distance`, 0 in pure
/// dimensions.
struct SelfRead {
    int element = 0;
    std::vector<Halide::Expr> args;
    std::vector<int> distance;
    /// The point that is read was written earlier in the same scan, if its step is in the domain at all.
    bool is_written = false;
};
/// The distinct reads of f in `step`. UserError where a distance is not constant.
std::vector<SelfRead> self_reads(const Halide::Internal::Function &f, const UpdateStep &step,
                                 const std::vector<ScanDim> &dims);

/// What the step adds to f's `element` at its point; undefined where it is no sum of just that and something
/// without f.
Halide::Expr added_by(const Halide::Internal::Function &f, int element, const UpdateStep &step);
/// The same of an update f(args) = value of f's `element`.
Halide::Expr added_by(const Halide::Internal::Function &f, int element, const std::vector<Halide::Expr> &args,
                      const Halide::Expr &value);

/// The kind of update number `stage` (1 is the first). `is_active` says whether the gradient passes through a
/// Func. UserError when there is no way to reverse it.
UpdateKind kind_of_update(const Halide::Internal::Function &f, size_t stage, const IsActive &is_active);

/// Are all updates of f linear?
bool is_linear(const Halide::Internal::Function &f, const IsActive &is_active);

}  // namespace eutectic
