#include "autodiff/activity.h"

#include "autodiff/expr_tools.h"
#include "autodiff/shifts.h"
#include "autodiff/stop_gradient.h"

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

Activity::Activity(const std::vector<Function> &order, const std::set<std::string> &wrt,
                   const std::set<std::string> &outputs) {
    const std::set<std::string> shifts = needless_shifts(order, outputs);
    for (const Function &f : order) {
        bool active = wrt.count(f.name()) != 0;
        for (const auto &[name, g] : find_direct_calls(f)) {
            active = active || is_active(name);
        }
        for (const ExternFuncArgument &arg : f.extern_arguments()) {
            const bool is_input = arg.is_image_param() && arg.image_param.type().is_float();
            active = active || is_input || (arg.is_func() && is_active(Function(arg.func).name()));
        }
        if (active && !stops_gradient(f) && !shifts.count(f.name())) {
            active_.insert(f.name());
            find_elements(f);
        }
    }
}

// The elements of a tuple whose definitions read what is active, their own active elements too.
void Activity::find_elements(const Function &f) {
    size_t before;
    do {
        before = elements_.size();
        for (int element = 0; f.outputs() > 1 && element < f.outputs(); element++) {
            for (const StageBody &body : stage_bodies(f, element)) {
                for (const Call *call : calls_in(body.value)) {
                    if (call->call_type == Call::Halide && is_active(callee(call), call->value_index)) {
                        elements_.insert({f.name(), element});
                    }
                }
            }
        }
    } while (elements_.size() != before);
}

void Activity::add_as(const Function &f, const Function &like) {
    active_.insert(f.name());
    for (int element = 0; element < f.outputs(); element++) {
        if (is_active(like, element)) {
            elements_.insert({f.name(), element});
        }
    }
}

}  // namespace eutectic
