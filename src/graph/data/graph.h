#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/inline_vector.h"
#include "base/name.h"
#include "base/units.h"
#include "graph/data/body.h"
#include "graph/data/ids.h"
#include "graph/data/prepared.h"

namespace eutectic {

/** What a stage does with its loads. Roles that no rule understands stay at Root, and the report says so. */
enum class Role {
    pointwise,    ///< a pure definition that computes
    view,         ///< a pure definition that only loads, at mapped indices
    reduction,    ///< f(p) = f(p) op E(p, r) with an associative op
    contraction,  ///< a reduction with + over a product of loads with different free dimensions
    gather,       ///< a pure definition with an index that is itself loaded
    scatter,      ///< an update whose left-hand side is not the pure variables
    scan,         ///< an update that reads itself at other coordinates
    library,      ///< an extern stage that computes any region of a product (LibraryCall)
    opaque        ///< tuples with updates, extern stages, anything else
};
const char *to_string(Role role);

/** The extent of one dimension of a buffer that the caller passes: the only run-time sizes that a schedule
 * may test. */
struct BufferDim {
    FuncId func = -1;  ///< an input or an output
    DimId dim = 0;
    int64_t points = 0;      ///< of an output's: at the estimates; inside a block, of what a lower bound
                             ///< speaks of: those that are sure; 0: not said
    bool from_zero = false;  ///< as a range: from 0 on, wherever the buffer begins
    bool operator==(const BufferDim &other) const {
        return func == other.func && dim == other.dim && from_zero == other.from_zero;
    }
};

/** So many points of a buffer's dimension for each of a loop, or fewer. */
struct PartOf {
    BufferDim buffer;
    int64_t per = 1;
    bool operator==(const PartOf &other) const {
        return buffer == other.buffer && per == other.per;
    }
};

/** One loop of a stage before any split. Extents are those at the estimates, in points. */
struct Dim {
    Name name;  ///< for people and for emission; no decision reads it
    int64_t extent = 1;
    bool reduction = false;
    /** Set when the loop is at least as long as this dimension of a buffer, at every size. */
    std::optional<BufferDim> at_least;
    bool constant = false;  ///< its extent is the same at every size: one that a plan chose, a window of
                            ///< fixed size, or a dimension of a buffer that is bound to one
    int64_t when =
        0;  ///< inside a block: its extent is reached only if that buffer has so many points or more
    std::optional<BufferDim> inside = std::nullopt;  ///< the lower bound holds only where that dimension lies
                                                     ///< inside this one (the loop is clamped to it)
    double blocks = 1;  ///< inside a block: so many such blocks, one after the other along it, are the whole
    std::optional<int64_t> first = std::nullopt;   ///< coordinate of its first point, if estimates tell
    std::optional<PartOf> part_of = std::nullopt;  ///< it has at least that part of this dimension's points,
                                                   ///< rounded down, at every size
};

using Dims = Table<DimId, Dim>;

/** One index of a load: offset + sum of scale[d] * (loop d of the consumer). */
struct Index {
    InlineVector<double, 6> scale;  ///< one for each dim of the consuming stage; a fraction for x / 8. Not
                                    ///< affine: not 0 for what changes it; all 0 when that is not known
    double halo = 0;     ///< further points read around the scaled tile (from max - min of offsets)
    bool affine = true;  ///< false: data-dependent or beyond analysis; the whole dimension may be read
    bool exact =
        true;  ///< integer scale, no offset, no rounding: the index is the scaled loops and nothing else
    bool cut = false;  ///< a minimum, maximum, division or remainder: it may take fewer values than its loops
    bool held = false;       ///< a minimum, maximum or remainder: and fewer than `scale` says
    DimId clamped_dim = -1;  ///< set when the index is this consumer dim, clamped to the range of
                             ///< `clamped_to`
    std::optional<BufferDim> clamped_to = std::nullopt;
    double wraps = 0;  ///< a remainder: how many points it goes over before it starts again; 0: none
    std::optional<double> offset =
        0;  ///< of an affine index: what is added to the scaled loops, before it is cut; none: not known
    double rounding = 0;  ///< of quotients, which are rounded down: so many points more may be read by a tile
                          ///< that does not begin at a multiple of the divisor

