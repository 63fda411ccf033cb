#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "Halide.h"

#include "fusion/plan/plan.h"
#include "schedules/rewrites/made_rewrite.h"

namespace eutectic {

/** A loop variable as a directive names it: an argument or reduction variable of its Func, or one that an
 * earlier split made. */
struct VarRef {
    DimId argument = -1;          ///< Func::args()[argument]
    int reduction = -1;           ///< Func::rvars(update)[reduction]
    std::string made;             ///< name given by a split
    bool made_reduction = false;  ///< the split was one of a reduction variable
};

/** One call on a Func or Stage, or the making of a Func. Plain data: apply() performs it and print() writes
 * it as C++. */
struct Directive {
    enum class Op {
        rewrite,      ///< made = rewrite->function()(func, others, size), as far as it takes these; made is
                      ///< func where all directives after it mean what is made, -1 where nothing is
        read_panels,  ///< read_panels(pipeline, func, vars, size): the input is read in panels of its dim
                      ///< vars[0], in which the others lie in their order
        wrap,         ///< made = func.in(), func.in(other) or func.in(others)
        rfactor,      ///< made = func.update(update).rfactor({{vars[0], vars[1]}, {vars[2], vars[3]}, ...})
        specialize,   ///< the following directives with `whole` set go to func.specialize(conditions)
        split,        ///< vars = old, outer, inner; size; tail
        reorder,      ///< vars innermost first
        atomic,       ///< the update may be summed up in any order: its reduction variables can be vectorized
        vectorize,    ///< vars[0]
        unroll,       ///< vars[0]
        parallel,     ///< vars[0]
        never_partition,  ///< vars: loops that stay one loop each, with what they test
        fuse,             ///< vars = inner, outer, fused
        gpu_blocks,       ///< vars[0]
        gpu_threads,      ///< vars[0]
        gpu_lanes,        ///< vars[0]
        compute_root,
        compute_at,     ///< other's loop vars[0]
        compute_with,   ///< in one nest with `other`, down to its loop vars[0]
        rename,         ///< rename_loop(): the loop over vars[0], an argument, is called vars[1] from here on
        store_at,       ///< stored in other's loop vars[0], around the one that it is computed in: what one
                        ///< turn of the loops between has computed is there for the next
        hoist_storage,  ///< allocated in other's loop vars[0]
        store_on_stack,   ///< the Func's buffer is on the stack, or, as its size is known at run time only,
                          ///< one allocation for all turns of a task
        bound_storage,    ///< the Func's buffer has size points along its dim vars[0]
        by_threads,       ///< the Func is stored for each thread of a GPU that computes it
        narrow_threads,   ///< keep_threads_apart(pipeline): of no Func
        align_storage,    ///< the Func's buffer is a multiple of size points long along its dim vars[0]
        bound_extent,     ///< the Func's dim vars[0] has size points at every size
        reorder_storage,  ///< vars innermost first
        unscheduled       ///< keep the update's loops as they are, knowingly
    };
    enum class Tail { guard, shift_inwards };
    /** A split into at least so many turns of what a buffer's dimension has, however few points these are. */
    struct Fit {
        BufferDim buffer;
        int64_t turns = 1;
        int64_t beyond = 0;  ///< points that are split and not in the buffer, at the estimates: a halo
    };
    Op op = Op::compute_root;
    FuncId func = -1;
    int update = -1;     ///< -1: the pure definition
    bool whole = false;  ///< on the specialization for whole tiles
    std::vector<VarRef> vars;
    int64_t size = 0;
    Tail tail = Tail::guard;
    std::optional<Fit> fit = std::nullopt;  ///< split: `size` is the most, for as many turns
    FuncId other = -1;
    FuncId made = -1;
    std::vector<Condition> conditions;
    std::vector<FuncId> others;  ///< rewrite: Funcs that it is given besides; wrap: those that read what is
                                 ///< made
    const MadeRewrite *rewrite = nullptr;
};

/** What is done to a pipeline, in order; `prepared` before it is read, of which all else is. Funcs below
 * `names.size()` are the pipeline's; the others are made on the way. */
struct Schedule {
    Table<FuncId, int> pipeline_index;  ///< argument of Pipeline::get_func; -1: no definition reads it
    Table<FuncId, int> measured_index;  ///< among measured_buffers(); -1: not of these
    Table<FuncId, std::string> names;   ///< C++ identifiers for printing
    Table<FuncId, bool>
        input;  ///< sizes of inputs are read from their buffers, those of outputs from the output buffer
    std::map<FuncId, std::string> made_names;
    std::vector<Prepared> prepared;
    std::vector<Directive> directives;
    bool vectorize_functions = false;    ///< at the end: of what made Funcs have taken over, too
    bool approximate_functions = false;  ///< the same
};

/** The directives that carry out `plan`. Pure data to pure data. */
Schedule emit(const Graph &graph, const FusionPlan &plan);

/** Performs the directives on the pipeline's Funcs, once they are prepared; returns these, and
 * those that were made, by their ids in the plan. */
std::map<FuncId, Halide::Func> apply(const Schedule &schedule, const Halide::Pipeline &pipeline);

/** The same list as C++: the body of a function of `Halide::Pipeline pipeline`. It needs
 * `schedules/rewrites.h`. */
std::string print(const Schedule &schedule);

}  // namespace eutectic
