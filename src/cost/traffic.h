#pragma once

#include <vector>

#include "cost/cost.h"

namespace eutectic {

/** What one stage touches at each level of its loops, found once for all levels of cache: footprints of its
 * loads, level by level, are what most of a price consists of. Refers to the stage and the machine. */
class StageTraffic {
public:
    StageTraffic(const NestedStage &stage, const Machine &machine);

    /** Bytes of each Func that all of the stage's iterations touch. */
    struct Whole {
        FuncId func = -1;
        double bytes = 0;
    };
    std::vector<Whole> touched() const;

    /** See memory_traffic(). */
    Traffic past(double working_set) const;

private:
    /** A group of loads, or the stage's own result. */
    struct Touched {
        const LoadGroup *load;
        bool in_block;            ///< it lives in a buffer of an enclosing block
        double transfers;         ///< how often each of its bytes moves
        size_t first;             ///< of bytes_: those of it
        mutable double run = -1;  ///< run_bytes() of it; < 0: not yet known
    };

    const NestedStage &stage_;
    const Machine &m_;
    const double line_;
    std::vector<Extents> tiles_;  ///< tile_inside() of each loop, and of one iteration
    std::vector<Touched> touched_;
    mutable std::vector<double> bytes_;  ///< of each group, of the iterations inside loop l; the last: of one
                                         ///< iteration; < 0: not yet known
    mutable std::vector<double> private_, shared_;  ///< working sets by loop, for sets chosen by the last
                                                    ///< bits or by all of an address; < 0: not yet known

    void touch(const LoadGroup &load, double transfers);
    double bytes(const Touched &t, size_t at) const;
    double room(const Touched &t, size_t at, bool conflicts) const;
    double working_set(size_t at, bool conflicts) const;
    double shares(size_t at, double cores) const;
    bool fits(size_t at, double capacity, double cores) const;
    double turns(size_t loop, const Access &access) const;
    double brought(const Touched &t, size_t fit, bool shared) const;
    double run_bytes(const Touched &t) const;
    /** Bytes past a level, and runs; of those the ones that a core's own sets of it have no room for. */
    struct Past {
        double bytes = 0, runs = 0, conflicts = 0, short_lines = 0;
    };
    Past past(const CacheLevel &level, double working_set, double cores) const;
};

}  // namespace eutectic
