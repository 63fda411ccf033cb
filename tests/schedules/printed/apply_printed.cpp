// The generators, with a "scheduler" named Printed that applies the C++ which Eutectic printed:
// autoscheduler.schedule=NAME says which, autoscheduler.temporaries=N how many names of temporaries are taken
// before: Halide sorts operands by them, and planning takes some.

#include <map>
#include <string>

#include "Halide.h"

#include "schedules/rewrites.h"

#include "printed_schedules.inc"

namespace {

using namespace Halide;

struct Registration {
    Registration() {
        Pipeline::add_autoscheduler("Printed", [](const Pipeline &pipeline, const Target &target,
                                                  const AutoschedulerParams &params, AutoSchedulerResults *) {
            const auto taken = params.extra.find("temporaries");
            for (int i = taken == params.extra.end() ? 0 : std::stoi(taken->second); i > 0; i--) {
                Internal::unique_name('t');
            }
            printed_schedules.at(params.extra.at("schedule"))(pipeline, target);
        });
    }
} registration;

}  // namespace

int main(int argc, char **argv) {
    return Internal::generate_filter_main(argc, argv);
}
