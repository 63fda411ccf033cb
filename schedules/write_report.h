#pragma once

#include <string>

#include "report/report.h"

namespace eutectic {

/** Writes `report` to `path`: as text when the path ends in .txt, else as JSON. The file appears whole or not
 * at all; throws UserError when it cannot be written. */
void write_report(const Report &report, const std::string &path);

/** What `plan` was priced by, so that a measured time can be kept with it (cost/stage_json.h). */
std::string priced_json(const FusionPlan &plan, const Machine &machine);

/** Writes it in the same way as a report. */
void write_priced(const FusionPlan &plan, const Machine &machine, const std::string &path);

}  // namespace eutectic
