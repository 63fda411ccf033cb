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

Pins pins_of(const Graph &graph, const FusionPlan &plan, const Pins &pins) {
    Pins of;
    of.funcs.resize(graph.funcs.size());
    of.loops = pins.loops;
    for (const FuncId f : graph.funcs.ids()) {
        const Placement &p = plan.placements[f];
        const bool shared = p.kind == Kind::block && !sharing_nest_of(plan.placements, p.consumer).empty();
        if (!may_be_pinned(graph, f) || shared) {
            continue;
        }
        Pin pin = pin_of(p);
        if (pin.kind == Kind::at) {
            for (const Group &g : plan.groups) {
                const TreeFunc *const computed = g.tree.find(f);
                const DimId dim =
                    computed && computed->computed ? loop_dim(g, *computed->computed) : DimId(-1);
                pin.loop = dim >= 0 ? dim : pin.loop;
            }
        }
        of.funcs[f] = pin;
    }
    return of;
}

bool may_be_pinned(const Graph &graph, FuncId func) {
    const FuncInfo &info = graph.funcs[func];
    return !info.input && !info.output && !info.user_scheduled && info.between.empty();
}

Pin pin_of(const Placement &placement) {
    Pin pin;
    pin.kind = materialized(placement)           ? Kind::root
               : placement.kind == Kind::inlined ? Kind::inlined
                                                 : Kind::at;
    pin.consumer = pin.kind == Kind::at ? placement.consumer : FuncId(-1);
    return pin;
}

std::string to_text(const Graph &graph, const Pins &pins) {
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    for (const FuncId f : pins.funcs.ids()) {
        const std::optional<Pin> &pin = pins.funcs[f];
        if (!pin) {
            continue;
        }
        nlohmann::ordered_json &where = json[name_of(graph, f)];
        if (pin->kind != Kind::at) {
            where = pin->kind == Kind::inlined ? "inline" : "root";
            continue;
        }
        nlohmann::ordered_json at = {name_of(graph, pin->consumer)};
        if (pin->loop >= 0) {
            at.push_back(graph.pure_stage(pin->consumer).dims[pin->loop].name.str());
        }
        where = {{"at", at}};
    }
    for (const auto &[producer, reader] : pins.unfused) {
        json["edges"][name_of(graph, producer) + "→" + name_of(graph, reader)] = "never fuse";
    }
    for (const auto &[root, seed] : pins.loops) {
        json["loops"][name_of(graph, root)] = seed;
    }
    return json.dump(2) + "\n";
}

}  // namespace eutectic
