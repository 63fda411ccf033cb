#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fusion/plan/plan.h"

namespace eutectic {

/** Groups inside blocks that were searched before: another block, or another plan around it, often asks for
 * the same. */
struct FoundInside {
    std::map<std::string, int>
        works;  ///< what stages compute and load, by content (content_key.h), and the number of each
    std::map<std::vector<int64_t>, std::shared_ptr<const Group>>
        groups;  ///< by the numbers of the works and all extents of one block
};

}  // namespace eutectic
