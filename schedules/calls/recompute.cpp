#include <set>

#include "base/user_error.h"
#include "schedules/calls/replace_calls.h"
#include "schedules/rewrites.h"

namespace eutectic {

using namespace Halide;

namespace {

/** Does `f` read `target`, itself or through pure Funcs? Each of these is asked once: there are many more
 *  ways through them. */
bool reads(const Internal::Function &f, const std::string &target) {
    std::set<std::string> met{f.name()};
    for (std::vector<Internal::Function> open{f}; !open.empty();) {
        const Internal::Function at = open.back();
        open.pop_back();
        for (const auto &[name, called] : Internal::find_direct_calls(at)) {
            if (name == target && name != at.name()) {
                return true;
            }
            if (called.is_pure() && met.insert(name).second) {
                open.push_back(called);
            }
        }
    }
    return false;
}

/** Where `f` is computed is decided: Halide's inlining looks, which it refuses for a Func that was copied, or
 * read from a file. */
void lock_levels(Internal::Function f) {
    Internal::FuncSchedule &schedule = f.schedule();
    schedule.compute_level().lock();
    schedule.store_level().lock();
    schedule.hoist_storage_level().lock();
}

/** Inlines what stands between `reader` and `target`. */
void inline_between(Internal::Function reader, const std::string &target) {
    for (bool changed = true; changed;) {
        changed = false;
        for (const auto &[name, called] : Internal::find_direct_calls(reader)) {
            if (name != target && name != reader.name() && called.is_pure() && reads(called, target)) {
                lock_levels(called);
                Internal::inline_function(reader, called);
                changed = true;
                break;
            }
        }
    }
}

}  // namespace

Func recompute(Func f, Func reader) {
    const Internal::Function &function = f.function();
    if (function.outputs() != 1 || function.updates().size() > 1) {
        throw UserError(f.name() + " cannot be recomputed for " + reader.name() +
                        ", because it has several values or several updates: leave it as it is.");
    }
    if (!reads(reader.function(), f.name())) {
        throw UserError(f.name() + " cannot be recomputed for " + reader.name() +
                        ", which does not read it: name a Func that does.");
    }
    inline_between(reader.function(), f.name());
    Func made(f.name() + "_recomputed");
    made(f.args()) = f.value();
    if (f.has_update_definition()) {
        const std::vector<Expr> &at = f.update_args(0);
        const auto redirect = [&](const Internal::Call *load) { return made(load->args); };
        const Expr value = ReplaceCalls(f.name(), redirect).mutate(f.update_value(0));
        made(at) = value;
    }
    reader.function().substitute_calls(function, made.function());
    return made;
}

}  // namespace eutectic
