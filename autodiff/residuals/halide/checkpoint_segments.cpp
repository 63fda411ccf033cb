#include "autodiff/residuals/halide/checkpoint_segments.h"

#include "autodiff/checkpoint.h"
#include "autodiff/residuals/halide/recomputable.h"

#include <set>

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

void set_checkpoint(ResidualValue &value, bool is_boundary, const std::set<int> &inside, int v) {
    if (is_boundary && value.kind != "output") {
        value.recipes.clear();
    }
    bool is_inside = inside.count(v) != 0;
    for (const Recipe &recipe : value.recipes) {
        for (const int source : recipe.from) {
            is_inside = is_inside || (value.kind != "saved" &&
                                      inside.count(source));  // a mask or the like of what is inside
        }
    }
    if (is_inside && !value.recipes.empty()) {
        value.may_keep = false;
        value.why_not_kept = "it is inside a checkpoint's segment";
    }
}

}  // namespace

void add_checkpoints(BuiltGraph &built, const std::vector<Function> &order) {
    std::set<int> inside;
    std::vector<int> open;
    const auto is_boundary = [&](int v) {
        const ValueOrigin &source = built.sources[v];
        return built.graph.values[v].kind == "output" ||
               (source.made.empty() && source.condition.empty() && is_checkpoint(source.of));
    };
    const auto enter = [&](const Function &f) {
        for (const Element &element : loads_of(f)) {
            const auto v = built.of_element.find(element);
            if (v != built.of_element.end() && !is_boundary(v->second) && inside.insert(v->second).second) {
                open.push_back(v->second);
            }
        }
    };
    for (const Function &f : order) {
        if (is_checkpoint(f)) {
            enter(f);
        }
    }
    while (!open.empty()) {
        const int v = open.back();
        open.pop_back();
        enter(built.sources[v].of);
    }
    for (size_t v = 0; v < built.sources.size(); v++) {
        set_checkpoint(built.graph.values[v], is_boundary(static_cast<int>(v)), inside, static_cast<int>(v));
    }
}

}  // namespace eutectic
