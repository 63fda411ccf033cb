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

#include "features/work.h"
#include "fusion/rewrite.h"
#include "fusion/rules/rules.h"
#include "graph/read/online_sum.h"
#include "graph/read/read_expr.h"
#include "schedules/rewrites.h"
#include "schedules/rewrites/made_rewrite.h"
#include "schedules/rewrites/patterns.h"

namespace eutectic {

using namespace Halide;

namespace {

using Kind = Placement::Kind;

const OnlineUpdate *online_of(const Graph &graph, FuncId sum) {
    const FuncInfo &info = graph.funcs[sum];
    return info.input || info.stages.size() != 2 ? nullptr : pattern_of<OnlineUpdate>(graph.last_stage(sum));
}

/** The last Func at Root that m or the sum is read by: what is between is computed from them, too. -1:
 * nothing reads them. */
FuncId last_reader(const Graph &graph, const Placements &placements, FuncId sum, FuncId maximum) {
    FuncId last = -1;
    for (const FuncId f : {sum, maximum}) {
        for (const FuncId h : roots_of_readers(graph, placements, f)) {
            last = h == sum ? last : std::max(last, h);
        }
    }
    return last;
}

std::vector<Site> match(const Graph &graph, const Placements &placements) {
    std::vector<Site> sites;
    for (const FuncId s : placements.ids()) {
        const OnlineUpdate *online = online_of(graph, s);
        if (online && last_reader(graph, placements, s, online->maximum) >= 0) {
            sites.push_back({s, {online->maximum}});
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
    const FuncId maximum = online_of(graph, sum)->maximum;
    const Table<FuncId, bool> from = made_from(graph, maximum);
    std::vector<FuncId> unread;
    for (FuncId f = sum - 1; f > maximum; f--) {
        const std::vector<FuncId> &all = graph.consumer_funcs(f);
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
    const Table<FuncId, bool> from = made_from(graph, online_of(graph, sum)->maximum);
    Placements next = apart_from_pure(graph, placements, root);
    for (FuncId f = root - 1; f >= 0; f--) {  // readers first
        const Placement &p = next[f];
        if (from[f] && p.kind == Kind::root && may_compute_in_block(graph, next, f, root)) {
            const Placements before = next;
            next[f] = {Kind::block, root};
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
        const Table<DimId, Index> &indices = r.access.indices;
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
    if (const Verdict elsewhere = rewrites_allow(graph, placements, sum, NestSharing::other_loops);
        !elsewhere) {
        return elsewhere;
    }
    for (const FuncId f : no_longer_read(graph, sum)) {
        if (const Verdict unread = may_inline(graph, placements, {f, {sum}}); !unread) {
            return unread;
        }
    }
    for (const FuncId f : placements.ids()) {
        if (f != sum && placements.uses(online_sum_rewrite(), f) && online_of(graph, f)->maximum == maximum) {
            return Verdict::forbid(m.name + " is computed in one pass with " + graph.funcs[f].name +
                                   " already");
        }
    }
    return Verdict::allow();
}

/** `placements` with the sum at Root, in one pass with its maximum. */
Placements at_root(const Graph &graph, const Placements &placements, FuncId sum) {
    Placements next = apart(placements, sum);
    next[sum] = {Kind::root, -1};
    next.use(online_sum_rewrite(), sum);
    next[online_of(graph, sum)->maximum] = {Kind::one_pass, sum};
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
        if (next.uses(online_sum_rewrite(), sum) && next != placements) {
            result.push_back(next);
        }
    };
    Placements inside = in_blocks(graph, start, sum, root);
    if (is_in_block(inside[sum], root)) {
        inside.use(online_sum_rewrite(), sum);
    } else {
        inside.drop(online_sum_rewrite(), sum);
    }
    keep_rewrites(graph, inside);
    offer(inside);
    if (!is_in_block(placements[sum],
                     root)) {  // else it would be one kernel more, which has to be worth it on devices that
                               // are not quite as estimated
        offer(at_root(graph, start, sum));
    }
    return result;
}

/** The pure definition `id` reads `func` at its own point: that is needed wherever it is. */
void read_where_it_starts(Graph &graph, StageId id, FuncId func) {
    const size_t dims = graph.funcs[func].extents.size();
    Edge e;
    e.producer = func;
    e.consumer = id;
    e.access = identity_access(dims, dims);
    graph.stages[id].edges.push_back(graph.edges.next_id());
    graph.edges.push_back(std::move(e));
}

/** Bytes that a pass over the terms of the sum `s` reads. */
Bytes pass_bytes(const Graph &graph, FuncId s) {
    Extents all;
    for (const Dim &d : graph.last_stage(s).dims) {
        all.push_back(d.extent);
    }
    double bytes = 0;
    for (const Edge &e : online_of(graph, s)->update.edges) {
        const FuncInfo &of = graph.funcs[e.producer];
        bytes += footprint({e.producer, e.access, of.bytes_per_point, of.extents}, all) * of.bytes_per_point;
    }
    return static_cast<Bytes>(bytes);
}

/** Partial results of a pair, which Halide's rfactor() makes of single values only. */
class PartialPairs : public MadeRewrite {
public:
    const char *name() const override {
        return "partial_pairs";
    }
    const char *function() const override {
        return "partial_pairs";
    }
    bool takes_size() const override {
        return true;
    }
    Func make(const RewriteArguments &a) const override {
        return partial_pairs(a.func, a.size);
    }
};

const PartialPairs pairs;

class OnlineSumRewrite : public MadeRewrite {
public:
    const char *name() const override {
        return "online";
    }

    std::shared_ptr<const Pattern> find(const DefinitionContext &d) const override;

    std::optional<Rule> rule() const override {
        Rule rule{"sum_online", match, legal, candidates, true};
        rule.waits = true;  // on two passes that are in a block of their reader already it saves less than on
                            // those that are not
        return rule;
    }

    void rewrite(Graph &graph, const Graph &algorithm, const Placements &placements,
                 FuncId func) const override {
        const std::vector<StageId> &stages = graph.funcs[func].stages;
        const OnlineUpdate &online = *online_of(algorithm, func);
        replace_body(graph, stages.back(), online.update);
        graph.stages[stages.back()].pair = RunningPair{online.maximum, online.merge, this};
        if (placements[func].kind == Kind::block) {
            read_where_it_starts(graph, stages.front(), online.maximum);
        }
    }

    bool computes(const Graph &algorithm, FuncId func, FuncId other) const override {
        return func == other || online_of(algorithm, func)->maximum == other;
    }

    bool holds(const Graph &graph, const Placements &placements, FuncId func) const override {
        const Placement &p = placements[func], &maximum = placements[online_of(graph, func)->maximum];
        return p.kind == Kind::root    ? maximum == Placement{Kind::one_pass, func}
               : p.kind == Kind::block ? is_in_block(maximum, p.consumer)
                                       : false;
    }

    std::string explain(const Graph &graph, FuncId func) const override {
        const OnlineUpdate &online = *online_of(graph, func);
        return "sum_online has " + graph.funcs[online.maximum].name + " and " + graph.funcs[func].name +
               " in one pass instead of two over " + format_bytes(pass_bytes(graph, func)) + ", with " +
               format_count(static_cast<int64_t>(online.update.body.flops)) + " operations and " +
               format_count(static_cast<int64_t>(online.update.body.transcendentals)) + " exponential a term";
    }

    const char *function() const override {
        return "sum_online";
    }
    Func make(const RewriteArguments &a) const override {
        return sum_online(a.func, a.others.at(0));
    }
    const MadeRewrite *partials() const override {
        return &pairs;
    }
};

std::shared_ptr<const Pattern> OnlineSumRewrite::find(const DefinitionContext &d) const {
    const bool reduces = d.stage.role == Role::reduction || d.stage.role == Role::contraction;
    const std::optional<OnlineSum> sum =
        d.stage.update >= 0 && reduces ? online_sum(d.f, d.order.ids) : std::nullopt;
    if (!sum) {
        return nullptr;
    }
    const Type type = d.f.output_types()[0];
    const auto variable = [&](const char *name) { return Internal::Variable::make(type, name); };
    const RunningSum before{variable("running_maximum"), variable("running_sum")};
    const RunningSum one = merged(before, {sum->value, sum->weight}),
                     two = merged(before, {variable("maximum"), variable("sum")});
    auto online = std::make_shared<OnlineUpdate>();
    online->maximum = d.order.ids.at(sum->maximum.name());
    online->others = {online->maximum};
    // As one value: what both need is computed once.
    online->update = d.bodies.rewritten({one.maximum + one.sum}, d.stage.dims, d.f.name());
    online->merge = d.bodies.work(two.maximum + two.sum);
    return online;
}

}  // namespace

const MadeRewrite &online_sum() {
    static const OnlineSumRewrite rewrite;
    return rewrite;
}

const MadeRewrite &partial_pairs() {
    return pairs;
}

const Rewrite &online_sum_rewrite() {
    return online_sum();
}

}  // namespace eutectic
