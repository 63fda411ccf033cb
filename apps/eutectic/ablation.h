#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "schedules/mechanisms.h"

namespace eutectic {

/** What is changed for one plan: a mechanism is left out, or a parameter of the scheduler is another. */
struct Change {
    Mechanism without;  ///< no name: none
    std::string with;   ///< "search=beam"; empty: none

    bool none() const {
        return without.name.empty() && with.empty();
    }
    /** For a person: the mechanism, or what the parameter is. */
    const std::string &name() const {
        return with.empty() ? without.name : with;
    }
    std::string kind() const {
        return with.empty() ? without.kind : "parameter";
    }
    /** "without tile_producer", "with search=beam". */
    std::string words() const {
        return (with.empty() ? "without " : "with ") + name();
    }
};

/** A pipeline's plan, whole or changed. */
struct AblationRow {
    std::string file;
    Change change;                   ///< none: the whole plan
    bool changes = true;             ///< the plan is another one so
    Seconds predicted = 0;           ///< seconds of a run, by the prices of the whole plan
    Bytes traffic = 0;               ///< bytes to and from memory
    std::optional<double> measured;  ///< seconds of a run, the median; nothing: not measured
    std::string status = "ok";       ///< "ok", "refused" (by the planner), or a status of `compare`
    std::string reason;              ///< a sentence's part, unless all is well
};

/** {rows: [{file, without, with, kind, changes, predicted_seconds, traffic_bytes, measured_seconds, status,
 * reason}], geometric_means: [{without, with, kind, files, predicted, traffic, measured}]}: the latter of the
 * ratios to the whole plan, over the files whose plan the change changes; null for what was not measured.
 */
nlohmann::ordered_json to_json(const std::vector<AblationRow> &rows);

/** A table a file, the changes of its plan first by what they are worth; and, of several files, one of the
 * means. */
std::string to_text(const std::vector<AblationRow> &rows);

}  // namespace eutectic
