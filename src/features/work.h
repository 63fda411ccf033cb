#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "graph/data/graph.h"

namespace eutectic {

/** Arithmetic that one stage does, its own or that of a Func that was inlined into it. */
struct Part {
    ExprSummary body;
    bool multiply_accumulate = false;
    DimFlags depends;       ///< on which of the stage's dims its value depends: along the others a
                            ///< compiler hoists or shares it
    DimFlags guarded = {};  ///< on which its guards depend; empty: it has none
    DimId chosen_by = -1;   ///< where the value of this dim is known, `decided` is all that is left of it
    ExprSummary decided = {};
    std::vector<SomeOf> phases = {};  ///< where these are known, the share of it that is left; empty: all
};

/** A load that remains once inlining is done. */
struct Load {
    FuncId producer = -1;
    Access access;  ///< in the stage's dims
    int bytes_per_point = 4;
    Extents extents;      ///< of the producer, innermost first
    bool reread = false;  ///< what another Func that the same nest writes has just read at the same points
    bool any_pitch =
        false;  ///< of a buffer of the caller's: its rows may lie further apart than the estimates say
    bool chosen = false;  ///< only ever read on the way to what a choice by coordinates (a mask, a boundary)
                          ///< may leave aside
    bool packed = false;  ///< of a copy that holds what a tile reads and nothing between: its rows lie closer
                          ///< than the extents say
    Interleaving interleaving = {};    ///< of the producer, if that is a buffer of the caller's
    double taps = 1;                   ///< different points that one iteration reads; the access spans them
    std::vector<SomeOf> read_at = {};  ///< iterations that read it; empty: all
};

/** A stage as the machine will run it: what it computes and what it loads, with inlined Funcs merged in. */
struct StageWork {
    FuncId func = -1;
    int update = -1;
    Dims dims;
    std::vector<Part> parts;
    std::vector<Load> loads;
    int stored_bytes = 4;  ///< per point, all tuple elements
    int element_bytes = 4;
    bool accumulates = false;    ///< loads and stores its own value on every point of the reduction
    DimFlags scattered_by = {};  ///< the dims that change at which computed place it does: hardly ever that
                                 ///< of the point before; empty: at none
    double recomputed =
        0;           ///< evaluations of inlined bodies beyond once per point of theirs, over the whole stage
    int stores = 1;  ///< buffers that a point is written to: one for each tuple element
    bool stores_packed =
        false;  ///< a packed copy: what it writes lies end to end, in the order in which it is written
    std::vector<SomeOf> taken = {};                     ///< iterations that do anything at all; empty: all
    std::optional<Chain> chain = std::nullopt;          ///< it reads its own neighbour in a row
    std::optional<LibraryCall> library = std::nullopt;  ///< a library's call does all of it
    std::optional<Load> written = std::nullopt;  ///< where it stores, as a load, if not at its own pure dims