    /** All dims of the consumer. */
    Ids<DimId> consumer_dims() const {
        return {0, static_cast<int>(scale.size()), 1};
    }
    /** May it change with this dim of the consumer? */
    bool depends_on(DimId consumer_dim) const;
    /** The one consumer dim that this index equals, or -1. */
    DimId equals_dim() const;
};

/** How a stage reads a Func: one index for each dimension of the producer. */
struct Access {
    Table<DimId, Index> indices;
    bool affine() const;
    /** Do the indices name distinct consumer dims, each with scale 1 and nothing added? */
    bool permutation() const;
    bool depends_on(DimId consumer_dim) const;
};

/** Floating-point operations that a compiler may rearrange where they meet, unless the target has the feature
 * strict_float. */
struct Arithmetic {
    bool sums = false;       ///< + and -
    bool products = false;   ///< *
    bool quotients = false;  ///< / and what else is folded with its neighbours: square roots, constants that
                             ///< a select chooses

    bool any() const {
        return sums || products || quotients;
    }
    Arithmetic &operator|=(const Arithmetic &o) {
        sums = sums || o.sums;
        products = products || o.products;
        quotients = quotients || o.quotients;
        return *this;
    }
};

struct Edge {
    FuncId producer = -1;
    StageId consumer = -1;
    Access access;
    int loads = 1;  ///< how often the consumer's body names it with this access
    int taps =
        1;  ///< accesses that differ by constants alone and are this one together: it spans them (taps.h)
    Arithmetic into;                     ///< what the loaded value goes into, in the consumer's body
    std::vector<int> taps_at = {};       ///< for each value of the consumer's Cases: how many of the taps are
                                         ///< read where it is known; empty: all of them
    std::vector<SomeOf> in_phases = {};  ///< the phases of the consumer that read it; empty: all
    bool forwarded = false;              ///< the loaded value may be the consumer's own value
};

/** What a definition computes and loads once a plan has rewritten it. */
struct RewrittenBody {
    ExprSummary body;
    bool multiply_accumulate = false;
    std::vector<Edge> edges;
};

class Rewrite;  // src/fusion/rewrite.h

/** What a rewrite can change in a definition, found when that was read. Rewrites derive from it; what they
 * have found is theirs alone. */
struct Pattern {
    /** `of`: a Rewrite, of which only its file knows more. */
    template<class R>
    explicit Pattern(const R &of) : rewrite(&of), name(of.name()) {
    }
    virtual ~Pattern() = default;

    const Rewrite *rewrite;
    const char *name;                 ///< of the rewrite
    std::vector<FuncId> others = {};  ///< Funcs whose definitions have a part in it, besides the stage's own
    DimId in_pieces = -1;  ///< the stage's dim over which it makes several loops, none of which reads all of
                           ///< what the stage reads
};

/** Work that a rewrite has moved out of the innermost loops of a stage: done once for all points that agree
 * in these dims. */
struct HoistedWork {
    ExprSummary body;
    DimFlags depends;  ///< the stage's dims that change it
};

/** A product that a library computes (src/library): an extern stage that computes whatever region of it is
 * asked for. */
struct LibraryCall {
    DimFlags in_a, in_b;  ///< the stage's dims that its operands have: rows, columns, those of both a batch
    int64_t terms = 1;    ///< of each sum
    bool whole = false;   ///< one call on all threads computes all of it; otherwise each is on one thread
    bool operator==(const LibraryCall &o) const {
        return in_a == o.in_a && in_b == o.in_b && terms == o.terms && whole == o.whole;
    }
};

/** A reduction that keeps a pair of values for each point: the stage's own, and those of `other`. */
struct RunningPair {
    FuncId other = -1;
    ExprSummary merge;            ///< work that makes one of two partial pairs
    const Rewrite *by = nullptr;  ///< which makes the Func of both
};

struct Stage {
    FuncId func = -1;
    int update = -1;  ///< -1: the pure definition; otherwise the index of the update definition
    Dims dims;        ///< innermost first: the pure arguments in order, then reduction variables
    Role role = Role::opaque;
    std::string why_opaque;  ///< a sentence, for roles that stay at Root
    bool external = false;   ///< an extern stage: it takes what it reads as buffers
    ExprSummary body;
    bool multiply_accumulate = false;  ///< f += a * b: one fused multiply-add a point
    bool reassociable = false;         ///< the update's operator is associative and commutative
    bool adds = false;                 ///< and is +
    bool order_free = false;           ///< and of integers: any order gives the same bits
    bool adds_or_multiplies = false;   ///< and is + or *: another order only rounds otherwise
    bool mergeable = false;  ///< the update's operator is associative, of a Tuple too: results of consecutive
                             ///< terms may be merged in the order of the terms
    bool mergeable_exactly = false;  ///< and of integers: merging gives the same bits
    bool starts_neutral = false;     ///< the initial value may as well come last: the operator's neutral
                                     ///< element, of integers, or under min and max
    Arithmetic result;               ///< what the stage's value comes out of
    std::vector<EdgeId> edges;       ///< in the order of the expression
    DimFlags own = {};    ///< an update's: the dims of its Func that it writes at its own coordinates; along
                          ///< the others it has no loops. Empty: all of them
    Access written = {};  ///< where an update writes, if that is affine and not its own point; empty: there
    DimFlags scattered_by = {};  ///< dims that change at which computed place it writes; empty: at none
    /** Of reduction dims each of whose points writes points of its own, and reads none that another writes,
     * f(r + 1) += g(r): the one dim of the Func that they count up; one past the last: none; of others -1. */
    DimMap goes_along = {};
    std::optional<Chain> chain = std::nullopt;  ///< an update along rows that reads its own neighbour
    DimFlags condition = {};  ///< the dims that change what an update's condition reads: where a step of such
                              ///< a loop may be cut short, Halide asks for all of it; empty: none
    DimFlags guarded = {};    ///< the dims that the body's guards depend on; empty: it has none
    std::optional<Cases> cases = std::nullopt;  ///< the dim that decides most of what it chooses by
    std::vector<SomeOf> phases = {};  ///< dims by whose remainders it chooses, select(y % 2 == 0, …), each
                                      ///< with the share of the body that is left in one, on average
    std::vector<SomeOf> taken = {};   ///< iterations of an update at which its condition can hold
    std::vector<std::shared_ptr<const Pattern>> patterns = {};  ///< of rewrites that a plan may make of it
    bool cancels = false;  ///< it reads a Func in terms that cancel, as a - a: simplified, it does not
    std::vector<std::string> simplified = {};  ///< names of rewrites that are always made of this definition
                                               ///< (schedules/rewrites): it was read so
    std::optional<LibraryCall> library = std::nullopt;  ///< an extern stage that is such a product
    std::vector<HoistedWork> hoisted = {};  ///< beside the body: of an update that is no sum, and what
                                            ///< rewrites leave behind
    // What rewrites that a plan has chosen leave behind:
    std::optional<RunningPair> pair = std::nullopt;
    const Rewrite *wrapper = nullptr;  ///< a pure definition whose work and loads are those of the Func that
                                       ///< this rewrite makes around it, which all read instead

