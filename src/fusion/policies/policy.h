#pragma once

#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fusion/plan/made_ids.h"
#include "fusion/plan/pins.h"
#include "fusion/search/found_inside.h"

namespace eutectic {

/** What a policy is asked to find loops for: one Func and what is computed inside its loops. */
struct GroupRequest {
    const Graph &graph;
    const Machine &machine;
    const Placements &placements;
    const Table<FuncId, bool> &inlined;
    MadeIds &ids;  ///< of what policies make
    FuncId root;
    std::vector<FuncId> tiled;    ///< reductions placed at the root's tile
    std::vector<FuncId> blocked;  ///< Funcs placed in a block of the root's outer loops, producers first
    FoundInside *found =
        nullptr;  ///< groups inside blocks, to look up and to add to; null: each is searched for
    bool inside_block = false;              ///< the graph is what one block of another Func's loops sees
    std::vector<FuncId> sharing_nest = {};  ///< Funcs that share the root's nest, in graph order
    int64_t strip = 0;  ///< not 0: the outermost loop has to be one over strips of so many points of the
                        ///< root's last dim, in parallel where there are cores
    const Pins *pins = nullptr;  ///< in which loops Funcs have to be: policies that compute some inside loops
                                 ///< offer no other groups
    double blocks = 1;  ///< inside a block: of how many it is one, which share the copies that are made
                        ///< before all of them
    Seconds limit = std::numeric_limits<double>::infinity();  ///< what a group competes with: those that
                                                              ///< compute as long need no further look
    Seconds computing_limit =
        std::numeric_limits<double>::infinity();  ///< inside a block: what computes as long needs no look,
                                                  ///< for the block is too slow then
    std::vector<FuncId> members =
        {};  ///< inside a block: what is computed in it; copies of anything else are made before all blocks

    std::vector<Group> *considered = nullptr;  ///< gets products in other tiles and blocks, too: of a family
                                               ///< of processors one of them may suit all; null: nobody asks

    /** Hands over a group that was looked at, and has the loops that pins ask for. */
    void consider(const Group &group) const {
        if (considered && !inside_block) {
            considered->push_back(group);
        }
    }

    FuncId made(const std::string &name, FuncId func, int operand = 0) const {
        return ids.of(name, func, operand);
    }
};

/** What a policy answers: the cheapest group of its kind, or why it has none. */
class Offer {
public:
    Offer(Group group)  // NOLINT(google-explicit-constructor): the offer is the group
        : group_(std::move(group)) {
    }

    /** `reason`: what follows the policy's name in a sentence that a user understands. */
    static Offer refuse(std::string reason) {
        return Offer(std::move(reason), false);
    }
    /** The same of a policy that is for stages of another kind: said only where no more than one policy has
     * loops. */
    static Offer other_kind(std::string reason) {
        return Offer(std::move(reason), true);
    }
    /** The refusal of a sum named `name` whose terms may not be added up in another order. */
    static Offer reorders(const std::string &name) {
        return refuse("would add up the terms of " + name +
                      " in another order, which strict arithmetic or its definition rules out");
    }
    /** `group`, or else the refusal. */
    static Offer of(std::optional<Group> group, std::string reason) {
        return group ? Offer(std::move(*group)) : refuse(std::move(reason));
    }

    std::optional<Group> &group() {
        return group_;
    }
    const std::string &reason() const {
        return reason_;
    }
    bool is_of_other_kind() const {
        return other_kind_;
    }

private:
    Offer(std::string reason, bool other_kind) : reason_(std::move(reason)), other_kind_(other_kind) {
    }

