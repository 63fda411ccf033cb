#pragma once

// What the files of the block policy share: block.cpp searches, block_inside.cpp plans what one block computes, block_nest.cpp puts it into the root's loops.

#include <map>
#include <string>
#include <vector>

#include "features/region.h"
#include "fusion/policies/policy.h"

namespace eutectic {

/** The root's loops around one block. */
struct Outside {
    std::vector<Loop> loops;
    std::vector<bool> gone;  ///< dims of the root of which a block holds one point
};

/** The pipeline inside one block. */
struct Inside {
    Graph graph;
    std::vector<Group> groups;                    ///< of the Funcs in the block, of those that the nest writes beside the root, then the root's
    std::map<FuncId, std::vector<int>> position;  ///< dim of the root → dim of a Func in the block, or -1
    std::map<FuncId, std::vector<Region>> regions;  ///< of each Func in the block, per dimension: what all its readers require together
    double bytes = 0;                             ///< that one block touches
    double blocks = 1;                            ///< how many there are
};

/** One request, and what follows from it. */
struct Blocks {
    explicit Blocks(const GroupRequest &request);

    const GroupRequest &q;
    const Stage &root;
    Machine core;                 ///< one core's share of the machine
    std::vector<FuncId> members;  ///< everything computed inside the block but the root, producers first

    /** How many of the root's inner dims `f`, which the same nest writes, does not have. */
    int missing_dims(FuncId f) const;

    /** How many points of the root's innermost dim one point of `f`, which the same nest writes, goes over. */
    int64_t run(FuncId f) const;

    /** What is inlined into the stages of `f`, computed again for it included. */
    std::vector<bool> inlined(FuncId f) const;

    bool is_member(FuncId f) const;

    /** Is `f` a packed copy, in `g`, of something that no block computes? It is made once, at Root. */
    bool stays_outside(const Group &g, FuncId f) const;
};

/** The same without the groups. `spare`: the graph of an Inside of the same blocks that is done with, to be changed instead of a copy of the whole; empty: there is none. */
Inside extents_inside(const Blocks &blocks, int dim, int64_t size, Graph spare = {});

/** The pipeline with the extents of one block of `size` points of the root's dim `dim`, from the root towards its producers, and a group for each Func in it. */
Inside pipeline_inside(const Blocks &blocks, int dim, int64_t size, Graph spare = {});

/** The group of the root with everything in it, priced; where computing alone takes `limit`, its cost is infinite. */
Group block_nest(const Blocks &blocks, const Inside &inside, const Outside &outside, Seconds limit);

}  // namespace eutectic
