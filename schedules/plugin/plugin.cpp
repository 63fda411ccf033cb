// Registers the scheduler `Eutectic` with whichever libHalide loads this module. Here alone our errors become
// Halide's, as programs that call schedulers expect: what a user can mend is a CompileError, anything else an
// InternalError. Generators print their sentence and fail, Python raises it.

#include "Halide.h"

#include "base/said.h"
#include "base/user_error.h"
#include "schedules/autoschedule.h"

namespace {

using namespace Halide;

void plan(const Pipeline &pipeline, const Target &target, const AutoschedulerParams &params,
          AutoSchedulerResults *results) {
    try {
        results->schedule_source =
            eutectic::autoschedule(pipeline, target, eutectic::parse_parameters(params.extra));
    } catch (const Error &) {
        throw;  // Halide's own
    } catch (const eutectic::UserError &e) {
        throw CompileError(eutectic::one_sentence(e.what()));
    } catch (const std::exception &e) {
        throw InternalError(
            "Autoscheduler Eutectic failed on a pipeline that it should plan or refuse; please report "
            "it, with the pipeline: " +
            std::string(e.what()));
    }
    results->target = target;
    results->autoscheduler_params = params;
}

struct Registration {
    Registration() {
        Pipeline::add_autoscheduler("Eutectic", plan);
    }
} registration;

}  // namespace
