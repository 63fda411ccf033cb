#include "graph/read/row_divisor.h"

#include "graph/read/shared.h"

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

std::optional<Expr> row_divisor(const Function &f) {
    if (!f.has_pure_definition() || f.has_update_definition() || f.has_extern_definition() ||
        f.definition().values().size() != 1 || f.args().empty()) {
        return std::nullopt;
    }
    Contains uses_innermost = uses_variable(f.args().front());
    std::optional<Expr> divisor;
    for_each_node(without_lets(f.definition().values()[0]), [&](const Expr &e) {
        const Div *op = e.as<Div>();
        if (!divisor && op && op->type.is_float() && !is_const(op->b) && !uses_innermost(op->b)) {
            divisor = op->b;
        }
        return !divisor;
    });
    return divisor;
}

}  // namespace eutectic
