#pragma once

#include <string>
#include <vector>

#include "schedules/hlpipe/load.h"

namespace eutectic {

/** `loaded` becomes the same for a batch of examples, of each of which the inputs `over` are
 * (autodiff/batch.h). Throws UserError. */
void make_batch_of(LoadedPipeline &loaded, const std::vector<std::string> &over, int size);

}  // namespace eutectic
