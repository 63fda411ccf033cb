#pragma once

#include <string>
#include <vector>

#include "machine/gpu.h"

namespace eutectic {

/** One number of a Gpu: the one list that files, hashes and tables are made from. */
struct GpuField {
    const char *key;
    const char *unit;
    double low, high;  ///< what a file may hold; anything else is a mistake
    bool whole;        ///< a whole number
    const char *what;
    double (*get)(const Gpu &);
    void (*set)(Gpu &, double);
};
const std::vector<GpuField> &gpu_fields();

/** As JSON: {"format": "eutectic gpu 1", "name", "values": {KEY: {"value", "unit"}, …}}. */
std::string to_json(const Gpu &gpu);

/** Reads what to_json() wrote. Throws UserError, in one sentence that names `file`, the key and the remedy,
 * when a key is missing or unknown, a value is of another type or out of its field's range. */
Gpu parse_gpu(const std::string &text, const std::string &file);

/** `gpu=`: a preset's name, or a file that holds what to_json() writes. Throws UserError. */
Gpu choose_gpu(const std::string &name_or_file);

}  // namespace eutectic
