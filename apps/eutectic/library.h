#pragma once

// Pipelines become static libraries with their headers and reports, in files that appear together or not at
// all.

#include <functional>
#include <string>
#include <vector>

#include "Halide.h"

#include "apps/eutectic/guard.h"
#include "schedules/autoschedule.h"
#include "schedules/hlpipe/load.h"

namespace eutectic {

/** A function to be compiled. */
struct KernelLibrary {
    std::string subject;   ///< in sentences: the file, or what of it
    std::string function;  ///< its name, C++ namespaces included
    std::function<LoadedPipeline(const Halide::Target &)>
        load;             ///< its pipeline for a target, without any directive
    bool object = false;  ///< NAME.o instead of NAME.a: to be put into a library with others
    /// Of each argument of the pipeline, whose outputs are last, which of the function's it is, several of
    /// the pipeline perhaps one of the function; empty: the same.
    std::vector<size_t> order = {};
    std::vector<std::string> emit = {};  ///< further files (outputs.h)
};

/** Throws UserError for what is no name of C or C++. */
void check_function(const std::string &name);

/** Schedules and compiles, with what packs for it, into NAME.a (or NAME.o), NAME.h, NAME.report.json (for
 * several targets NAME-TARGET.report.json) and the outputs asked for of `into`, and returns their names.
 * Throws UserError, and Drifted when a plan has another hash than is expected. */
std::vector<std::string> compile_library(const KernelLibrary &library, const Parameters &how,
                                         std::vector<Halide::Target> targets, const ScratchFolder &into);

/** A folder that nobody sees, where `folder` is or will be. */
ScratchFolder scratch_for(const std::string &folder);

/** Moves the files to `folder`, which is made if it is not there, and returns their paths. Throws UserError.
 */
std::vector<std::string> publish(const std::vector<std::string> &files, const ScratchFolder &from,
                                 const std::string &folder);

}  // namespace eutectic
