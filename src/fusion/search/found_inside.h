#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fusion/plan/plan.h"

namespace eutectic {

/** How the points of a root are cut into blocks. */
struct Cut {
    DimId dim = 0;  ///< a block has `size` points along it, and all along the dims further in
    int64_t size = 1;
    DimFlags whole = {};  ///< dims further out of which a block has all points, too; of others it has one
    bool slides = false;  ///< blocks run one after the other along `dim`: of what the one before has
                          ///< computed nothing is computed again (a sliding window)

    bool has_all(DimId d) const {
        return d < dim || (whole.contains(d) && whole[d]);
    }
    bool operator==(const Cut &o) const {
        return dim == o.dim && size == o.size && whole == o.whole && slides == o.slides;
    }
};

/** Groups inside blocks that were searched before: another block, or another plan around it, often asks for
 * the same. */
struct FoundInside {
    std::map<FuncId, Cut> best;  ///< by root: of the blocks that were searched last, the best

    std::map<std::string, int>
        works;  ///< what stages compute and load, by content (content_key.h), and the number of each
    /** The best group, or, where nobody needed to know, that it computes for at least so long. */
    struct Known {
        std::shared_ptr<const Group> group;
        Seconds at_least = 0;
    };
    std::map<std::vector<int64_t>, Known>
        groups;  ///< by the numbers of the works and all extents of one block
};

}  // namespace eutectic
