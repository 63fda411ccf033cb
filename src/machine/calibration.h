#pragma once

#include <map>
#include <string>
#include <vector>

#include "machine/machine.h"

namespace eutectic {

/** Where a number of a Machine comes from. */
enum class Origin {
    system,    ///< files of the operating system
    target,    ///< follows from the Halide target
    measured,  ///< by measure_machine()
    fitted,    ///< by least squares over the measurements in schedules/calibration
    preset     ///< of a data file of processors/, which documents it
};
const char *to_string(Origin origin);

/** One number of a Machine: the one list that files, hashes and tables are made from. */
struct MachineField {
    const char *key;
    const char *unit;
    double low, high;  ///< what a file may hold; anything else is a mistake
    bool whole;        ///< a whole number
    Origin owner;      ///< who gives the number in a calibrated Machine, unless the calibration could not
    const char *what;
    double (*get)(const Machine &);
    void (*set)(Machine &, double);
};
const std::vector<MachineField> &machine_fields();

/** A rate that was measured and that no field holds, for people. */
struct Rate {
    std::string key, unit;
    double value = 0;
};

/** A Machine with the origin of its numbers. */
struct Calibration {
    Machine machine;
    std::map<std::string, Origin> origins;  ///< by field
    std::map<std::string, double> spreads;  ///< of measured fields: (median - fastest) / fastest
    std::vector<LibraryRates> libraries;    ///< those that were measured, each once
    std::vector<Rate> also;
    std::string target, processor, date;
    Seconds seconds = 0;  ///< how long measuring took
};

/** As JSON: {"format", "name", "target", "processor", "date", "seconds", "values": {KEY: {"value", "unit",
 * "origin"[, "spread"]}, …}[, "libraries": {NAME: {"peak_share", "bytes_per_second",
 * "call_seconds"}, …}], "also": …}. */
std::string to_json(const Calibration &calibration);

/** Reads what to_json() wrote. Throws UserError, in one sentence that names `file`, the key and the remedy,
 * when a key is missing or unknown, a value is of another type or out of its field's range. */
Calibration parse_calibration(const std::string &text, const std::string &file);

/** The same from a file; also throws UserError when it cannot be read. */
Calibration read_calibration(const std::string &file);

/** What `library` takes on the machine of a file, or, where it was not measured there, its preset. Throws
 * UserError as read_calibration() does. */
LibraryRates library_rates(const std::string &file, Library library);

/** The machine of a calibration file, used through `target` by `parallelism` threads (all of them when it is
 * not positive): fewer threads draw less of the memory bandwidth and share the third-level cache among fewer.
 * Throws UserError when it was measured with vectors of another width than the target has. */
Machine machine_from_file(const std::string &file, const TargetDescription &target, int parallelism);

}  // namespace eutectic
