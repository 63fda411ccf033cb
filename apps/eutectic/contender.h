#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace eutectic {

/** One scheduler at work on one pipeline, in a process of its own: answers, a line of JSON each, to the
 * questions on standard input,
 *
 *      load                        {}: the pipeline alone, which may end the process if the file is damaged
 *      prepare                     {"schedule_seconds", "compile_seconds", "kernels", "terms"}: loads,
 * schedules and compiles run                         {"peak_bytes"}, and if there is a reference
 * {"max_error", "agrees"[, "reason"]} time SECONDS                {"samples": [seconds of a run, …]}
 *
 *  or {"status", "reason"} when that cannot be done. `task`:
 *
 *      {"file", "title": what it is called, "arguments": {NAME: text}, "target", "threads",
 *       "scheduler": {"name", "plugin": path or "", "parameters": {…}},   eutectic, root and as-is need no
 * plugin; others are Halide's, by the name that they registered "inputs": {NAME: text of --input}, "externs":
 * [path], "tensors": folder, "write": true for the one whose results are the reference}
 *
 *  What schedulers print goes to standard error. Returns the process's status. */
int contend(const nlohmann::json &task);

}  // namespace eutectic
