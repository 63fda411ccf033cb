#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/verdict.h"
#include "cost/cost.h"
#include "cost/gpu.h"
#include "cost/loop_tree.h"
#include "graph/data/graph.h"
#include "machine/machine.h"

namespace eutectic {

/** Where one Func of the algorithm lives. */
struct Placement {
    enum class Kind {
        root,     ///< materialized as a whole
        inlined,  ///< recomputed where it is read
        at,       ///< computed inside the innermost tile of `consumer`, a pure Func at Root or in a block
        block,    ///< computed inside a block of the outer loops of `consumer`, a Func at Root
        joint,    ///< a pure Func, written as a whole by the nest that writes `consumer`, a pure Func at
                  ///< Root; what it reads of `consumer` is recomputed, inlined into its definition
        strips,   ///< a sum, in memory as a whole: its partial sums are formed strip by strip, with the
                  ///< same rows of `consumer`, a pure Func at Root; what its terms read of `consumer` is
                  ///< recomputed, inlined into its update
        one_pass  ///< a maximum, in memory as a whole, computed in one pass with the sum `consumer`, at Root
                  ///< and `online`
    };
    Kind kind = Kind::root;
    FuncId consumer = -1;
    bool operator==(const Placement &o) const {
        return kind == o.kind && consumer == o.consumer;
    }
};

/** A rewrite that a plan makes of a Func's definition. */
struct RewriteUse {
    const Rewrite *rewrite = nullptr;
    FuncId func = -1;
    bool operator==(const RewriteUse &o) const {
        return rewrite == o.rewrite && func == o.func;
    }
};

/** What the planner searches over, everything else follows from it: where each Func of the graph lives
 * (inputs are inlined), and which rewrites are made. */
class Placements : public Table<FuncId, Placement> {
public:
    using Table::Table;

    /** In the order of their Funcs, and of a Func's in that of their names. */
    const std::vector<RewriteUse> &rewrites() const {
        return rewrites_;
    }
    bool uses(const Rewrite &rewrite, FuncId func) const;
    void use(const Rewrite &rewrite, FuncId func);
    void drop(const Rewrite &rewrite, FuncId func);
    /** Does any of them change who reads whom? */
    bool change_reads() const;
    /** Is `func` placed as in `other`, with the same rewrites? */
    bool agree(const Placements &other, FuncId func) const;
    /** The graph after all of them; the algorithm itself, where there are none. Its edges are those of its
     * stages, in their order. */
    const Graph &rewritten(const Graph &algorithm) const;
    /** A graph of which the edges alone are asked for: rewritten() where rewrites change these. */
    const Graph &reads(const Graph &algorithm) const {
        return change_reads() ? rewritten(algorithm) : algorithm;
    }
    /** What rewritten() has made is made anew when it is asked for: of a graph that was read once more. */
    void forget_rewritten() {
        rewritten_.reset();
    }
    /** The same places, without rewrites: for the graph that they have been made in. */
    Placements places() const;

