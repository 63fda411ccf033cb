#include "fusion/plan/pins.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "fusion/plan/panels.h"
#include "fusion/plan/shared_rows.h"
#include "fusion/rewrite.h"

namespace eutectic {

namespace {

using Kind = Placement::Kind;

const std::string &name_of(const Graph &graph, FuncId func) {
    return graph.funcs[func].name;
}

/** Is `producer` computed by what a rewrite makes of another Func, which reads it as `reader`, or through
 * that?
 */
bool in_one_pass(const Graph &graph, const Placements &placements, FuncId producer, FuncId reader) {
    return std::any_of(placements.rewrites().begin(), placements.rewrites().end(), [&](const RewriteUse &u) {
        const FuncId s = u.func;
        return s != producer && u.rewrite->computes(graph, s, producer) &&
               (s == reader ||
                (placements[reader].kind == Kind::inlined && reads_values_of(graph, placements, s, reader)));
    });
}

/** The dim of its stage over which `loop` runs. */
DimId loop_dim(const Group &group, const LoopRef &loop) {
    return group.tree.at(loop.func, loop.update).loops.at(loop.loop).dim;
}

}  // namespace

std::string describe(const Graph &graph, const Pins &pins, FuncId func) {
    if (pins.none()) {
        return "";
    }
    if (const std::optional<Pin> &pin = pins.funcs[func]) {
        const std::string subject = "the pin of " + name_of(graph, func) + ", ";
        if (pin->kind != Kind::at) {
            return subject + (pin->kind == Kind::inlined ? "inline" : "root");
        }
        return subject + "at " + name_of(graph, pin->consumer) +
               (pin->loop < 0 ? "" : "'s " + graph.pure_stage(pin->consumer).dims[pin->loop].name.str());
    }
    for (const auto &[producer, reader] : pins.unfused) {
        if (producer == func) {
            return "the pin of the edge " + name_of(graph, producer) + "→" + name_of(graph, reader) +
                   ", never fuse";
        }
    }
    return "";
}

Verdict obeys(const Graph &graph, const Pins &pins, const Placements &placements) {
    for (const FuncId f : pins.funcs.ids()) {
        const std::optional<Pin> &pin = pins.funcs[f];
        const Placement &p = placements[f];
        const bool inside =
            (p.kind == Kind::at || p.kind == Kind::block) && pin && p.consumer == pin->consumer;
        if (pin && !(pin->kind == Kind::at     ? inside
                     : pin->kind == Kind::root ? materialized(p)
                                               : p.kind == pin->kind)) {
            return Verdict::forbid(describe(graph, pins, f) + ", says otherwise");
        }
    }
    for (const auto &[producer, reader] : pins.unfused) {
        if (!materialized(placements[producer]) || recomputed_for(graph, placements, reader) == producer ||
            in_one_pass(graph, placements, producer, reader)) {
            return Verdict::forbid("the pin of the edge " + name_of(graph, producer) + "→" +
                                   name_of(graph, reader) + ", never fuse, says otherwise");
        }
    }
    return Verdict::allow();
}

bool in_pinned_loops(const Pins *pins, const Group &group) {
    if (!reads_pinned_panels(pins, group)) {
        return false;
    }
    return !pins || pins->none() ||
           std::all_of(group.tree.funcs().begin(), group.tree.funcs().end(), [&](const TreeFunc &f) {
               if (!f.computed || !pins->funcs.contains(f.func)) {
                   return true;
               }
               const std::optional<Pin> &pin = pins->funcs[f.func];
               return !pin || pin->kind != Kind::at || pin->loop < 0 ||
                      loop_dim(group, *f.computed) == pin->loop;
           });
}

std::string pins_of(const Graph &graph, const FusionPlan &plan) {
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    for (const FuncId f : graph.funcs.ids()) {
        const FuncInfo &info = graph.funcs[f];
        if (info.input || info.output || info.user_scheduled || !info.between.empty()) {
            continue;
        }
        const Placement &p = plan.placements[f];
        const bool shared = p.kind == Kind::block && !sharing_nest_of(plan.placements, p.consumer).empty();
        if (shared) {
            continue;
        }
        if (p.kind != Kind::at && p.kind != Kind::block) {
            json[info.name] = p.kind == Kind::inlined ? "inline" : "root";
            continue;
        }
        nlohmann::ordered_json where = {name_of(graph, p.consumer)};
        for (const Group &g : plan.groups) {
            const TreeFunc *const computed = g.tree.find(f);
            const DimId dim = computed && computed->computed ? loop_dim(g, *computed->computed) : DimId(-1);
            if (dim >= 0) {
                where.push_back(graph.pure_stage(p.consumer).dims[dim].name.str());
            }
        }
        json[info.name] = {{"at", where}};
    }
    return json.dump(2) + "\n";
}

}  // namespace eutectic
