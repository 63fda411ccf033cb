#pragma once

#include <map>

#include "fusion/policies/cpu/register_tile_pack.h"
#include "graph/data/narrow_factors.h"

namespace eutectic {

/** How a tile's sums of products of narrow integers are summed up by instructions that take several products
 * at once: two or four neighbours along the summed dim. Of both factors there are copies, as wide as the
 * instruction takes them and 0 beyond the last term: one has the neighbours of each column of the tile side
 * by side (packed_terms), the other those of each point (padded_terms), which all lanes read. */
class TileDots {
public:
    /** Halide (21) knows the instructions of vectors of 128 bits and more. */
    static constexpr int64_t least_lanes = 4;

    /** For all of `reductions`, whose tile is written by `writer`, along whose dim 0 the lanes lie. Nothing
     * where the target has no such instructions, or one of them is no such sum. */
    static std::optional<TileDots> find(const GroupRequest &request, const StageWork &writer,
                                        const std::vector<FuncId> &reductions);

    /** Products that one instruction sums up for each lane. */
    int64_t terms() const {
        return terms_;
    }

    /** The update of `f` so. */
    const SharedWork &work(FuncId f) const {
        return sums_.at(f).work;
    }

    /** Adds the copies of the factors of `f`, which is called `in_tile` in the group, to `g`, and has
     * `stage`, work(f), read them. */
    void add_copies(const PackedTile &tile, FuncId f, FuncId in_tile, SharedWork &stage, Group &g) const;

private:
    struct Sum {
        const NarrowFactorOf *packed = nullptr, *padded = nullptr;
        DimId along = 0;  ///< of `packed`, that the tile's columns run along
        DimId sum = 0;    ///< of the stage
        SharedWork work;  ///< its loads: of `packed`, then of `padded`
    };
    int64_t terms_ = 1;
    int bytes_ = 1;  ///< of an element of the copies
    std::map<FuncId, Sum> sums_;
};

}  // namespace eutectic
