#include "fusion/search/completer.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "fusion/policies/policy.h"
#include "fusion/rewrite.h"
#include "fusion/rules/rule.h"
#include "fusion/search/lifetimes.h"

namespace eutectic {

namespace {

/** Funcs of the algorithm that are inlined; inputs are loads, not Funcs to merge. */
Table<FuncId, bool> inlined_flags(const Graph &graph, const Placements &placements) {
    std::vector<bool> flags;
    for (const FuncId f : placements.ids()) {
        flags.push_back(placements[f].kind == Placement::Kind::inlined && !graph.funcs[f].input);
    }
    return flags;
}

/** Adds `func` and the Funcs computed with it, inlined ones before their readers. */
void collect(const Graph &graph, FuncId func, const Table<FuncId, bool> &inlined,
             std::vector<FuncId> &members) {
    if (std::find(members.begin(), members.end(), func) != members.end()) {
        return;
    }
    for (const StageId s : graph.funcs[func].stages) {
        for (const EdgeId e : graph.stages[s].edges) {
            const FuncId producer = graph.edges[e].producer;
            if (inlined[producer]) {
                collect(graph, producer, inlined, members);
            }
        }
    }
    members.push_back(func);
}

/** What the key of a group says of one member: the Func and how its definition is rewritten. */
std::string key_of(const Graph &graph, const Placements &placements, FuncId f) {
    std::string key = std::to_string(f);
    for (const RewriteUse &u : placements.rewrites()) {
        if (u.func == f) {
            key += std::string(" ") + u.rewrite->name();
        }
    }
    if (const auto by = also_changed_by(graph, placements, f)) {
        key += std::string(" by ") + by->rewrite->name();
    }
    return key + ",";
}

/** `group` with the numbers from `next` on for what is made in it, in the order in which it says so. */
Group numbered(const Graph &graph, const Group &group, FuncId &next) {
    std::map<FuncId, FuncId> numbers;
    const auto number = [&](FuncId f) {
        const bool made = f >= graph.funcs.next_id();
        return !made ? f : numbers.count(f) > 0 ? numbers.at(f) : numbers.emplace(f, next++).first->second;
    };
    for (const Added &a : group.added) {
        number(a.id);
    }
    return renamed(group, number);
}

}  // namespace

Completer::Completer(const Graph &graph, const Machine &machine, Pins pins)
    : graph_(graph), machine_(machine), pins_(std::move(pins)), made_(graph.funcs.size()) {
}

void Completer::add_to(Group &group, const Placements &placements, const std::vector<FuncId> &sharing_nest) {
    for (const RewriteUse &u : placements.rewrites()) {
        if (std::binary_search(group.members.begin(), group.members.end(), u.func)) {
            u.rewrite->add_to(group, graph_, placements, u.func, made_);
        }
    }
    // A buffer of its own for what is not handed to the caller.
    const auto allocate = [&](FuncId f) {
        const FuncInfo &info = graph_.funcs[f];
        group.cost.launch +=
            info.output ? 0 : info.tuple_size * allocation_cost(info.bytes() / info.tuple_size, machine_);
    };
    std::for_each(sharing_nest.begin(), sharing_nest.end(), allocate);
    allocate(group.root);
}

const Group &Completer::group(FuncId root, const Placements &placements, const Table<FuncId, bool> &inlined) {
    const Graph &graph = placements.reads(graph_);
    const std::vector<FuncId> blocked = placed_in(placements, Placement::Kind::block, root);
    std::vector<FuncId> tiled, members;
    std::string key;
    const auto add = [&](FuncId in) {
        tiled = placed_in(placements, Placement::Kind::at, in);
        for (const FuncId f : tiled) {
            collect(graph, f, inlined, members);
            key += std::to_string(f) + ",";
        }
        collect(graph, in, inlined, members);
        key += "at " + std::to_string(in) + ";";
    };
    std::for_each(blocked.begin(), blocked.end(), add);
    const std::vector<FuncId> sharing_nest = sharing_nest_of(placements, root);
    for (const FuncId f : sharing_nest) {
        collect(graph, f, inlined, members);
        key += "with " + std::to_string(f) + ";";
    }
    add(root);
    for (const FuncId f : members) {
        key += key_of(graph_, placements, f);
    }
    const auto it = groups_.find(key);
    if (it != groups_.end()) {
        return it->second;
    }
    searched_members_ += members.size();
    std::sort(members.begin(), members.end());
    const std::optional<Machine> limited =
        pins_.limits.empty() ? std::nullopt
                             : std::optional(within_limits(machine_, pins_.limits, root, members));
    const Placements places = placements.places();
    GroupRequest request{placements.rewritten(graph_),
                         limited ? *limited : machine_,
                         places,
                         inlined,
                         made_,
                         root,
                         tiled,
                         blocked,
                         &inside_blocks_,
                         false,
                         sharing_nest,
                         0,
                         &pins_};
    std::vector<Group> others;
    request.considered = keeps_others_ ? &others : nullptr;
    Group g = best_group(request);
    g.members = members;
    add_to(g, placements, sharing_nest);
    for (Group &other : others) {
        other.members = members;
        other.refused = g.refused;
        add_to(other, placements, sharing_nest);
        others_[root].push_back(std::move(other));
    }
    return groups_.emplace(key, std::move(g)).first->second;
}

void Completer::mark_groups(const Placements &placements, FuncId func, Table<FuncId, bool> &marked,
                            Table<FuncId, bool> &seen) const {
    if (seen[func]) {
        return;
    }
    seen[func] = true;
    const Placement &p = placements[func];
    if (p.kind == Placement::Kind::root) {
        marked[func] = true;
    } else if (p.kind != Placement::Kind::inlined) {
        mark_groups(placements, p.consumer, marked, seen);
    } else {
        for (const FuncId reader : graph_.consumer_funcs(func)) {
            mark_groups(placements, reader, marked, seen);
        }
    }
}

Table<FuncId, Completer::OfRoot> Completer::by_root(const Placements &placements,
                                                    std::vector<FuncId> *differing) {
    const size_t count = placements.size();
    const bool all = base_.size() != count || base_.change_reads() || placements.change_reads();
    Table<FuncId, bool> changed(count, all), seen_before(count, false), seen_now(count, false);
    for (const FuncId f : placements.ids()) {
        if (!all && !placements.agree(base_, f)) {
            mark_groups(base_, f, changed, seen_before);
            mark_groups(placements, f, changed, seen_now);
        }
    }
    if (differing) {
        for (const FuncId f : changed.ids()) {
            if (changed[f]) {
                differing->push_back(f);
            }
        }
    }
    const Table<FuncId, bool> inlined = inlined_flags(graph_, placements);
    Table<FuncId, OfRoot> of_roots(count);
    for (const FuncId f : placements.ids()) {
        if (placements[f].kind == Placement::Kind::root && !changed[f]) {
            of_roots[f] = base_of_roots_[f];
        } else if (placements[f].kind == Placement::Kind::root) {
            const Group &g = group(f, placements, inlined);
            of_roots[f] = {g.cost.total() - g.cost.compiling, g.cost.compiling, g.scratch};
        }
    }
    return of_roots;
}

void Completer::compare_with(const Placements &placements) {
    base_of_roots_ = by_root(placements);
    base_ = placements;
}

Seconds Completer::trimming(const Placements &placements, const Table<FuncId, OfRoot> &of_roots) const {
    const size_t n = placements.size();
    const Table<FuncId, Lifetime> times = lifetimes(graph_, placements);
    Table<FuncId, Bytes> alive(n, 0), changes(n + 1, 0);
    Bytes largest = 0;
    for (const FuncId f : placements.ids()) {
        alive[f] += std::accumulate(of_roots[f].scratch.begin(), of_roots[f].scratch.end(), Bytes{0});
        if (is_buffer(graph_, placements, f)) {
            const Bytes bytes = graph_.funcs[f].bytes(), one = bytes / graph_.funcs[f].tuple_size;
            largest = one <= machine_.kept_allocation_bytes ? std::max(largest, one) : largest;
            changes[times[f].first] += bytes;
            changes[times[f].last + 1] -= bytes;
        }
    }
    Bytes buffered = 0;
    for (const FuncId f : placements.ids()) {
        buffered += changes[f];
        alive[f] += buffered;
    }
    const FuncId peak = alive.id_of(std::max_element(alive.begin(), alive.end()));
    std::vector<Bytes> buffers;
    for (const FuncId f : placements.ids()) {
        if (is_buffer(graph_, placements, f) && times[f].first <= peak && peak <= times[f].last) {
            const FuncInfo &func = graph_.funcs[f];  // Halide allocates a buffer for each of a Tuple's values
            buffers.insert(buffers.end(), static_cast<size_t>(func.tuple_size),
                           func.bytes() / func.tuple_size);
        }
    }
    if (placements.contains(peak)) {
        const std::vector<Bytes> &scratch = of_roots[peak].scratch;
        buffers.insert(buffers.end(), scratch.begin(), scratch.end());
    }
    return trimming_cost(buffers, machine_, largest);
}

Seconds Completer::sum(const Placements &placements, bool compiling, std::vector<FuncId> *changed) {
    const Table<FuncId, OfRoot> of_roots = by_root(placements, changed);
    Seconds sum = overlook_trimming_ ? 0 : trimming(placements, of_roots);
    met_trimming_ = met_trimming_ || sum > 0;
    for (const OfRoot &r : of_roots) {
        sum += compiling ? r.run + r.compiling : r.run;
    }
    return sum;
}

Seconds Completer::total(const Placements &placements, std::vector<FuncId> *changed) {
    return sum(placements, true, changed);
}

Seconds Completer::run(const Placements &placements) {
    return sum(placements, false);
}

FusionPlan Completer::plan(const Placements &placements) {
    const Table<FuncId, bool> inlined = inlined_flags(graph_, placements);
    FusionPlan plan;
    plan.placements = placements;
    plan.trimming = trimming(placements, by_root(placements));
    for (const FuncId f : placements.ids()) {
        if (placements[f].kind == Placement::Kind::root) {
            plan.groups.push_back(group(f, placements, inlined));
        }
    }
    number_made(graph_, plan);
    return plan;
}

FusionPlan Completer::plan(const Placements &placements, std::vector<std::vector<Group>> &others) {
    keeps_others_ = true;
    FusionPlan found = plan(placements);
    keeps_others_ = false;
    others.resize(found.groups.size());
    for (size_t g = 0; g < found.groups.size(); g++) {
        others[g] = std::move(others_[found.groups[g].root]);
    }
    return found;
}

void number_made(const Graph &graph, FusionPlan &plan) {
    FuncId next = graph.funcs.next_id();
    for (Group &g : plan.groups) {
        g = numbered(graph, g, next);
    }
}

FusionPlan complete(const Graph &graph, const Machine &machine, const Placements &placements) {
    return Completer(graph, machine).plan(placements);
}

Placements unfused(const Graph &graph) {
    Placements placements;
    for (const FuncInfo &f : graph.funcs) {
        placements.push_back(
            {f.input || !f.between.empty() ? Placement::Kind::inlined : Placement::Kind::root, -1});
    }
    return placements;
}

}  // namespace eutectic
