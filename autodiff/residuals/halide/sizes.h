#pragma once

// How large, how much work and how long alive: what the residual graph says of a pipeline's Funcs, at the
// estimates.

#include "autodiff/expr_tools.h"
#include "autodiff/residuals/choice/rates.h"
#include "autodiff/residuals/halide/build.h"

#include <Halide.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace eutectic {

class Sizes {
public:
    Sizes(const ResidualProblem &problem, const std::vector<Halide::Internal::Function> &backward);

    double points(const SymbolicRegion &region) const;
    Bytes bytes(const SymbolicRegion &region, const Halide::Type &type) const;
    Bytes bytes(const Halide::Internal::Function &f, int element) const;

    /// All definitions of a forward Func over the region that the forward needs. `tensor` is left 0.
    Work work(const Halide::Internal::Function &f) const;
    /// By the name of a forward Func: where the forward has it, as far as that is known before it is planned.
    /// `all`: bytes that could be kept.
    std::map<std::string, ForwardPlace> forward_places(Bytes all) const;
    /// Of a made residual: `f` over `region`, and the Funcs of its own.
    Work work_of_made(const Halide::Func &f, const SymbolicRegion &region) const;
    /// What a made residual reads of the forward, through the Funcs of its own.
    std::set<Element> forward_loads(const Halide::Func &made) const;

    /// What buffers in tiles may take of a Func that is written out in its readers' loops: a row for each of
    /// the machine's cores, where it is read several times over; none where it is read once, in place.
    Bytes in_tiles(const Halide::Internal::Function &f, const SymbolicRegion &region, double evaluated) const;
    Bytes in_tiles(const Halide::Internal::Function &f, double evaluated) const;

    /// How often an element of f is read: by the backward in all, or by one reader in the forward if that is
    /// more. What a definition reads twice at the same place counts once.
    Evaluations evaluations(const Halide::Internal::Function &f, int element) const;

    /// Fills where values are used and what temporaries there are besides. A Func with updates is taken to be
    /// a tensor, one that more than one Func or an update reads too, or, if it is cheap, to be inlined into
    /// them all, whichever takes more; any other is inlined.
    void add_scratch(BuiltGraph &built) const;

    /// The first Func that has no size; empty: all have.
    const std::string &without_estimate() const {
        return without_estimate_;
    }

private:
    using Function = Halide::Internal::Function;
    SymbolicRegion forward_region(const Function &f) const;  // of what no differentiated output needs: none
    double extent(const Halide::Internal::Interval &interval) const;
    double loop_points(const Function &f, const StageBody &body, const SymbolicRegion &region) const;
    Work work_over(const Function &f, const SymbolicRegion &region) const;
    Bytes tensor_bytes(const Function &f, const SymbolicRegion &region) const;
    int value_read(const BuiltGraph &built, const Halide::Internal::Call *call) const;
    void add_backward_scratch(BuiltGraph &built, bool inlines_shared) const;
    void add_forward_scratch(BuiltGraph &built, bool inlines_shared) const;

    const ResidualProblem &p_;
    const std::vector<Function> &backward_;
    std::set<std::string> forward_;
    mutable std::string without_estimate_;
};

}  // namespace eutectic
