#include "base/user_error.h"
#include "graph/read/shared.h"
#include "schedules/calls/replace_calls.h"
#include "schedules/rewrites.h"

namespace eutectic {

using namespace Halide;

Func move_sum(Func f) {
    Internal::Function function = f.function();
    if (function.updates().size() != 1 || function.outputs() != 1) {
        throw UserError(
            "The reduction of " + f.name() +
            " cannot be moved, because it is not a single update of one value: leave it as it is.");
    }
    Func sum = f.update(0).rfactor(std::vector<std::pair<RVar, Var>>());
    Internal::Definition &definition = function.definition();
    const Expr start = definition.values()[0];
    const Expr sum_up = function.update(0).values()[0];
    ReplaceCalls from_start(function.name(), [&](const Internal::Call *) { return start; });
    definition.values()[0] = with_lets(simplify_shared(from_start.mutate(sum_up)));
    drop_updates(function);
    return sum;
}

}  // namespace eutectic