    double points() const;
};

/** The share of `iterations`, of points that lie in `tile` along each dim, at which something happens in one
 * or another of them. */
double share_of(const std::vector<SomeOf> &iterations, const Extents &tile);

/** Of single iterations. */
double share_of(const std::vector<SomeOf> &iterations);

/** Work that many nests have in common: loops are tried by the hundred around the same work, which is copied
 * only to be changed. */
class SharedWork {
public:
    SharedWork() : SharedWork(StageWork()) {
    }
    SharedWork(StageWork work)  // NOLINT(google-explicit-constructor): it stands for the work
        : of_(std::make_shared<StageWork>(std::move(work))) {
    }
    const StageWork &operator*() const {
        return *of_;
    }
    const StageWork *operator->() const {
        return of_.get();
    }
    operator const StageWork &() const {  // NOLINT(google-explicit-constructor): it stands for the work
        return *of_;
    }
    /** The same work, to be changed at once; what else shares it keeps it as it was. */
    StageWork &edit() {
        groups_.reset();
        own_.reset();
        of_ = std::make_shared<StageWork>(*of_);
        return *of_;
    }
    /** load_groups() of it, found once. */
    const std::vector<struct LoadGroup> &load_groups() const;
    /** What it stores, as a load: at identity, or where it is written. */
    const struct LoadGroup &own_result() const;

private:
    std::shared_ptr<StageWork> of_;
    mutable std::shared_ptr<const std::vector<struct LoadGroup>> groups_;
    mutable std::shared_ptr<const struct LoadGroup> own_;
};

/** `inlined[f]`: is Func f inlined. The body of an inlined Func is counted once for each distinct access. */
StageWork stage_work(const Graph &graph, StageId stage, const Table<FuncId, bool> &inlined);

/** Is an index of `load` that follows `dim` clamped, so that neighbours along it are neighbours in memory
 * only where the clamp does nothing? */
bool clamped_along(const Load &load, DimId dim);

/** Do the two read the same points of one Func in the same iterations? */
bool same_points(const Load &a, const Load &b);

/** Loads of one Func whose indices differ by constants alone, as a stencil's: together they read no more than
 * each for itself does, and no more than everything between the first and the last. */
struct LoadGroup {
    std::vector<const Load *> loads;       ///< of the work
    std::shared_ptr<const Load> together;  ///< of several

    /** From the first to the last. */
    const Load &span() const {
        return together ? *together : *loads.front();
    }
};
/** Those of `work`, to which they refer; loads are together where less lies between them, over all of its
 * loops, than they read one by one. */
std::vector<LoadGroup> beside_each_other(const StageWork &work);

/** Pure stages over one domain in one nest, as work of the last one. Each computes for itself, and reads for
 * itself too: what an earlier one read is a load once more (`reread`), but comes from the first level.
 * (Compilers share neither: they cannot know that the outputs' mins are equal.) */
StageWork written_together(const std::vector<StageWork> &stages);

/** How a stage of `stage_dims` dims reads a Func that is read at `inner` by another Func, which the stage
 * reads at `outer`. */
Access compose(const Access &inner, const Access &outer, size_t stage_dims);

/** An access at the reader's own first `dims` coordinates, in a stage of `stage_dims` dims. */
Access identity_access(size_t dims, size_t stage_dims);

/** What Func::in() does: `made` copies the Func that `from` loads, point by point. */
StageWork copy_work(FuncId made, const Load &from);

/** `work` with its reduction dim `dim` split in two by `factor`, one part of which becomes a new pure dim at
 * position `pure_dims`: the outer part (it numbers chunks of `factor` points) or the inner one (it numbers
 * `factor` lanes). This is what rfactor leaves to the Func that it makes. */
StageWork split_reduction(const StageWork &work, DimId pure_dims, DimId dim, int64_t factor, bool keep_outer);

/** `work` with its reduction dim `dim` as a pure one, at position `pure_dims`: a partial result for each of
 * its points, as rfactor leaves them. */
StageWork keep_apart(const StageWork &work, DimId pure_dims, DimId dim);

/** Points of `load`'s producer that are read while dim d runs over tile[d] points: the product over the
 * producer's dimensions of min(extent, sum |scale| * (tile - 1) + 1 + halo). An index that is not affine
 * reads the whole dimension, a remainder its whole period: Halide's bounds of x % c are [0, c - 1], even for
 * one x, so this much of the producer is computed and allocated (tried with Halide 21). */
double footprint(const Load &load, const Extents &tile);

/** Of them, those that are read: an index that is loaded takes one value for each point of the dims that
 * change it. */
double points_read(const Load &load, const Extents &tile);

/** The same in one producer dimension. */
double points_read(const Index &index, int64_t extent, const Extents &tile);

/** footprint() in one producer dimension. */
double footprint(const Index &index, int64_t extent, const Extents &tile);

}  // namespace eutectic
