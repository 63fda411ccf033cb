#include "autodiff/definitions.h"

#include "autodiff/expr_tools.h"

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

Expr &value_of(Function &f, size_t stage, int element) {
    Definition &definition = stage == 0 ? f.definition() : f.update(static_cast<int>(stage) - 1);
    return definition.values()[static_cast<size_t>(element)];
}

}  // namespace

std::vector<DefinedValue> map_values(Function f, const std::function<Expr(const Expr &)> &map) {
    std::vector<DefinedValue> changed;
    if (!f.has_pure_definition() || f.has_extern_definition()) {
        return changed;
    }
    for (int element = 0; element < f.outputs(); element++) {
        const std::vector<StageBody> bodies = stage_bodies(f, element);
        for (size_t stage = 0; stage < bodies.size(); stage++) {
            const Expr mapped = map(bodies[stage].value);
            if (mapped.defined() && !mapped.same_as(bodies[stage].value)) {
                Expr &value = value_of(f, stage, element);
                changed.push_back({f, stage, element, value});
                value = common_subexpression_elimination(mapped);
            }
        }
    }
    return changed;
}

void put_back(const std::vector<DefinedValue> &values) {
    for (const DefinedValue &v : values) {
        Function f = v.func;
        value_of(f, v.stage, v.element) = v.value;
    }
}

}  // namespace eutectic
