// Registers the scheduler `Eutectic` with whichever libHalide loads this module. A UserError travels through
// Halide as an exception: generators print its sentence and fail, Python raises it.

#include "Halide.h"

#include "schedules/autoschedule.h"

namespace {

using namespace Halide;

struct Registration {
    Registration() {
        Pipeline::add_autoscheduler("Eutectic", [](const Pipeline &pipeline, const Target &target,
                                                   const AutoschedulerParams &params,
                                                   AutoSchedulerResults *results) {
            results->schedule_source =
                eutectic::autoschedule(pipeline, target, eutectic::parse_parameters(params.extra));
            results->target = target;
            results->autoscheduler_params = params;
        });
    }
} registration;

}  // namespace
