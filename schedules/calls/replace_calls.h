#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "Halide.h"

namespace eutectic {

/** Puts another expression in the place of each load of one Func. */
class ReplaceCalls : public Halide::Internal::IRGraphMutator {
public:
    /** `by` is given the load, whose indices are done. */
    ReplaceCalls(std::string func, std::function<Halide::Expr(const Halide::Internal::Call *)> by)
        : func_(std::move(func)), by_(std::move(by)) {
    }

protected:
    using IRGraphMutator::visit;

    Halide::Expr visit(const Halide::Internal::Call *op) override {
        const Halide::Expr e = IRGraphMutator::visit(op);
        const auto *call = e.as<Halide::Internal::Call>();
        const bool load = call && call->call_type == Halide::Internal::Call::Halide && call->name == func_;
        return load ? by_(call) : e;
    }

private:
    std::string func_;
    std::function<Halide::Expr(const Halide::Internal::Call *)> by_;
};

/** Gives `f` these updates instead of its own. */
inline void replace_updates(const Halide::Internal::Function &f,
                            std::vector<Halide::Internal::Definition> updates) {
    // The vector is the Function's own, which has no call that takes an update back.
    const_cast<std::vector<Halide::Internal::Definition> &>(f.updates()) = std::move(updates);
}

/** Takes back the updates of `f`, which is pure from then on. */
inline void drop_updates(const Halide::Internal::Function &f) {
    replace_updates(f, {});
}

}  // namespace eutectic
