#include "fusion/search/pinned_start.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/user_error.h"
#include "fusion/rules/rules.h"

namespace eutectic {

namespace {

using Kind = Placement::Kind;

class Start {
public:
    Start(const Graph &graph, Completer &completer, std::vector<Step> &taken)
        : graph_(graph), completer_(completer), pins_(completer.pins()), taken_(taken), now_(unfused(graph)) {
    }

    /** Readers first: where they are says where their producers may be. */
    Placements run() {
        for (const FuncId f : now_.reversed_ids()) {
            const std::optional<Pin> &pin = pins_.funcs[f];
            if (pin && pin->kind != Kind::root) {
                put(f,
                    pin->kind == Kind::inlined ? std::vector<Placement>{{Kind::inlined, -1}}
                                               : inside(f, pin->consumer),
                    "pin", f);
            } else if (!pin) {
                follow(f);
            }
        }
        if (const Verdict done = obeys(graph_, pins_, now_); !done) {
            throw UserError("The pins in " + pins_.source + " cannot all be obeyed: " + done.reason() + ".");
        }
        return now_;
    }

private:
    const Graph &graph_;
    Completer &completer_;
    const Pins &pins_;
    std::vector<Step> &taken_;
    Placements now_;

    Verdict legal(FuncId f, const Placement &to) const {
        if (to.kind == Kind::inlined) {
            return may_inline(graph_, now_, {f, {}});
        }
        return to.kind == Kind::at ? may_compute_at_tile(graph_, now_, f, to.consumer)
                                   : may_compute_in_block(graph_, now_, f, to.consumer);
    }

    /** The ways of being in the loops of `consumer`; in a tile only what accumulates. A consumer that is
     * itself in a block has its own producers in the same one. */
    std::vector<Placement> inside(FuncId f, FuncId consumer) const {
        std::vector<Placement> ways = {{Kind::block, consumer}};
        if (graph_.funcs[f].stages.size() > 1) {
            ways.insert(ways.begin(), {Kind::at, consumer});
        }
        return ways;
    }

    /** A Func that reads something pinned into loops outside of which it must not be. */
    void follow(FuncId f) {
        for (const FuncId p : pins_.funcs.ids()) {
            const std::optional<Pin> &pin = pins_.funcs[p];
            if (!pin || pin->kind != Kind::at || pin->consumer == f || !reads(f, p, pin->consumer)) {
                continue;
            }
            std::vector<Placement> ways = {{Kind::inlined, -1}};
            for (const Placement &way : inside(f, pin->consumer)) {
                ways.push_back(way);
            }
            put(f, ways, "follow_pin", p);
            return;
        }
    }

    /** Does `f` read `func`, directly or through others that are neither in memory nor `consumer`? */
    bool reads(FuncId f, FuncId func, FuncId consumer) const {
        Table<FuncId, bool> seen(now_.size(), false);
        std::vector<FuncId> left = {func};
        while (!left.empty()) {
            const FuncId from = left.back();
            left.pop_back();
            for (const FuncId reader : graph_.consumer_funcs(from)) {
                const std::optional<Pin> &pin = pins_.funcs[reader];
                if (reader != consumer && !seen[reader] && (!pin || pin->kind == Kind::inlined)) {
                    left.push_back(reader);
                }
                seen[reader] = true;
            }
        }
        return seen[f];
    }

    /** The first of `ways` that is legal and has loops; `because` is the pin that asks for it. */
    void put(FuncId f, const std::vector<Placement> &ways, const char *rule, FuncId because) {
        std::string why;
        for (const Placement &way : ways) {
            const Verdict verdict = legal(f, way);
            if (!verdict) {
                why = why.empty() ? verdict.reason() : why;
                continue;
            }
            Placements next = now_;
            next[f] = {way.kind, way.consumer};
            const Seconds before = completer_.total(now_), after = completer_.total(next);
            if (std::isfinite(after)) {
                now_ = std::move(next);
                taken_.push_back({rule, {f, graph_.consumer_funcs(f)}, verdict, before, after, true, {f}});
                return;
            }
            why = why.empty() ? "no policy has such loops" : why;
        }
        const std::string &name = graph_.funcs[f].name;
        throw UserError("The pins in " + pins_.source +
                        " ask for what cannot be: " + describe(graph_, pins_, because) +
                        (f == because ? "" : ", needs " + name + " in the same loops") + ": " + why + ".");
    }
};

}  // namespace

Placements pinned_start(const Graph &graph, Completer &completer, std::vector<Step> &taken) {
    return completer.pins().none() ? unfused(graph) : Start(graph, completer, taken).run();
}

}  // namespace eutectic
