#pragma once

#include <vector>

#include "schedules/directive.h"

namespace eutectic {

/** Adds directives that have what is read in panels read so, and computed in tiles as whole as these. */
void add_panels(const Group &group, const Added &panels, std::vector<Directive> &directives);

}  // namespace eutectic
