#pragma once

#include "apps/bench/plan/rows.h"

#include <string>

namespace eutectic::bench {

/// Pipelines of more Funcs are planned and not compiled: 200, and those that stand around them.
constexpr int most_compiled_funcs = 210;

/// What one process measures: one planning of one pipeline, or the plainest schedule, and compiling it.
struct PlanTask {
    std::string row;
    std::string file;    ///< the serialized pipeline; empty: the row is made in code
    std::string plugin;  ///< the scheduler's shared library; empty: vectorized_root() in its place
    std::string target;  ///< as Halide writes it
    int parallelism = 16;
    std::string effort = "fast";
    std::string object;          ///< the file to compile to; empty: nothing is compiled
    bool lower = false;          ///< Halide lowers what was planned, and compiles nothing
    double plan_limit = 120;     ///< seconds of CPU time
    double compile_limit = 120;  ///< the same
    double memory_limit = 8;     ///< GiB of data that the process may have
};

/// The task as JSON, which goes on the child's command line; and back.
std::string to_text(const PlanTask &task);
PlanTask task_of(const std::string &text);

/// Does the work and prints a line of JSON whenever something is known, so that nothing is lost if the
/// process is ended: {"funcs", "define_seconds"}; {"plan_seconds", "peak_bytes"}; {"lower_seconds"} or
/// {"compile_seconds"}, or {"not_compiled"}: why. All seconds are of CPU time. The last line is {"failed"}: a
/// sentence, if the work could not be done, or {"given_up": true} if it reached a limit of seconds.
void perform(const PlanTask &task);

}  // namespace eutectic::bench
