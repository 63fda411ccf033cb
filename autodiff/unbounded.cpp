#include "autodiff/unbounded.h"

#include "autodiff/expr_tools.h"
#include "autodiff/residuals/halide/conditions.h"
#include "autodiff/rules/match.h"

#include <algorithm>

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

bool write_out_unbounded(std::vector<Function> &order, const std::map<std::string, SymbolicRegion> &regions) {
    const auto found = std::find_if(order.begin(), order.end(), [&](const Function &f) {
        const auto region = regions.find(f.name());
        return region != regions.end() && !is_bounded(region->second) && is_pure(f) &&
               !input_of(f).defined() && !f.has_extern_definition();
    });
    if (found == order.end()) {
        return false;
    }
    const Function f = std::move(*found);
    order.erase(found);
    for (Function &reader : order) {
        map_definitions(reader, [&](const Expr &e) {
            return map_calls(e, [&](const Call *call) {
                return call->name == f.name() ? value_at(f, call->args) : Expr();
            });
        });
    }
    return true;
}

}  // namespace eutectic
