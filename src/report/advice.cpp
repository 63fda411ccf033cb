#include "report/advice.h"

#include <algorithm>
#include <optional>

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

/** Does the index follow one dim, whose own coordinate it is, kept inside what is there if `cut`? */
bool own_coordinate(const Index &index) {
    const auto moved = std::count_if(index.scale.begin(), index.scale.end(), [](double s) { return s != 0; });
    const bool one = moved == 1 && std::count(index.scale.begin(), index.scale.end(), 1.0) == 1;
    return index.affine && one && index.wraps == 0 && index.rounding == 0 && index.halo == 0 &&
           index.offset == std::optional<double>(0);
}

/** The loads of a stage without the clamps of their indices; nothing where there are none, or where a load is
 * at other coordinates than the stage's own, so that the clamps could not go behind it. */
std::optional<StageWork> without_clamps(const StageWork &work) {
    StageWork result = work;
    bool any = false;
    for (Load &load : result.loads) {
        for (Index &index : load.access.indices) {
            if (!own_coordinate(index)) {
                return std::nullopt;
            }
            any = any || index.cut;
            index.cut = index.held = false;
            index.clamped_dim = -1;
            index.clamped_to.reset();
        }
    }
    return any ? std::optional(result) : std::nullopt;
}

/** What the clamps of `f`'s loads are predicted to cost in the loops that the plan has for it. */
Seconds price_of_clamps(const Group &group, FuncId f, const Machine &machine) {
    if (group.tree.runs_in_turn()) {
        return 0;  // nests of their own, none of which computes for another
    }
    std::vector<NestedStage> stages = priced_stages(group);
    const Seconds with = price(stages, machine).total();
    for (NestedStage &stage : stages) {
        if (stage.work->func != f || stage.work->update >= 0) {
            continue;
        }
        if (std::optional<StageWork> without = without_clamps(stage.work)) {
            stage.work.edit() = std::move(*without);
        }
    }
    return with - price(stages, machine).total();
}

/** A pure Func that computes with what it reads at its own coordinates, which a clamp keeps inside that, and
 * whose values several points of what reads it need: it could as well be computed inside alone, and be read
 * through the clamp. */
bool computes_behind_clamp(const Graph &graph, const Placements &placements, FuncId f) {
    const FuncInfo &info = graph.funcs[f];
    const bool pure = !info.input && !info.output && info.stages.size() == 1 && !graph.pure_stage(f).external;
    if (!pure || placements[f].kind == Placement::Kind::inlined || graph.pure_stage(f).body.flops == 0) {
        return false;
    }
    const std::vector<FuncId> &readers = graph.consumer_funcs(f);
    return std::any_of(readers.begin(), readers.end(), [&](FuncId reader) {
        const Access *const access = one_access(graph, f, reader);
        return !access || !access->permutation();
    });
}

/** The Func that hides the clamp: inlined, and read by `f` at its own coordinates; or -1. */
FuncId hiding(const Graph &graph, const Placements &placements, FuncId f) {
    for (const EdgeId e : graph.pure_stage(f).edges) {
        const FuncId p = graph.edges[e].producer;
        if (!graph.funcs[p].input && placements[p].kind == Placement::Kind::inlined) {
            return p;
        }
    }
    return no_func;
}

std::string about_clamp(const Graph &graph, const Placements &placements, FuncId f, Seconds gain) {
    const std::string name = graph.funcs[f].name;
    const FuncId by = hiding(graph, placements, f);
    return name + " computes behind a clamp" +
           (by == no_func ? "" : ", which " + graph.funcs[by].name + " hides") +
           ": at points beyond the edges once more, and with vectors that the edges cut; define it over the "
           "points inside alone and put the clamp behind it, as BoundaryConditions::repeat_edge(" +
           name + ", …) does, if nothing else in it depends on its coordinates; that saves a predicted " +
           format_seconds(gain);
}

/** Of each group on a CPU, what computes behind clamps. */
void add_clamps(const Graph &graph, const Planned &planned, const Machine &machine, Seconds least,
                std::vector<std::string> &sentences) {
    const Placements &placements = planned.plan.placements;
    for (const Group &group : planned.plan.groups) {
        for (const FuncId f : group.members) {
            const bool here = !machine.gpu && computes_behind_clamp(graph, placements, f);
            const Seconds gain = here ? price_of_clamps(group, f, machine) : 0;
            if (gain > 0 && gain >= least) {
                sentences.push_back(about_clamp(graph, placements, f, gain));
            }
        }
    }
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
    add_clamps(graph, planned, machine, least, sentences);
    return sentences;
}

}  // namespace eutectic
