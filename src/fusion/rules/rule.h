#pragma once

#include <string>
#include <vector>

#include "base/verdict.h"
#include "fusion/plan/pins.h"

namespace eutectic {

/** What a rule looks at: one producer and the Funcs that read it, inlined ones included, or, of rules whose
 * producers stay where they are, the one that it would share loops with. */
struct Site {
    FuncId producer = -1;
    std::vector<FuncId> consumers;
};

/** One way to change where Funcs live. Legality and candidates know nothing of cost; the planner alone weighs
 * it. A rule is one file under rules/, one line in rule_lists.cpp and one table test. */
struct Rule {
    const char *name;
    std::vector<Site> (*match)(const Graph &, const Placements &);
    Verdict (*legal)(const Graph &, const Placements &, const Site &);
    std::vector<Placements> (*candidates)(const Graph &, const Placements &, const Site &);
    bool stays = false;   ///< the producer's values are where they were: such a step is no answer to why they
                          ///< are in memory
    bool waits = false;   ///< whether it pays depends on where everything else is: tried only where no rule
                          ///< before it saves anything
    bool undoes = false;  ///< takes back what other rules did: tried only where none of them saves anything
};

/** The rules for CPU targets, in the order in which ties are broken, with those of rewrites
 * (schedules/rewrites) among them. */
std::vector<Rule> cpu_rules(const std::vector<Rule> &of_rewrites = {});

/** The same for GPU targets. */
std::vector<Rule> gpu_rules(const std::vector<Rule> &of_rewrites = {});

/** A stage at Root or at a tile that reads a Func, directly or through inlined ones. */
struct Reader {
    FuncId func = -1;
    int update = -1;
    Access access;  ///< of the Func, in the reader stage's dims
};

/** Every stage that ends up loading `func`'s values, with each distinct path's access. */
std::vector<Reader> readers(const Graph &graph, const Placements &placements, FuncId func);

/** The Root Func in whose loops `func` is computed, perhaps itself. */
FuncId root_of(const Placements &placements, FuncId func);

/** The Root Func whose nest computes `func`: that Func itself, or, of a pure Func that such a nest writes
 * too, the nest's root. */
FuncId nest_of(const Placements &placements, FuncId func);

/** The Root Func whose nest computes `func` in any way: where nest_of() names only nests whose loops are both
 * Funcs', this one's may hold `func` in strips of its rows or in its pass, too. */
FuncId nest_around(const Placements &placements, FuncId func);

/** Of everything that reads `func`, each once. */
std::vector<FuncId> roots_of_readers(const Graph &graph, const Placements &placements, FuncId func);

/** The same by nest_of(): what one nest writes together reads it there. */
std::vector<FuncId> nests_of_readers(const Graph &graph, const Placements &placements, FuncId func);

/** One decision that was weighed. */
struct Step {
    const char *rule = "";
    Site site;
    Verdict verdict = Verdict::allow();
    Seconds before = 0, after = 0;  ///< of the whole plan; equal when the verdict forbids
    bool taken = false;
    std::vector<FuncId> moved;  ///< every Func whose placement it changes
    bool stays = false;         ///< as the rule's
};

/** What the planner did and why. `weighed` holds, for every producer that stayed as it was, the last step
 * that was tried and not taken; those of rules whose producers stay where they are count apart. */
struct Planned {
    FusionPlan plan;
    FusionPlan unfused;
    std::vector<Step> taken;
    std::vector<Step> weighed;
    double compile_weight = 0;  ///< Machine::compile_weight that the plan was searched with
};

/** Starts with every Func at Root, but for what is pinned, and takes the legal step that saves most and keeps
 * to the pins, while one saves anything. Deterministic: ties go to the earlier rule, then to the earlier
 * Func. Throws UserError for pins that no plan obeys. */
Planned plan_greedy(const Graph &graph, const Machine &machine, const std::vector<Rule> &rules,
                    const Pins &pins = {});

/** The same from the plan `before` on, after the steps that led there: for other prices. */
Planned plan_greedy_from(const Planned &before, const Graph &graph, const Machine &machine,
                         const std::vector<Rule> &rules, const Pins &pins = {});

/** The start of plan_greedy() and nothing more. */
Planned plan_unfused(const Graph &graph, const Machine &machine);

}  // namespace eutectic