    /** Is there a loop over this dim? */
    bool has_loop(DimId d) const {
        return dims[d].reduction || is_own(d);
    }
    /** Is it one of the Func's that the stage writes at its own coordinate? Halide lets an update read its
     * own Func at no other coordinate of such a dim: its points are independent of each other. */
    bool is_own(DimId d) const {
        return !dims[d].reduction && (own.empty() || own[d]);
    }

    /** Has it independent problems along this dim, whose order and whose tasks are free? */
    bool has_free_order(DimId d) const {
        return is_own(d) || (!goes_along.empty() && goes_along[d] >= 0);
    }

    /** May a loop over this dim have steps of several points, of which the last is cut short? */
    bool may_be_cut(DimId d) const {
        return condition.empty() || !condition[d];
    }

    bool is_simplified_by(const char *rewrite) const {
        return std::find(simplified.begin(), simplified.end(), rewrite) != simplified.end();
    }
};

/** What a rewrite has found in `stage`, of its own type; null where it has found nothing. */
template<class P>
const P *pattern_of(const Stage &stage) {
    for (const std::shared_ptr<const Pattern> &p : stage.patterns) {
        if (const P *found = dynamic_cast<const P *>(p.get())) {
            return found;
        }
    }
    return nullptr;
}

/** How the points of a buffer that the caller passes lie in memory. */
struct Interleaving {
    /** More points than these are not called interleaved: a vector's loads would span more cache lines than
     * it uses bytes of each. Chosen, not measured. */
    static constexpr int64_t most_points = 8;

    DimId inner = 0;   ///< its points are neighbours
    DimId outer = -1;  ///< from one point of it to the next are the few of `inner`; -1: there is no such dim
    int64_t step = 0;  ///< so many elements, from 2 to most_points
    bool constant = false;  ///< the author has set these strides; otherwise a schedule has to ask for them

