#pragma once

// What a run of a pipeline is given.

#include <CLI/CLI.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "Halide.h"

#include "machine/libraries.h"
#include "schedules/hlpipe/load.h"
#include "schedules/hlpipe/shapes.h"
#include "schedules/hlpipe/trial.h"

namespace eutectic {

/** --input and --extern: the same words on every command that runs a pipeline. */
void add_value_options(CLI::App &app, std::vector<std::string> &inputs, std::vector<std::string> &externs);

/** "NAME=TEXT" words by name. Throws UserError, naming `option`, for a word without a name. */
std::map<std::string, std::string> named_texts(const std::vector<std::string> &words, const char *option);

/** The texts of --input by name; throws UserError for a text that says no values. */
std::map<std::string, std::string> input_texts(const std::vector<std::string> &words);

/** Throws UserError when `sources` names what is no input of the pipeline, which is called `title`. */
void require_inputs(const LoadedPipeline &loaded, const std::string &title,
                    const std::map<std::string, std::string> &sources);

/** Loads shared libraries with functions that a pipeline calls. Throws UserError for one that cannot be. */
void load_externs(const std::vector<std::string> &libraries);

/** Throws UserError, naming the first, when the pipeline calls functions that this process does not have. */
void require_externs(const Halide::Pipeline &pipeline);

/** Throws UserError when products are to be `library`'s, and this process, which runs them, does not have it.
 */
void require_library(std::optional<Library> library);

/** An input's buffer with values as with_values() has them. Throws UserError, naming it, for an input without
 * an estimate. */
Halide::Buffer<> input_at_estimates(const Halide::Parameter &input, const Shapes &shapes,
                                    const std::map<std::string, ImpliedRange> &ranges,
                                    const std::map<std::string, std::string> &sources);

/** Gives every input that the pipeline reads its estimated size and value, for Pipeline::realize(). Throws
 * UserError, naming it, for an input without an estimate. */
void set_inputs(LoadedPipeline &loaded, const std::map<std::string, std::string> &sources);

/** The estimate of a scalar input, or else its default. Throws UserError, naming it, when there is neither.
 */
halide_scalar_value_t estimated_scalar(const Halide::Parameter &input);

/** Zeroed buffers for all that the pipeline puts out, in its order, of their estimated sizes; `names`: what
 * each is called in sentences. */
std::vector<Halide::Buffer<>> buffers_at_estimates(const LoadedPipeline &loaded, const Shapes &shapes,
                                                   std::vector<std::string> *names = nullptr);

/** `buffer` filled with what `sources` says for `input`, or else with what suits it; an array from a file may
 * be larger, where the pipeline does not ask for a certain buffer. */
Halide::Buffer<> with_values(Halide::Buffer<> buffer, const Halide::Parameter &input,
                             const std::map<std::string, ImpliedRange> &ranges,
                             const std::map<std::string, std::string> &sources);

}  // namespace eutectic
