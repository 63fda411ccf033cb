#pragma once

#include <string>

#include "report/report.h"

namespace eutectic {

/** Writes `report` to `path`: as text when the path ends in .txt, else as JSON. The file appears whole or not at all; throws UserError when it cannot be written. */
void write_report(const Report &report, const std::string &path);

}  // namespace eutectic