    bool is_dense(DimId d) const {
        return d == inner;
    }
    bool is_stepped(DimId d) const {
        return outer >= 0 && d == outer;
    }
};

struct FuncInfo {
    std::string name;         ///< for people; no decision reads it
    int pipeline_index = -1;  ///< argument of Pipeline::get_func; -1: a buffer that no definition reads
    int measured_index = -1;  ///< among measured_buffers(), of which sizes alone are read; -1: not of these
    Extents extents;          ///< required region at the estimates, innermost first
    Table<DimId, std::optional<BufferDim>> at_least;   ///< per dimension, as in Dim
    Table<DimId, std::optional<BufferDim>> inside;     ///< per dimension, as in Dim
    Table<DimId, std::optional<PartOf>> part_of = {};  ///< per dimension, as in Dim; empty in blocks
    Extents when;                                      ///< per dimension, as in Dim; empty outside blocks
    DimFlags constant = {};   ///< per dimension: the same points are required at every size; empty: of none
    int bytes_per_point = 4;  ///< over all tuple elements
    int element_bytes = 4;    ///< of the widest tuple element
    int tuple_size = 1;
    Interleaving interleaving;  ///< of inputs and outputs
    bool input = false;         ///< a wrapper around a buffer that the caller passes; not an operation
    bool output = false;
    bool user_scheduled = false;    ///< its loops carry directives, or hold Funcs that the user placed
    bool user_placed = false;       ///< and so does where it is computed
    bool in_place = false;          ///< an output that is added to what its buffer holds: in_place_tag
    std::string own_buffer_reason;  ///< why it stays a buffer of its own, after its name; empty: it need not
    std::string between;            ///< why it stays inlined, whatever it costs; empty: it need not
    std::vector<StageId> stages;    ///< pure definition first; empty for inputs

    /** Why nothing else may be computed in its loops, nor it in those of others, as what follows its name;
     * empty: they may. */
    std::string why_own_loops() const;

    /** Are the same points of its dimension `d` required at every size? */
    bool is_constant(DimId d) const {
        return constant.contains(d) && constant[d];
    }
    int64_t points() const;
    Bytes bytes() const {
        return points() * bytes_per_point;
    }
};

/** A pipeline as plain data: producers before consumers, in the order in which the outputs' expressions first
 * need them, so that neither names nor the order of definitions has a say. */
struct Graph {
    Table<FuncId, FuncInfo> funcs;
    Table<StageId, Stage> stages;
    Table<EdgeId, Edge> edges;
    std::vector<Prepared> prepared = {};    ///< what was done to the pipeline as written before it was read
    std::vector<std::string> changed = {};  ///< sentences on that, for a person
    std::vector<LibraryChoice> library_choices = {};
    bool gpu = false;  ///< it runs on a GPU, where a single value has a block of threads, too
    bool functions_in_vectors = false;   ///< calls that vectorize_functions() knows are its polynomials
    bool approximate_functions = false;  ///< those that approximate_functions() knows are the device's
    bool strict = false;             ///< floating-point operations keep their order: no plan may reassociate
    bool sums_in_any_order = false;  ///< but the terms of sums and products, where strict holds otherwise

    /** May the terms of this reduction be put in another order? */
    bool may_reorder(const Stage &stage) const {
        return stage.reassociable &&
               (!strict || stage.order_free || (sums_in_any_order && stage.adds_or_multiplies));
    }
    bool may_merge(const Stage &stage) const {
        return stage.mergeable && (!strict || stage.mergeable_exactly);
    }
    /** Stages that read `func`, each once, in order. They are looked up once: whoever changes edges, other
     * than by adding some, calls forget_consumers(). */
    const std::vector<StageId> &consumers(FuncId func) const {
        return consumers_of(func).stages;
    }
    /** Funcs other than `func` itself that read it. */
    const std::vector<FuncId> &consumer_funcs(FuncId func) const {
        return consumers_of(func).funcs;
    }
    void forget_consumers() {
        consumers_.clear();
    }
    const Stage &pure_stage(FuncId func) const {
        return stages[funcs[func].stages.front()];
    }
    const Stage &last_stage(FuncId func) const {
        return stages[funcs[func].stages.back()];
    }
    /** Do all stages of `func` write `dim` at their own coordinate, so that some points along it can be
     * computed without the others? */
    bool writes_own(FuncId func, DimId dim) const {
        const std::vector<StageId> &of = funcs[func].stages;
        return std::all_of(of.begin(), of.end(), [&](StageId s) { return stages[s].is_own(dim); });
    }

private:
    struct Consumers {
        std::vector<StageId> stages;
        std::vector<FuncId> funcs;
    };
    mutable Table<FuncId, Consumers> consumers_;
    mutable size_t consumers_of_edges_ = 0;  // so many

    const Consumers &consumers_of(FuncId func) const;
};

/** The pipeline as text: one line a Func, stage and edge. `with_names` false prints ids only: equal for
 * pipelines of equal structure. */
std::string to_string(const Graph &graph, bool with_names = true);

}  // namespace eutectic
