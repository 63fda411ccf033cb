#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

#include "base/units.h"

namespace eutectic {

/** Something that the scheduler does, which `disable=` leaves out. */
struct Mechanism {
    std::string name;
    std::string kind;  ///< "rule", "rewrite", or "preparation": before anything is planned
};

/** All that may act on a target, for a GPU or not, in the order in which they act. */
std::vector<Mechanism> mechanisms(bool gpu);

/** A pipeline's plan, whole or without one mechanism. */
struct AblationRow {
    std::string file;
    Mechanism without;               ///< no name: the whole plan
    bool changes = true;             ///< the plan is another one without it
    Seconds predicted = 0;           ///< seconds of a run
    Bytes traffic = 0;               ///< bytes to and from memory
    std::optional<double> measured;  ///< seconds of a run, the median; nothing: not measured
    std::string status = "ok";       ///< "ok", "refused" (by the planner), or a status of `compare`
    std::string reason;              ///< a sentence's part, unless all is well
};

/** {rows: [{file, without, kind, changes, predicted_seconds, traffic_bytes, measured_seconds, status,
 * reason}], geometric_means: [{without, kind, files, predicted, traffic, measured}]}: the latter of the
 * ratios to the whole plan, over the files whose plan the mechanism changes; null for what was not measured.
 */
nlohmann::ordered_json to_json(const std::vector<AblationRow> &rows);

/** A table a file, the mechanisms that change its plan first by what they are worth; and, of several files,
 * one of the means. */
std::string to_text(const std::vector<AblationRow> &rows);

}  // namespace eutectic
