#include "base/user_error.h"
#include "graph/read/shared.h"
#include "schedules/rewrites.h"

namespace eutectic {

using namespace Halide;

void drop_cancelled_loads(Pipeline pipeline, const std::vector<std::pair<int, int>> &definitions) {
    std::vector<Internal::Definition> all;  // before any of them changes what the pipeline has
    for (const auto &[index, update] : definitions) {
        Internal::Function f = pipeline.get_func(index).function();
        if (update >= static_cast<int>(f.updates().size())) {
            throw UserError("Update " + std::to_string(update) + " of " + f.name() +
                            " was to be simplified, but it has none of that number: leave it out.");
        }
        all.push_back(update < 0 ? f.definition() : f.update(update));
    }
    for (Internal::Definition &definition : all) {
        for (Expr &value : definition.values()) {
            const Expr whole = without_lets(value);
            value = is_small(whole) ? simplify_shared(with_constant_funcs(whole)) : value;
        }
    }
}

}  // namespace eutectic
