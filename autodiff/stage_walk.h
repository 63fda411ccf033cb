#pragma once

// How stages.h works; its own sources include this.

#include "autodiff/bounds.h"
#include "autodiff/expr_tools.h"
#include "autodiff/tape.h"
#include "autodiff/updates.h"

#include <Halide.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace eutectic {

/// One forward Func, reversed from its last update to its pure definition. What stands in for its versions is
/// gone with it.
class StageWalk {
public:
    StageWalk(Tape &tape, const Halide::Internal::Function &f, std::vector<Halide::Func> adjoints);
    ~StageWalk();
    StageWalk(const StageWalk &) = delete;
    StageWalk &operator=(const StageWalk &) = delete;
    void run();

private:
    using Function = Halide::Internal::Function;
    using Call = Halide::Internal::Call;
    using Expr = Halide::Expr;
    using Read = std::function<Expr(int element, const std::vector<Expr> &args)>;

    Function stand_in(const std::string &name, const std::vector<std::string> &vars,
                      const SymbolicRegion &region, const std::vector<Halide::Type> &types, const Read &read);
    Expr value_of_version(size_t stage, int element, const std::vector<Expr> &args);
    Halide::Func replay(size_t last);
    Expr in_backward(
        const Expr &e, const VariableBounds &bounds,
        const std::function<Expr(const Call *)> &self = [](const Call *) { return Expr(); });
    void differentiate(const Halide::Func &f, size_t element, const Halide::Func &adjoint,
                       const SymbolicRegion &region);
    Expr partial(const Expr &value, const Function &read, int element, const std::vector<std::string> &vars,
                 const SymbolicRegion &region);

    void reverse_linear(size_t stage);
    void reverse_scatter(size_t stage);

    void reverse_reduction(size_t stage);
    Halide::Func history_of(size_t stage, const UpdateStep &step);
    Halide::Func adjoints_of_steps(const UpdateStep &step, const std::vector<Expr> &values,
                                   const Function &previous);

    struct Scan;
    void reverse_scan(size_t stage);
    Function seen_by(const Scan &scan, size_t j, size_t stage);
    Expr through(const Scan &scan, size_t j, const std::map<std::string, Expr> &r, const Expr &exists);
    void define_scan_adjoint(Scan &scan);
    void add_before_scan(const Scan &scan, size_t stage);

    /// The elements of f that have adjoints: the floating-point ones.
    std::vector<int> float_elements() const;
    /// What `read` says of their adjoints; zero where there is none.
    std::vector<Expr> adjoints_or_zero(const std::function<Expr(const Halide::Func &)> &read) const;
    /// b of stages.h at `args`, for one of float_elements() by its place among them.
    Expr adjoint_at(const Halide::Func &b, const std::vector<Expr> &args, size_t place) const;
    /// Differentiates all elements' values over all steps, whose adjoints are b at `at`.
    void differentiate_steps(const UpdateStep &step, const std::vector<Expr> &values, const Halide::Func &b,
                             const std::vector<Expr> &at);
    /// The steps' variables, and where they are: those of f that are pure in the update, then the domain's.
    SymbolicRegion step_region(const UpdateStep &step) const;
    std::vector<std::string> step_vars(const UpdateStep &step) const;
    static std::vector<Halide::Var> variables(const std::vector<std::string> &names);
    static std::vector<Expr> expressions(const std::vector<std::string> &names);

    Tape &tape_;
    const Function f_;
    std::vector<Halide::Func> adjoints_;  // of the version at hand, by element
    const IsActive is_active_;
    VariableBounds bounds_;  // of f's variables
    std::vector<Function> versions_;
    std::map<size_t, Halide::Func> replays_;
    std::vector<std::string> stand_ins_;
};

/// A new domain over `rvars` that is walked from the last point to the first: the points, by variable, of its
/// reduction variables.
std::map<std::string, Halide::Expr> reversed(const std::vector<Halide::Internal::ReductionVariable> &rvars);

}  // namespace eutectic
