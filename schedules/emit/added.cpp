#include "schedules/emit/added.h"

#include <algorithm>

namespace eutectic {

namespace {

using Takes = MadeRewrite::Takes;

/** Which definitions what is added is made of: no later ones than what is made of it in turn. */
Takes takes(const Group &g, const Added &a) {
    Takes first = a.kind == Added::Kind::rewrite ? rewrite_named(a.name).takes() : Takes::final;
    for (const Added &b : g.added) {
        first = b.of == a.id && b.id != a.id ? std::min(first, takes(g, b)) : first;
    }
    return first;
}

/** Is `a` a copy of a sum that a write_tile, which comes after it, writes? It is to copy that: of the sum
 * itself there are a few registers. */
bool packs_tile_to_come(const Group &g, const Added &a) {
    bool after = false, to_come = false;
    for (const Added &b : g.added) {
        after = after || b.id == a.id;
        to_come = to_come || (after && b.kind == Added::Kind::write_tile && b.of == a.of);
    }
    return a.kind == Added::Kind::pack && to_come;
}

}  // namespace

std::vector<const Added *> added_in_order(const Group &group, Takes definitions) {
    std::vector<const Added *> added;
    for (const Added &a : group.added) {
        if (takes(group, a) == definitions) {
            added.push_back(&a);
        }
    }
    std::stable_partition(added.begin(), added.end(),
                          [&](const Added *a) { return !packs_tile_to_come(group, *a); });
    return added;
}

}  // namespace eutectic
