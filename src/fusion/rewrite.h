#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/verdict.h"
#include "fusion/rules/rule.h"

namespace eutectic {

class MadeIds;

/** What else a plan may want to do with a Func that is rewritten. */
enum class NestSharing {
    joint_nest,   ///< have its loops write other Funcs, too
    recomputed,   ///< compute it once more, in what reads it
    other_loops,  ///< sum it up in loops that another Func or another rewrite has
};

/** What a pass over the points of an output is rewritten to. */
struct PassRewrite {
    const Rewrite *rewrite = nullptr;
    FuncId of = -1;                   ///< whose definition changes
    std::vector<FuncId> others = {};  ///< the rest of what the rewrite is given
    bool each_row = false;            ///< what it makes is computed for each row of the output, which are not
                                      ///< cut then; otherwise it is a pass of its own
};

/** A change of definitions that keeps their values, to the grade that it says. It makes a Func. One object in
 * one file of schedules/rewrites/: its pattern, when it is legal, the graph after it, its grade, and the call
 * that makes it. What is here is what the planner asks of it, in plain data. */
class Rewrite {
public:
    virtual ~Rewrite() = default;

    /** Of the Func that it makes, in plans and schedules; no two have the same. */
    virtual const char *name() const = 0;

    /** How the planner comes to choose it by itself: its match, legality and candidates, which `use()` it.
     * Nothing for those that the patterns of a pass or policies ask for. */
    virtual std::optional<Rule> rule() const {
        return std::nullopt;
    }

    /** Changes `graph`, that of the algorithm after the rewrites before this one, to what `func` and others
     * compute and read after it. */
    virtual void rewrite(Graph & /*graph*/, const Graph & /*algorithm*/, const Placements & /*placements*/,
                         FuncId /*func*/) const {
    }

    /** Does that change who reads whom? */
    virtual bool changes_reads() const {
        return false;
    }

    /** Other Funcs whose definitions change when that of `func` does. */
    virtual std::vector<FuncId> also_changed(const Graph & /*algorithm*/, FuncId /*func*/) const {
        return {};
    }

    /** Is `other` computed by what it makes of `func`? */
    virtual bool computes(const Graph & /*algorithm*/, FuncId func, FuncId other) const {
        return func == other;
    }

    /** Is it still possible where `func`, and what it needs, are now? */
    virtual bool holds(const Graph & /*algorithm*/, const Placements & /*placements*/,
                       FuncId /*func*/) const {
        return true;
    }

    /** May the plan that uses it on `func` do this, too? The sentence may name `other`, which asks for it. */
    virtual Verdict allows(const Graph & /*algorithm*/, const Placements & /*placements*/, FuncId /*func*/,
                           NestSharing /*sharing*/, FuncId /*other*/) const {
        return Verdict::allow();
    }

    /** Adds the Func that it makes of `func` to the group that computes that, unless the policy has done so.
     */
    virtual void add_to(Group & /*group*/, const Graph & /*algorithm*/, const Placements & /*placements*/,
                        FuncId /*func*/, MadeIds & /*ids*/) const {
    }

    /** What it would make of a pass over the points of `root`, into which `inlined` Funcs are inlined;
     * nothing for all but rewrites of passes. */
    virtual std::optional<PassRewrite>
    of_pass(const Graph & /*graph*/, const Table<FuncId, bool> & /*inlined*/, FuncId /*root*/) const {
        return std::nullopt;
    }

    /** What a report says of it, where it is what keeps `func` as it is; empty where the report has its own
     * words. */
    virtual std::string explain(const Graph & /*algorithm*/, FuncId /*func*/) const {
        return "";
    }
};

/** May `func`, as it is rewritten, be in a plan that does this, too? */
Verdict rewrites_allow(const Graph &algorithm, const Placements &placements, FuncId func, NestSharing sharing,
                       FuncId other = no_func);

/** The rewrites of a pass over the points of `root` of which its definition, or one of those inlined into
 * it, has a pattern, and what each would make. */
std::vector<PassRewrite> rewrites_of_pass(const Graph &graph, const Table<FuncId, bool> &inlined,
                                          FuncId root);

/** The use that changes the definition of `func` besides that of its own Func; nothing where there is none.
 */
std::optional<RewriteUse> also_changed_by(const Graph &algorithm, const Placements &placements, FuncId func);

/** Does a rewrite that is used on `by` compute `func`, too? */
bool computed_by_rewrite(const Graph &algorithm, const Placements &placements, FuncId func, FuncId by);

/** After a change of `placements`: drops the rewrites that are no longer possible. */
void keep_rewrites(const Graph &algorithm, Placements &placements);

/** `stage` of `graph` computes and loads what `body` says. */
void replace_body(Graph &graph, StageId stage, const RewrittenBody &body);

}  // namespace eutectic
