#pragma once

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
        with      ///< materialized as a whole, in the loops that write `consumer`, a Func at Root; what reads
                  ///< `consumer` computes that again, inlined into its last definition
    };
    Kind kind = Kind::root;
    FuncId consumer = -1;
    bool reciprocal =
        false;  ///< root or block: a division that a whole row shares is a multiplication by its reciprocal
    bool divide_late = false;  ///< a reduction: what divides each of its terms divides the sum instead
    bool online = false;  ///< root or block: a sum, in one pass with the maximum that its terms need, which
                          ///< is `with` it or in the same block
    bool operator==(const Placement &o) const {
        return kind == o.kind && consumer == o.consumer && reciprocal == o.reciprocal &&
               divide_late == o.divide_late && online == o.online;
    }
    /** The same rewrites of definitions, computed elsewhere. */
    Placement moved(Kind to, FuncId into) const {
        return {to, into, reciprocal && (to == Kind::root || to == Kind::block || to == Kind::with),
                divide_late, online && (to == Kind::root || to == Kind::block)};
    }
};
/** One for each Func of the graph; inputs are inlined. The planner searches over these, everything else
 * follows from them. */
using Placements = Table<FuncId, Placement>;

/** How far a decision keeps the unfused program's arithmetic, best first; grade.h says what each means. */
enum class Grade { exact, contracting, reassociating };
const char *to_string(Grade grade);

/** A Func that the plan adds. Its id follows from what it stands for (see added_id), so that ids do not
 * depend on the order of decisions. */
struct Added {
    enum class Kind {
        write_tile,  ///< Func::in(): the pure Func that writes what a reduction accumulates in registers
        lanes,       ///< rfactor: partial results, a vector of them or one for each chunk
        pack,        ///< Func::in(): an operand laid out in the order in which the tile reads it
        reciprocal,  ///< a rewrite: 1 / divisor, once for the row that shares it
        chunks,      ///< rfactor: partial results of a reduction without pure dims, one for each task
        division,   ///< a rewrite: Func::in() that divides what a reduction has summed up undivided; inlined,
                    ///< or computed in place of a write_tile
        row,        ///< a rewrite: each row of a choice between two sources, put together by a loop for each
        line,       ///< a rewrite: the points of rows, one row after the other, written row by row
        tree,       ///< rfactor: of partial results again, so that a block's threads sum up in two steps
        moved_sum,  ///< a rewrite: the whole reduction of an output, which then is a pure Func of it
        online,     ///< a rewrite: a maximum, `reader`, and a sum whose terms need it as one running pair, of
                    ///< which both are read
        again       ///< a rewrite: the same Func for `reader` alone, which computes it elsewhere, or (not in
                    ///< `computed`) where it reads it
    };
    Kind kind = Kind::write_tile;
    FuncId id = -1;
    FuncId of = -1;          ///< the Func that is wrapped or split
    FuncId reader = -1;      ///< pack, again: who reads it; online: the maximum
    int reduction_dim = -1;  ///< lanes, tree: the stage dim that is split
    int64_t factor =
        1;  ///< lanes, tree, and again of these: how many partial results; row, line: vector width
    Grade grade = Grade::exact;
    bool keep_outer = false;  ///< lanes: the partial results are numbered by the outer part of the split
                              ///< (chunks), not the inner (lanes)
    FuncId quotient = -1;     ///< division: the Func that no longer divides; -1: the reduction's terms do not
    std::vector<FuncId> inlined = {};  ///< line: the Funcs that its definition takes in, readers first
    std::vector<FuncId> read_by =
        {};  ///< pack: several that read it; empty: `reader`, or, without one, all that would read `of`
    std::vector<int> each = {};  ///< lanes of chunks: the stage's reduction dims outside the one that is
                                 ///< split, each point of which has chunks of its own
    Seconds recompute = 0;  ///< again, inlined into what the same nest writes: what that takes longer than
                            ///< with values that a strip of rows has left in cache
};
const char *to_string(Added::Kind kind);

/** Id of the Added Func of `kind` around `func` in a graph of `funcs` Funcs; `operand` counts the packs of
 * one reader from 0; of lanes, trees and write_tiles, 1 are those of the chunks of `func`. */
FuncId added_id(size_t funcs, FuncId func, Added::Kind kind, int operand = 0);

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

/** The stages of a group as they were priced: those of its kernels on a GPU, else those of its tree. */
std::vector<NestedStage> priced_stages(const Group &group);

/** The Func of the algorithm that `f`, made or not, stands for. */
FuncId algorithm_func(const Group &group, FuncId f);

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
