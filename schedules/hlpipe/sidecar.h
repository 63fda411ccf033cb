#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace eutectic {

/** One dimension of a buffer argument. Each member is null, a number, or (the constraints) a text of sizes
 * and scalar parameters such as "x.extent.0" or
 *  "(x.stride.1 * 2)"; see terms.h. A missing member says nothing: what the pipeline's file has stays. */
struct DimensionRecord {
    nlohmann::json min_estimate, extent_estimate;  ///< what to plan for, in points
    nlohmann::json min, extent;                    ///< what every caller's buffer has
    nlohmann::json stride = "";  ///< the same, in elements; "" says nothing, null: any (Halide's default is 1
                                 ///< for the innermost dimension, any for others)
};

/** One argument of the compiled function. */
struct ArgumentRecord {
    std::string name;  ///< as callers know it
    std::string type;  ///< "float32", "uint8", "bool", …
    bool buffer = false;
    std::vector<DimensionRecord> dimensions;           ///< of a buffer, innermost first
    int host_alignment = 0;                            ///< of a buffer, in bytes; 0 says nothing
    nlohmann::json estimate, default_value, min, max;  ///< of a scalar: null or a number
    std::string parameter;  ///< of an output: its buffer's name in the file, where that is another
};

/** What a serialized pipeline (.hlpipe) loses: the order of its arguments, estimates and ranges of scalars,
 * estimates and constraints of buffers. Kept beside it as FILE.args.json:
 *
 *      {"format": 1, "function": "dense", "ordered": true,
 *       "inputs": [{"name": "x", "type": "float32", "dimensions": [{"estimate": [0, 784], "stride": 1},
 * {"estimate": [0, 128]}]},
 *                  {"name": "rate", "type": "float32", "estimate": 0.5, "default": 0.5, "min": 0, "max": 1}],
 *       "outputs": [{"name": "y", "parameter": "y$1", "type": "float32", "dimensions": […]}]}
 *
 *  A dimension may also have "min" and "extent", a forward also "residuals". `ordered`: the inputs are listed
 * as the function takes them; outputs always are. */
struct Sidecar {
    std::string function;
    bool ordered = false;
    std::vector<ArgumentRecord> inputs, outputs;
    nlohmann::json residuals;  ///< what a forward keeps for its backward, for reports
                               ///< (Parameters::residuals); null for other pipelines
};

std::string to_json(const Sidecar &sidecar);

/** Reads what to_json() wrote, or what a person did. Throws UserError, in one sentence that names `file` and
 * the place, for anything else. */
Sidecar parse_sidecar(const std::string &text, const std::string &file);

/** "FILE.hlpipe" → "FILE.args.json". */
std::string sidecar_path(const std::string &pipeline_file);

}  // namespace eutectic
