// m(i) = max over k of v(k, i);  s(i) += exp(v(k, i) - m(i)) * w(k, i);  y(j, i) = f(m(i), s(i))   →   one
// pass over k for both: of what it has seen each thread keeps the largest v and the sum scaled by that, and
// scales the sum anew whenever the maximum grows. In blocks of y's rows, where all that is computed from m
// and s on the way there may be; or at Root, m with s.
//
// The row is read once instead of twice. Terms meet in another order and are rounded otherwise, hence the
// grade. Legal when 1. numerics are not strict, 2. neither m nor s is an output, or scheduled or kept by the
// user, 3. both are read at their readers' own points, and by no extern stage,
// 4. what only s reads on its way from m may be inlined: nothing reads it any more, 5. s does not divide its
// terms late, and m has no other such sum.

#include <algorithm>

#include "fusion/rules/rules.h"

namespace eutectic {

namespace {

using Kind = Placement::Kind;

/** The last Func at Root that m or the sum is read by: what is between is computed from them, too. -1:
 * nothing reads them. */
FuncId last_reader(const Graph &graph, const Placements &placements, FuncId sum, FuncId maximum) {
    FuncId last = -1;
    for (const FuncId f : {sum, maximum}) {
        for (const FuncId h : homes_of_readers(graph, placements, f)) {
            last = h == sum ? last : std::max(last, h);
        }
    }
    return last;
}

std::vector<Site> match(const Graph &graph, const Placements &placements) {
    std::vector<Site> sites;
    for (const FuncId s : placements.ids()) {
        const FuncInfo &info = graph.funcs[s];
        if (info.input || info.stages.size() != 2 || !graph.last_stage(s).online) {
            continue;
        }
        if (const FuncId maximum = graph.last_stage(s).online->maximum;
            last_reader(graph, placements, s, maximum) >= 0) {
            sites.push_back({s, {maximum}});
        }
    }
    return sites;
}

/** What is computed from `maximum`, itself too: one flag for each Func. */
Table<FuncId, bool> made_from(const Graph &graph, FuncId maximum) {
    Table<FuncId, bool> from(graph.funcs.size(), false);
    from[maximum] = true;
    for (const Edge &e : graph.edges) {  // producers first
        const FuncId reader = graph.stages[e.consumer].func;
        from[reader] = from[reader] || from[e.producer];
    }
    return from;
}

/** What only the sum reads on its way from the maximum, readers first: nothing does, once the terms are made
 * of the values themselves. */
std::vector<FuncId> no_longer_read(const Graph &graph, FuncId sum) {
    const FuncId maximum = graph.last_stage(sum).online->maximum;
    const Table<FuncId, bool> from = made_from(graph, maximum);
    std::vector<FuncId> unread;
    for (FuncId f = sum - 1; f > maximum; f--) {
        const std::vector<FuncId> all = graph.consumer_funcs(f);
        const auto is_gone = [&](FuncId reader) {
            return reader == sum || std::find(unread.begin(), unread.end(), reader) != unread.end();
        };
        if (from[f] && !all.empty() && std::all_of(all.begin(), all.end(), is_gone)) {
            unread.push_back(f);
        }
    }
    return unread;
}

/** `placements` with the sum, its maximum, and what is computed from them on the way to `root` in blocks of
 * that. */
Placements in_blocks(const Graph &graph, const Placements &placements, FuncId sum, FuncId root) {
    const Table<FuncId, bool> from = made_from(graph, graph.last_stage(sum).online->maximum);
    Placements next = apart_from_pure(graph, placements, root);
    for (FuncId f = root - 1; f >= 0; f--) {  // readers first
        const Placement &p = next[f];
        if (from[f] && p.kind == Kind::root && may_compute_in_block(graph, next, f, root)) {
            const Placements before = next;
            next[f] = p.moved(Kind::block, root);
            settle(graph, before, next);
        }
    }
    return next;
}

bool is_in_block(const Placement &p, FuncId root) {
    return p.kind == Kind::block && p.consumer == root;
}

/** Is `f` read, other than by the sum, only where its readers have a point for it? Then a block of rows needs
 * as many pairs as it has rows. */
Verdict read_at_own_points(const Graph &graph, const Placements &placements, FuncId f, FuncId sum) {
    const std::string &name = graph.funcs[f].name;
    for (const StageId s : graph.consumers(f)) {
        const Stage &reader = graph.stages[s];
        if (reader.external) {
            return Verdict::forbid(graph.funcs[reader.func].name + " is an extern stage, which takes " +
                                   name + " as a buffer");
        }
    }
    for (const Reader &r : readers(graph, placements, f)) {
        const std::vector<Index> &indices = r.access.indices;
        if (r.func != sum && !std::all_of(indices.begin(), indices.end(),
                                          [](const Index &i) { return i.equals_dim() >= 0; })) {
            return Verdict::forbid(graph.funcs[r.func].name + " reads " + name +
                                   " at other points than its own");
        }
    }
    return Verdict::allow();
}

Verdict legal(const Graph &graph, const Placements &placements, const Site &site) {
    const FuncId sum = site.producer, maximum = site.consumers.front();
    const FuncInfo &s = graph.funcs[sum], &m = graph.funcs[maximum];
    if (graph.strict) {
        return Verdict::forbid("summing up " + s.name + " in one pass with " + m.name +
                               " would scale its terms more than once, which strict numerics forbid");
    }
    for (const FuncId f : {sum, maximum}) {
        if (const Verdict leave = may_leave_root(graph, f); !leave) {
            return leave;
        }
        if (const Verdict own = read_at_own_points(graph, placements, f, sum); !own) {
            return own;
        }
    }
    if (placements[sum].divide_late) {
        return Verdict::forbid(s.name +
                               " is divided where its tile is written, and has to be summed up there");
    }
    for (const FuncId f : no_longer_read(graph, sum)) {
        if (const Verdict unread = may_inline(graph, placements, {f, {sum}}); !unread) {
            return unread;
        }
    }
    for (const FuncId f : placements.ids()) {
        if (f != sum && placements[f].online && graph.last_stage(f).online->maximum == maximum) {
            return Verdict::forbid(m.name + " is computed in one pass with " + graph.funcs[f].name +
                                   " already");
        }
    }
    return Verdict::allow();
}

/** `placements` with the sum at Root, in one pass with its maximum. */
Placements at_root(const Graph &graph, const Placements &placements, FuncId sum) {
    Placements next = apart(placements, sum);
    next[sum] = {Kind::root, -1, false, false, true};
    next[graph.last_stage(sum).online->maximum] = {Kind::with, sum};
    settle(graph, placements, next);
    return next;
}

std::vector<Placements> candidates(const Graph &graph, const Placements &placements, const Site &site) {
    const FuncId sum = site.producer, root = last_reader(graph, placements, sum, site.consumers.front());
    Placements start = placements;
    for (const FuncId f : no_longer_read(graph, sum)) {
        start = inline_producer(graph, start, f);
    }
    std::vector<Placements> result;
    const auto offer = [&](const Placements &next) {
        if (next[sum].online && !(next == placements)) {
            result.push_back(next);
        }
    };
    Placements inside = in_blocks(graph, start, sum, root);
    inside[sum].online = is_in_block(inside[sum], root);
    keep_online(graph, inside);
    offer(inside);
    if (!is_in_block(placements[sum],
                     root)) {  // else it would be one kernel more, which has to be worth it on devices that
                               // are not quite as estimated
        offer(at_root(graph, start, sum));
    }
    return result;
}

}  // namespace

void keep_online(const Graph &graph, Placements &placements) {
    for (const FuncId f : placements.ids()) {
        Placement &p = placements[f];
        if (p.online) {
            const Placement &maximum = placements[graph.last_stage(f).online->maximum];
            p.online =
                p.kind == Kind::root ? maximum == Placement{Kind::with, f} : is_in_block(maximum, p.consumer);
        }
    }
}

Rule sum_online() {
    Rule rule{"sum_online", match, legal, candidates, true};
    rule.waits = true;  // on two passes that are in a block of their reader already it saves less than on
                        // those that are not
    return rule;
}

}  // namespace eutectic
