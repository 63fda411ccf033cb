#include "schedules/manual/schedule.h"

namespace eutectic::manual {

void schedule_reference(const Funcs &funcs, const Tuning &) {
    for (const auto &[name, func] : funcs.all()) {
        Halide::Func f = func;
        if (f.name() != name) {
            continue;  // the same Func by the name that its generator gave it
        }
        f.compute_root();
        for (int i = 0; i < f.num_update_definitions(); i++) {
            f.update(i).unscheduled();
        }
    }
}

}  // namespace eutectic::manual
