#pragma once

// What the files of the block policy share: block.cpp searches, block_extents.cpp tells what one block
// computes, block_inside.cpp plans it, block_nest.cpp puts it into the root's loops.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "features/region.h"
#include "fusion/policies/policy.h"

namespace eutectic {

/** The root's loops around one block. */
struct Outside {
    Loops loops;
    DimFlags gone;  ///< dims of the root of which a block holds one point
    /** Where blocks slide, turns of the last loop that Funcs take more than the root: to fill their windows,
     * at its start. Fewer, where they advance by less than one point in a turn. */
    std::map<FuncId, int64_t> warm_up = {};
};

/** What one block computes of a Func. */
struct InOneBlock {
    Extents extents;
    Extents when;                                             ///< per dimension, as in Dim
    Table<DimId, std::optional<BufferDim>> at_least, inside;  ///< per dimension, as in Dim
    Table<DimId, Region> regions;  ///< per dimension: what all its readers require together
    DimMap position;               ///< dim of the root → dim of the Func, or -1
    int quotients = 0;    ///< so many readers between it and the root advance by a fraction of a point a turn
    DimId slides = -1;    ///< dim along which `extents` are what is new in a block
    Extents window = {};  ///< points of its buffer where it slides
    DimFlags any_number = {};  ///< dims of which a block may need any number of points: no size of a buffer
                               ///< says how many at least
};

/** The pipeline inside one block. */
struct Inside {
    Graph graph;  ///< with the extents of one block; one_block() leaves it empty
    std::vector<std::shared_ptr<const Group>> groups;  ///< of the Funcs in the block, of those that the nest
                                                       ///< writes, too (joint), then the root's
    std::map<FuncId, InOneBlock> computed;  ///< the root, what shares its nest, and the Funcs in the block
    double bytes = 0;                       ///< that one block touches
    Seconds compute = 0;                    ///< of the groups, as far as a block does it
    double blocks = 1;                      ///< how many there are
    Extents blocks_along = {};              ///< the same for each dim of the root
};

/** One request, and what follows from it. */
struct Blocks {
    explicit Blocks(const GroupRequest &request);

    const GroupRequest &q;
    const Stage &root;
    Machine core;                 ///< one core's share of the machine
    std::vector<FuncId> members;  ///< everything computed inside the block but the root, producers first

    /** A Func that is computed in a block. */
    struct Computed {
        std::vector<SharedWork> works;  ///< of each of its stages, as if the block were everything
        std::vector<FuncId> tiled;      ///< what is computed in its tile
        std::vector<int>
            ids;  ///< of each of the works, among all of equal content; empty where nothing is remembered
    };
    std::map<FuncId, Computed> computed;

    /** How many of the root's inner dims `f`, which the same nest writes, does not have. */
    int missing_dims(FuncId f) const;

    /** How many points of the root's innermost dim one point of `f`, which the same nest writes, goes over.
     */
    int64_t run(FuncId f) const;

    /** What is inlined into the stages of `f`, recomputed for it included. */
    Table<FuncId, bool> inlined(FuncId f) const;

    bool is_member(FuncId f) const;

    /** Is `f` a packed copy, in `g`, of something that no block computes? It is made once, at Root. */
    bool stays_outside(const Group &g, FuncId f) const;

    /** Bytes of what one block computes of `f`. */
    Bytes bytes_of(const Inside &inside, FuncId f) const;

    /** Of computing, in `g`, what no block does. */
    Seconds seconds_outside(const Group &g) const;
};

/** Points of each dim of a stage of `reader` in one block: its reduction variables go over all their values,
 * and along dims whose coordinates an update computes it has no loops. */
Extents tile_of(const InOneBlock &reader, const StageWork &work);

/** What each Func computes for one block, from the root towards its producers; without groups or a graph. */
Inside one_block(const Blocks &blocks, const Cut &cut);

/** The same by Func. */
std::map<FuncId, InOneBlock> required(const Blocks &blocks, const Cut &cut);

/** The pipeline with the extents of one block of `size` points of the root's dim `dim`. */
Inside extents_inside(const Blocks &blocks, DimId dim, int64_t size);

/** One block after another of the same request, each with a group for every Func in it. */
class BlockPlanner {
public:
    explicit BlockPlanner(const Blocks &blocks) : blocks_(blocks) {
    }

    /** As extents_inside(), with groups instead of a graph; nothing where computing all blocks takes `limit`
     * or longer on all cores, or where blocks are to slide and no Func does. */
    std::optional<Inside> plan(const Cut &cut, Seconds limit);

private:
    const Blocks &blocks_;
    std::optional<Graph> graph_;  ///< with the extents of the block that was asked for last; made when a
                                  ///< group is wanted that no other block had

    /** The group of `f`; null where it computes for `limit` or longer. */
    std::shared_ptr<const Group> group(const Inside &in, FuncId f, Seconds limit, bool &set);
    std::shared_ptr<const Group> search(const Inside &in, FuncId f, Seconds limit, bool &set);
};

/** The loops around blocks that slide: strips of `strip` points, tasks where there are several cores. */
Outside loops_of_strips(const Blocks &blocks, const Cut &cut, const Inside &inside, int64_t strip);

/** The group of the root with everything in it, priced; where computing alone takes `limit`, its cost is
 * infinite. */
Group block_nest(const Blocks &blocks, const Inside &inside, const Outside &outside, Seconds limit);

}  // namespace eutectic
