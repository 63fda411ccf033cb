#include "graph/updates.h"

#include "graph/read_expr.h"

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

bool writes_own_point(const Function &f, const Definition &def) {
    for (size_t d = 0; d < def.args().size(); d++) {
        const Variable *v = def.args()[d].as<Variable>();
        if (!v || v->name != f.args()[d]) {
            return false;
        }
    }
    return true;
}

bool reads_other_points(const Function &f, const Definition &def) {
    bool other = false;
    for (const Expr &value : def.values()) {
        for_each_load(substitute_in_all_lets(value), [&](const Call *load) {
            for (size_t d = 0; load->name == f.name() && d < def.args().size(); d++) {
                other = other || !can_prove(load->args[d] == def.args()[d]);
            }
        });
    }
    return other;
}

bool starts_neutral(const Function &f, const AssociativeOp &op) {
    const Expr operation = op.pattern.ops[0], start = simplify(f.definition().values()[0]);
    return operation.as<Min>() || operation.as<Max>() || equal(start, simplify(op.pattern.identities[0]));
}

}  // namespace eutectic
