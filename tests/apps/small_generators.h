#pragma once

#include <string>
#include <utility>
#include <vector>

#include "Halide.h"

#include "schedules/hlpipe/load.h"

namespace eutectic::test {

using Settings = std::vector<std::pair<std::string, std::string>>;

/** A generator's pipeline at estimates that make a run short and at `more`, saved and read again. */
LoadedPipeline load(const std::string &generator, const Settings &more, const Halide::Target &target);

}  // namespace eutectic::test
