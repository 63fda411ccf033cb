#include "fusion/search/priced_sites.h"

#include <algorithm>
#include <utility>

namespace eutectic {

PricedSites::Key PricedSites::key(const Rule &rule, const Site &site) {
    Key key{rule.name, site.consumers};
    key.second.push_back(site.producer);
    return key;
}

const std::vector<Move> *PricedSites::find(const Rule &rule, const Site &site) const {
    const auto it = moves_.find(key(rule, site));
    return it == moves_.end() ? nullptr : &it->second;
}

void PricedSites::keep(const Rule &rule, const Site &site, std::vector<Move> moves) {
    if (!moves.empty()) {  // what changes no group would never be forgotten
        moves_[key(rule, site)] = std::move(moves);
    }
}

void PricedSites::forget(const std::vector<FuncId> &roots) {
    const auto changes_one = [&](const Move &move) {
        return std::find_first_of(move.roots.begin(), move.roots.end(), roots.begin(), roots.end()) !=
               move.roots.end();
    };
    for (auto it = moves_.begin(); it != moves_.end();) {
        std::vector<Move> &moves = it->second;
        if (std::any_of(moves.begin(), moves.end(), changes_one)) {
            it = moves_.erase(it);
            continue;
        }
        std::for_each(moves.begin(), moves.end(), [](Move &m) { m.priced_before = true; });
        ++it;
    }
}

bool PricedSites::any_of_before() const {
    return std::any_of(moves_.begin(), moves_.end(), [](const auto &of_site) {
        return std::any_of(of_site.second.begin(), of_site.second.end(),
                           [](const Move &m) { return m.priced_before; });
    });
}

}  // namespace eutectic
