#pragma once

#include <map>
#include <string>
#include <vector>

#include "fusion/search/moves.h"

namespace eutectic {

/** What rules offered at sites when these were last priced, on the way from one placement to the next. What a
 * move saves is a matter of the groups that it changes: while no step has changed one of them, it saves what
 * it saved before. (Two things it does not see: legality that depends on Funcs elsewhere, and what the
 * allocator gives back, which depends on all buffers. So moves are priced once more before they are taken,
 * and all of them before a search ends.) */
class PricedSites {
public:
    /** The moves that `rule` offered at `site`; null where they were never priced, or a step since has
     * changed one of their groups. */
    const std::vector<Move> *find(const Rule &rule, const Site &site) const;

    void keep(const Rule &rule, const Site &site, std::vector<Move> moves);

    /** A step was taken that changed the groups of these roots: moves that change one of them are forgotten,
     * the others are from now on those of before. */
    void forget(const std::vector<FuncId> &roots);

    void forget_all() {
        moves_.clear();
    }

    /** Is any of them older than the last step? */
    bool any_of_before() const;

private:
    using Key = std::pair<std::string, std::vector<FuncId>>;  // the rule; the producer and its consumers
    std::map<Key, std::vector<Move>> moves_;

    static Key key(const Rule &rule, const Site &site);
};

}  // namespace eutectic
