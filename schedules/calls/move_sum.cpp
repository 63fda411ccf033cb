#include "base/user_error.h"
#include "graph/read/shared.h"
#include "schedules/rewrites.h"

namespace eutectic {

using namespace Halide;

namespace {

/** Replaces what a Func reads of itself. */
class ReplaceSelf : public Internal::IRGraphMutator {
public:
    ReplaceSelf(std::string self, Expr by) : self_(std::move(self)), by_(std::move(by)) {
    }

protected:
    using IRGraphMutator::visit;

    Expr visit(const Internal::Call *op) override {
        return op->call_type == Internal::Call::Halide && op->name == self_ ? by_ : IRGraphMutator::visit(op);
    }

private:
    std::string self_;
    Expr by_;
};

}  // namespace

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
    definition.values()[0] = with_lets(simplify_shared(ReplaceSelf(function.name(), start).mutate(sum_up)));
    // The vector is the Function's own, which has no call that takes an update back.
    const_cast<std::vector<Internal::Definition> &>(function.updates()).clear();
    return sum;
}

}  // namespace eutectic
