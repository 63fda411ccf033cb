#pragma once

#include <optional>
#include <vector>

#include "Halide.h"

namespace eutectic {

/** Between which values those of Funcs lie at the estimates, as indices that another Func computes need it.
 * Of pure Funcs; what is updated may have any value of its type. Halide's own bounds inference takes the
 * same: what is bounded here is bounded when the plan is compiled. */
class ValueBounds {
public:
    /** `functions`: producers first. Nothing is computed before the first get(). */
    explicit ValueBounds(const std::vector<Halide::Internal::Function> &functions) : functions_(functions) {
    }

    const Halide::Internal::FuncValueBounds &get();

private:
    const std::vector<Halide::Internal::Function> &functions_;
    std::optional<Halide::Internal::FuncValueBounds> bounds_;
};

}  // namespace eutectic
