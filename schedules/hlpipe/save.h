#pragma once

#include <string>

#include "Halide.h"

#include "schedules/hlpipe/load.h"
#include "schedules/hlpipe/sidecar.h"

namespace eutectic {

/** What a file of `pipeline` will lose. The inputs are listed by name: their order is the caller's to know.
 * Throws UserError for a constraint that cannot be written down. */
Sidecar describe_arguments(const Halide::Pipeline &pipeline);

/** Writes the pipeline as it stands to `path` and its arguments beside it (sidecar_path()), with `residuals`
 * (JSON, or empty) among them. Throws UserError when it cannot. */
void save_pipeline(const Halide::Pipeline &pipeline, const std::string &path,
                   const std::string &residuals = "");

/** The same of a pipeline as one that was loaded: under the names that callers know, with the order of its
 * arguments. */
void save_pipeline(const LoadedPipeline &loaded, const std::string &path);

}  // namespace eutectic
