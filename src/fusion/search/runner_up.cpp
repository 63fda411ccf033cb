#include "fusion/search/runner_up.h"

#include <optional>

#include "fusion/rules/rules.h"
#include "fusion/search/completer.h"

namespace eutectic {

namespace {

/** Where the rules would put `func`, all else being as in `now`. */
std::vector<Placements> offers(const Graph &graph, const std::vector<Rule> &rules, const Placements &now,
                               FuncId func) {
    std::vector<Placements> result;
    for (const Rule &rule : rules) {
        for (const Site &site : rule.match(graph, now)) {
            if (site.producer != func || !rule.legal(graph, now, site)) {
                continue;
            }
            const std::vector<Placements> candidates = rule.candidates(graph, now, site);
            result.insert(result.end(), candidates.begin(), candidates.end());
        }
    }
    return result;
}

/** `run`: seconds of `chosen`. */
std::optional<RunnerUp> runner_up(const Graph &graph, const std::vector<Rule> &rules, Completer &completer,
                                  const Placements &chosen, Seconds run, FuncId func) {
    std::vector<Placements> others;
    Placements at_root = chosen;
    if (chosen[func].kind != Placement::Kind::root) {
        at_root = back_in_memory(graph, chosen, func);
        others.push_back(at_root);
    }
    for (const Placements &offer : offers(graph, rules, at_root, func)) {
        others.push_back(offer);
    }
    std::optional<RunnerUp> best;
    for (const Placements &other : others) {
        // A block elsewhere is another place; a reciprocal is none, nor a nest of its own for what is in
        // memory either way.
        if ((other[func].kind == chosen[func].kind && other[func].consumer == chosen[func].consumer) ||
            (materialized(other[func]) && materialized(chosen[func]))) {
            continue;
        }
        const RunnerUp here{func, other[func].kind, other[func].consumer, run, completer.run(other)};
        if (!best || here.total < best->total) {
            best = here;
        }
    }
    return best;
}

}  // namespace

std::vector<RunnerUp> runners_up(const Graph &graph, const Machine &machine, const std::vector<Rule> &rules,
                                 const FusionPlan &plan, const Pins &pins) {
    Completer completer(graph, machine, pins);
    const Seconds run = completer.run(plan.placements), other_loops = plan.cost().total() - run;
    std::vector<RunnerUp> result;
    for (const FuncId f : graph.funcs.ids()) {
        const FuncInfo &info = graph.funcs[f];
        if (info.input || info.output || !info.between.empty()) {
            continue;
        }
        if (auto found = runner_up(graph, rules, completer, plan.placements, run, f)) {
            found->plan += other_loops;
            found->total += other_loops;
            result.push_back(*found);
        }
    }
    return result;
}

}  // namespace eutectic
