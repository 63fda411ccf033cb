#pragma once

// The order in which a policy looks at many candidates of which it knows what each takes at least.

#include <algorithm>
#include <utility>
#include <vector>

#include "base/units.h"

namespace eutectic {

template<class Candidate>
class Promising {
public:
    /** `least`: what it takes at least. */
    void add(Seconds least, Candidate candidate) {
        all_.emplace_back(least, std::move(candidate));
    }

    /** Looks at the most promising first, of equals at the one that was added first. Once one takes at least
     * what `limit()` says then, so do all others; `is_better` prices one, and says whether it is better than
     * all before, or none is found yet. */
    template<class Limit, class IsBetter>
    void look(Limit limit, IsBetter is_better) {
        std::stable_sort(all_.begin(), all_.end(),
                         [](const auto &a, const auto &b) { return a.first < b.first; });
        int no_better = 0;
        for (const auto &[least, candidate] : all_) {
            if (least >= limit() || no_better == most_no_better) {
                break;
            }
            no_better = is_better(candidate) ? 0 : no_better + 1;
        }
    }

private:
    /** Where memory decides, arithmetic ends nothing: after so many in a row that are no better the rest is
     * not looked at. Chosen: 13 generators have the same plans with more, but for one, which has a better one
     * with 8 and is planned in half the time. */
    static constexpr int most_no_better = 8;

    std::vector<std::pair<Seconds, Candidate>> all_;
};

}  // namespace eutectic
