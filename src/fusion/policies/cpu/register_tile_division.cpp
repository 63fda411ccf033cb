// A sum that is divided late: the tile's writer has the work of the division.

#include <type_traits>

#include "fusion/policies/cpu/register_tile.h"

namespace eutectic {

void divide_in_writer(const DimMap &map, StageWork &pure, StageWork &writer) {
    const auto in_writer = [&](const auto &of_reduction) {
        std::decay_t<decltype(of_reduction)> result(map.size());
        for (const DimId d : map.ids()) {
            result[d] = map[d] < 0 ? result[d] : of_reduction[map[d]];
        }
        return result;
    };
    for (Part part : pure.parts) {
        part.depends = in_writer(part.depends);
        writer.parts.push_back(part);
    }
    for (Load load : pure.loads) {
        for (Index &index : load.access.indices) {
            index.scale = in_writer(index.scale);
        }
        writer.loads.push_back(load);
    }
    pure.loads.clear();
    pure.parts = {{ExprSummary(), false, DimFlags(pure.dims.size(), true)}};
}

}  // namespace eutectic