    bool operator==(const Placements &other) const {
        return rewrites_ == other.rewrites_ && Table::operator==(other);
    }
    bool operator!=(const Placements &other) const {
        return !(*this == other);
    }

private:
    std::vector<RewriteUse> rewrites_;
    /** The last one, and what it was made from: copies of these share it. */
    struct Rewritten;
    mutable std::shared_ptr<const Rewritten> rewritten_;
};

/** How far a decision keeps the unfused program's arithmetic, best first; grade.h says what each means. */
enum class Grade { exact, contracting, reassociating, approximate };
const char *to_string(Grade grade);

/** A Func that the plan adds. While plans are searched for, its id is one of a table (made_ids.h); in a plan
 * that is complete they are counted in the order of its groups. */
struct Added {
    enum class Kind {
        write_tile,  ///< Func::in(): the pure Func that writes what a reduction accumulates in registers
        pack,        ///< Func::in(): an operand laid out in the order in which the tile reads it
        partial,     ///< Stage::rfactor(): partial results of a reduction
        rewrite      ///< what a rewrite makes (rewrite.h)
    };
    Kind kind = Kind::write_tile;
    /** Of rewrite: its name. Of partial:
     *  - lanes: a vector of them, or one for each thread or chunk;
     *  - chunks: one for each task, of a reduction without pure dims, or for each strip of rows;
     *  - tree: of partial results again, so that a block's threads sum up in two steps. */
    std::string name = "write_tile";
    FuncId id = -1;
    FuncId of = -1;                    ///< the Func that is wrapped, split or rewritten
    std::vector<FuncId> read_by = {};  ///< pack: who reads it; empty: all that would read `of`
    std::vector<FuncId> others = {};   ///< rewrite: the Funcs that it is given besides
    DimId reduction_dim = -1;          ///< partial: the stage dim that is split
    int64_t factor = 1;  ///< lanes, tree: how many partial results; rewrite: what it takes as a number
    Grade grade = Grade::exact;
    bool keep_outer = false;       ///< partial: the results are numbered by the outer part of the split
                                   ///< (chunks), not the inner (lanes)
    std::vector<DimId> each = {};  ///< lanes of chunks: the stage's reduction dims outside the one that is
                                   ///< split, each point of which has chunks of its own
    Seconds recompute = 0;         ///< rewrite that computes `of` once more, inlined into what the same nest
                            ///< writes: what that takes longer than with values that a strip of rows has
                            ///< left in cache
    Bytes bytes = 0;  ///< rewrite: of what it makes, in memory, where no stage that is priced says so

    static Added write_tile(FuncId id, FuncId of);
    static Added pack(FuncId id, FuncId of, std::vector<FuncId> read_by);
    static Added partial(const std::string &name, FuncId id, FuncId of, DimId reduction_dim, int64_t factor,
                         Grade grade, bool keep_outer = false);
    static Added rewrite(const std::string &name, FuncId id, FuncId of, std::vector<FuncId> others,
                         Grade grade);
};

/** One Root Func, what is computed inside its loops, and the loops: a kernel of the plan. */
struct Group {
    FuncId root = -1;
    std::vector<FuncId>
        members;  ///< Funcs of the algorithm whose computation lives here and nowhere else, in graph order
    std::string policy;  ///< which file under policies/ made the nests
    std::vector<Added> added;
    LoopTree tree;  ///< its first Func is the one that writes the root's values, or what it was before
    Cost cost;
    std::vector<KernelPrice> kernels = {};  ///< on a GPU: in the order in which they are launched
    std::vector<Bytes> scratch =
        {};  ///< buffers that a run of it allocates at once and frees, beside those of its Funcs in memory: a
             ///< task's in blocks, copies that are made before
    std::vector<std::string> refused =
        {};  ///< on a GPU: sentences about the policies that were not taken, with their numbers
};

/** Does `func`'s placement give it memory of its own for all its values, that outlives the loops that write
 * it? */
bool materialized(const Placement &placement);

/** Is it in memory as a whole, but written by the nest of another Func at Root, its `consumer`: `joint`,
 * `strips` or `one_pass`? */
bool shares_nest(const Placement &placement);

/** The Funcs that share the nest of `root`, itself left out, in graph order. */
std::vector<FuncId> sharing_nest_of(const Placements &placements, FuncId root);

/** The stages of a group as they were priced. */
std::vector<NestedStage> priced_stages(const Group &group);

/** The Func of the algorithm that `f`, made or not, stands for. */
FuncId algorithm_func(const Group &group, FuncId f);

/** `group` with each Func called as `name` has it, but for its root and its members, which are the
 * algorithm's. */
Group renamed(Group group, const std::function<FuncId(FuncId)> &name);

struct FusionPlan {
    Placements placements;
    std::vector<Group> groups;  ///< in graph order of their roots
    Seconds trimming = 0;       ///< trimming_cost() of all its buffers together
    Cost cost() const;
};

/** The plan as text, by ids: equal for pipelines of equal structure, whatever their Funcs are called. */
std::string to_string(const FusionPlan &plan);

/** Completes placements to a plan: groups, added Funcs, nests and prices. */
FusionPlan complete(const Graph &graph, const Machine &machine, const Placements &placements);

/** Every Func at Root under the same policies: the unfused program. (What a user's placement needs inlined
 * is.) */
Placements unfused(const Graph &graph);

}  // namespace eutectic
