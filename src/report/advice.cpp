#include "report/advice.h"

#include <algorithm>

#include "fusion/rules/rules.h"

namespace eutectic {

namespace {

/** Of the whole: what is less goes unsaid. Chosen, not measured. */
constexpr double least_share = 0.01;

bool computed_in_memory(const Graph &graph, const Placements &placements, FuncId f) {
    return !graph.funcs[f].input && !graph.funcs[f].output && materialized(placements[f]) &&
           !shares_nest(placements[f]) && graph.funcs[f].why_own_loops().empty() &&
           graph.funcs[f].own_buffer_reason.empty();
}

/** The one Func that reads `f`, or -1. */
FuncId only_reader(const Graph &graph, FuncId f) {
    const std::vector<FuncId> &all = graph.consumer_funcs(f);
    return all.size() == 1 ? all.front() : no_func;
}

/** How `reader`, a pure Func, reads `f`: in one way, or null. */
const Access *one_access(const Graph &graph, FuncId f, FuncId reader) {
    const Access *found = nullptr;
    for (const EdgeId e : graph.pure_stage(reader).edges) {
        const Edge &edge = graph.edges[e];
        if (edge.producer == f) {
            if (found || edge.taps != 1) {
                return nullptr;
            }
            found = &edge.access;
        }
    }
    return found;
}

/** Are its dimensions those of the reader, in another order? */
bool transposes(const Access &access) {
    bool other = false;
    for (const DimId d : access.indices.ids()) {
        other = other || access.indices[d].equals_dim() != d;
    }
    return other && access.permutation();
}

bool is_view(const Graph &graph, FuncId f) {
    return graph.funcs[f].stages.size() == 1 && graph.pure_stage(f).role == Role::view;
}

/** Are its indices those of a reshape or of a slice: known, and no clamp among them? */
bool rearranges(const Access &access) {
    return std::all_of(access.indices.begin(), access.indices.end(), [](const Index &i) {
        return i.affine && i.clamped_dim < 0 && (!i.held || i.wraps > 0);
    });
}

/** Could what reads `view` be written in other coordinates? It is pure, and reads each point at its own. */
bool read_pointwise(const Graph &graph, FuncId view) {
    const std::vector<FuncId> &all = graph.consumer_funcs(view);
    return !all.empty() && std::all_of(all.begin(), all.end(), [&](FuncId reader) {
        const bool pure =
            graph.funcs[reader].stages.size() == 1 && graph.pure_stage(reader).role == Role::pointwise;
        const Access *const access = pure ? one_access(graph, view, reader) : nullptr;
        return access && access->permutation();
    });
}

/** Why `f` is not computed at the tile of what reads it; empty where it might be. */
std::string no_tile(const Graph &graph, const Placements &placements, FuncId f) {
    for (const Reader &r : readers(graph, placements, f)) {
        if (const Verdict at_tile = may_compute_at_tile(graph, placements, f, r.func); !at_tile) {
            return at_tile.reason();
        }
    }
    return "";
}

std::string about_reshape(const Graph &graph, FuncId f, FuncId view, const std::string &why, Seconds gain) {
    const std::string name = graph.funcs[f].name, by = graph.funcs[view].name;
    return by + ", which only rearranges " + name + ", stands between it and what reads it, and " + name +
           " stays in memory (" + why + "): write the Funcs that read " + by + " in the coordinates of " +
           name + ", and rearrange their result, so that " + name +
           " can be computed at their tile; writing and reading its " + format_bytes(graph.funcs[f].bytes()) +
           " takes a predicted " + format_seconds(gain);
}

std::string about_transpose(const Graph &graph, FuncId f, FuncId view, Seconds gain) {
    const std::string name = graph.funcs[f].name, by = graph.funcs[view].name;
    return by + " is a transposed copy of " + name + " in memory, and nothing else reads " + name +
           ": define " + name + " with its dimensions in the order of " + by + " and read it instead of " +
           by + "; the copy takes a predicted " + format_seconds(gain);
}

/** What the nest takes that computes `f` alone; 0 where it computes more. */
Seconds nest_of_its_own(const FusionPlan &plan, FuncId f) {
    for (const Group &g : plan.groups) {
        if (g.root == f && g.members.size() == 1) {
            return g.cost.total();
        }
    }
    return 0;
}

}  // namespace

std::vector<std::string> advice(const Graph &graph, const Planned &planned, const Machine &machine) {
    std::vector<std::string> sentences;
    const Placements &placements = planned.plan.placements;
    const Seconds least = least_share * planned.plan.cost().total();
    for (const FuncId f : graph.funcs.ids()) {
        const FuncId view = graph.funcs[f].input ? no_func : only_reader(graph, f);
        if (view < 0 || !is_view(graph, view) || graph.funcs[view].output ||
            !computed_in_memory(graph, placements, f)) {
            continue;
        }
        const Access *const access = one_access(graph, f, view);
        if (!access) {
            continue;
        }
        const Bytes moved = 2 * graph.funcs[f].bytes();
        const Seconds moving = cost_model(machine).moving(moved, moved, machine);
        const std::string why = no_tile(graph, placements, f);
        if (!access->permutation() && !why.empty() && graph.funcs[f].stages.size() == 2 &&
            rearranges(*access) && read_pointwise(graph, view) && moving >= least) {
            sentences.push_back(about_reshape(graph, f, view, why, moving));
        }
        const Seconds copy = nest_of_its_own(planned.plan, view);
        if (transposes(*access) && computed_in_memory(graph, placements, view) && copy > 0 && copy >= least) {
            sentences.push_back(about_transpose(graph, f, view, copy));
        }
    }
    return sentences;
}

}  // namespace eutectic
