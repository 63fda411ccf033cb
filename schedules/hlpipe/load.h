#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "Halide.h"

#include "schedules/hlpipe/sidecar.h"

namespace eutectic {

/** What a user says about the arguments, over what files say. */
struct GivenArguments {
    std::map<std::string, std::string> values;  ///< by name; sizes of buffers to plan for as "784x128",
                                                ///< innermost first; expected values of scalars
    std::vector<std::string> order;             ///< of the inputs; empty: not given
};

/** A pipeline with everything that compiling it takes. */
struct LoadedPipeline {
    Halide::Pipeline pipeline;
    std::string function;                  ///< the name to compile it under
    std::vector<Halide::Argument> inputs;  ///< in the order of the function, if that is known
    bool ordered = false;                  ///< it is
    std::map<std::string, Halide::Parameter>
        parameters;  ///< those of the inputs that the pipeline reads; setting something on one sets it in the
                     ///< pipeline
    std::vector<std::string>
        unestimated;  ///< names of arguments of which some size or value to plan for is unknown
    /** Names of output buffers in the pipeline, and as callers know them; only those that differ. */
    std::vector<std::pair<std::string, std::string>> renamed;
    std::vector<std::string> warnings;  ///< what Halide said while reading
    bool user_context = false;          ///< it reads user_context_value(), which is none of the inputs
    std::string residuals;  ///< JSON of what a forward keeps for its backward; empty for other pipelines
};

/** A serialized pipeline (.hlpipe), read once; each load() gives a pipeline of its own. */
class PipelineFile {
public:
    /** Reads `path` and, if there is one, the arguments file beside it. Throws UserError when the first
     * cannot be read, or the second is wrong. */
    PipelineFile(const std::string &path, const GivenArguments &given);

    /** Buffer estimates come from the Funcs that wrap the buffers, the rest from the arguments file, and over
     * both goes what was given. All names of the pipeline are reserved. Nothing is scheduled and nothing
     * stripped.
     *
     *  Throws UserError when the file is no pipeline, or another Halide's, or does not agree with its
     * arguments. Reading rubbish may crash: Halide does not check a file's offsets. A program that reads a
     * stranger's file does so in a process of its own. Needs listen_to_halide() (messages.h). */
    LoadedPipeline load() const;

    const std::string &path() const {
        return path_;
    }

private:
    std::string path_;
    GivenArguments given_;
    std::vector<uint8_t> data_;
    Sidecar sidecar_;
    bool has_sidecar_ = false;
};

/** Throws UserError, naming the inputs, unless their order is known. */
void require_order(const LoadedPipeline &loaded, const std::string &path);

/** Throws UserError where the pipeline reads user_context_value(), and the functions of `target` take none.
 */
void require_user_context(const LoadedPipeline &loaded, const Halide::Target &target,
                          const std::string &path);

}  // namespace eutectic
