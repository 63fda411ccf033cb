#include "graph/read/value_bounds.h"

#include "graph/read/read_expr.h"

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

const FuncValueBounds &ValueBounds::get() {
    if (bounds_) {
        return *bounds_;
    }
    bounds_.emplace();
    for (const Function &f : functions_) {
        const bool pure = f.has_pure_definition() && !f.has_extern_definition() && f.updates().empty();
        for (int value = 0; pure && value < f.outputs(); value++) {
            const Expr e = at_estimates(f.definition().values()[static_cast<size_t>(value)]);
            Interval bounds = bounds_of_expr_in_scope(e, Scope<Interval>(), *bounds_);
            bounds = {at_estimates(bounds.min), at_estimates(bounds.max)};
            if (bounds.is_bounded() && is_const(bounds.min) && is_const(bounds.max)) {
                bounds_->emplace(std::make_pair(f.name(), value), bounds);
            }
        }
    }
    return *bounds_;
}

}  // namespace eutectic