    std::optional<Group> group_;
    std::string reason_;
    bool other_kind_ = false;
};

/** A way to run a group's loops. */
struct Policy {
    const char *name;
    Offer (*offer)(const GroupRequest &request);
    bool last_resort = false;  ///< it has loops for whatever no other has: no experiment leaves it out
};

/** The policies of each kind of device, in the order in which ties are broken. One more device is one more
 * list, in a folder of its own, which policies_for() picks. */
const std::vector<Policy> &cpu_policies();
const std::vector<Policy> &gpu_policies();
const std::vector<Policy> &policies_for(const Machine &machine);

/** Funcs that `placements` computes inside `func`'s loops in the way of `kind`, in graph order. */
std::vector<FuncId> placed_in(const Placements &placements, Placement::Kind kind, FuncId func);

/** The cheapest group that any policy offers, with what was not taken in Group::refused; infinitely expensive
 * when none applies. */
Group best_group(const GroupRequest &request);

/** Why a policy that runs the loops of the root alone, with nothing inside them and nothing after them, does
 * not apply; empty where it does. */
std::string not_alone(const GroupRequest &request);

/** Pure Func alone, or several of one domain together: vectors along the innermost dimension, one parallel
 * outer loop. */
Offer streaming(const GroupRequest &request);

/** A reduction along contiguous memory: a vector of partial results (rfactor), summed at the end.
 * Reassociates. */
Offer row_reduction(const GroupRequest &request);

/** Any Func, its loops as defined, on one core: for what no other policy understands, and for tiny work. */
Offer serial(const GroupRequest &request);

/** The root's outer loops in blocks, and everything in `blocked` computed inside one: there the rest of the
 * pipeline is a smaller one, on one core, and the other policies find its loops. */
Offer block(const GroupRequest &request);

/** Shifts tails that would go lane by lane, and says which loops around clamped indices may be cut in three.
 * `g` is complete: nothing is computed around it any more. */
void settle_tails_and_boundaries(const Graph &graph, const Machine &machine, Group &g);

/** The cheapest of `a` and `b`, what memory hides not left out of account entirely; `a` on a tie. */
std::optional<Group> cheaper(std::optional<Group> a, std::optional<Group> b);

/** What takes so long before idle cores and starting loops is not cheaper() than `best`: where its price may
 * stop. Infinite where there is none yet. */
Seconds to_beat(const std::optional<Group> &best);

/** Which dim of `producer` each dim of its reader `work` is, or -1 where the reader does not index it by that
 * dim alone. */
DimMap dims_in_producer(const StageWork &work, FuncId producer);

/** Has each loop whose tail is by_version guard it, in all versions. */
void guard_tails(Loops &loops);

/** `loops`, the innermost of which is a vector's, with code for each of `points` of `dim` around it: in place
 * of the loop over single points, and inside one over so many, so that any number of points has loops.
 * Nothing where it has no such loop of its own. */
std::optional<Loops> unrolled_inside(const Loops &loops, DimId dim, int64_t points);

/** `nest`, the innermost loop of which is a vector's, with code for each point of `dim`, a loop of few
 * points, inside all others but the lanes, so that what chooses by it is decided, and what does not depend on
 * it computed once; in a version of its own for buffers with exactly as many points as are expected. Nothing
 * where that cannot be asked for, or `nest` has no such loop, or conditions already. */
std::optional<Nest> with_unrolled(const Graph &graph, const Stage &stage, const Nest &nest, DimId dim);

/** The phases by which `work` chooses, each once. */
std::vector<SomeOf> phases_of(const StageWork &work);

/** `nest` of `work`, an output whose loops are its own, with code for each of `of.period` points of `of.dim`
 * inside all loops but the lanes, so that what chooses by their remainders is decided: in a version for
 * buffers that begin at a multiple of the period. Nothing where that loop is not one of single points, or one
 * over chunks of them, or conditions ask for whole tiles already. */
std::optional<Nest> with_phases(const StageWork &work, const Nest &nest, const SomeOf &of);

/** Where remainders choose between lanes: asks that the output begins at a multiple of their period, in the
 * dims of such lanes. `g` is complete, and its tails are settled. */
void know_lanes(const Graph &graph, Group &g);

/** The run-time test that `dim`, whose buffer is known, is cut into whole tiles of `points`. */
Condition whole_tiles(const Dim &dim, int64_t points);

/** How many points of a loop over `dim` such a test can ask for, and hold at the estimates; one where there
 * is none. */
int64_t testable_points(const Dim &dim);

/** One loop for each of `dims`, in storage order, with vectors of `width` along the innermost. */
Nest plain_nest(size_t dims, int64_t width);

/** The loops of `stage` in their order, with vectors of `width` along dim 0 and, outside of all, parallel
 * chunks of `chunk` points of dim `along` (-1: none). Dims that an update computes its coordinates of are no
 * loops. */
Nest chunked_nest(const Stage &stage, int64_t width, DimId along, int64_t chunk);

/** plain_nest(), and chunks of the outermost dim that has some in parallel, where that is worth a launch: for
 * a pass over all of an output. */
Nest pass_nest(const GroupRequest &request, const StageWork &work, int64_t width);

/** Work of f(p) += g(p, u) alone: one addition a point of `dims`, of which the last is u. */
StageWork addition_work(FuncId func, const Dims &dims, int element_bytes);

/** `func`, which the root's nest writes too and of which `stage` is priced, reads the root's values: they are
 * recomputed for it, and it says so in `g`. Nothing if it does not. */
void add_recomputed(const GroupRequest &request, FuncId func, const NestedStage &stage, Group &g);

/** The graph of `request` in which the reduction `sum` has one more dim, its last, that numbers `chunks`:
 * `chunk` points of its update's dim `dim` each. */
Graph chunked(const GroupRequest &request, FuncId sum, DimId dim, int64_t chunk, int64_t chunks);

/** Does `func` have a single update, which reduces one value a point: what most policies for sums are for? */
bool is_single_reduction(const Graph &graph, FuncId func);

/** Does `update` reduce over a window whose size the program fixes, small enough to be unrolled? */
bool has_window(const Stage &update);

/** Points of each of so many tasks that share `extent`: whole steps of `step`. */
int64_t chunk_of(int64_t extent, int64_t tasks, int64_t step = 1);

/** Lanes of the narrowest vectors. Not two: where lanes are chosen one by one, as by x % 2, Halide (21) takes
 * any two numbers for a ramp, and computes the second as first + (second - first): another float, or none
 * beside an infinity. */
constexpr int64_t fewest_lanes = 4;

/** Vector widths worth trying along a loop of `extent` points: the machine's, then halves that fit better. */
std::vector<int64_t> vector_widths(const Machine &machine, int element_bytes, int64_t extent);

/** The same, with vectors of two registers first: a turn of the loop then has two chains of operations beside
 * each other, and loads what all lanes share once for both. */
std::vector<int64_t> wide_vector_widths(const Machine &machine, int element_bytes, int64_t extent);

}  // namespace eutectic
