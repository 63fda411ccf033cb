// c(j, i) += i32(a(k, i)) * i32(b(j, k)), of 8 or 16 bits, in a register tile
//   →   c(j, i) += dot(p(j, k', 0 .. terms), q(terms * k' .. terms * k' + terms, i)), over ceil(k / terms)
//   k'. p holds b, with the terms of a column side by side, and q holds a: panels inside the loop over tiles
//   that their factor goes along where that is outside, else all of them before.
//
// Both are 0 beyond the last term. Integers: any order of the sum gives the same bits, so the grade is exact.

#include "fusion/policies/cpu/register_tile_dots.h"

#include <algorithm>

namespace eutectic {

namespace {

/** Is what the factor reads in memory as a whole before the tile's loops, or computed from what is? (A sum is
 * read through the Func that its tiles are written by, which only the plan makes.) */
bool is_there_before(const GroupRequest &q, const NarrowFactorOf &factor) {
    const auto in = [&](const std::vector<FuncId> &funcs) {
        return std::find(funcs.begin(), funcs.end(), factor.func) != funcs.end();
    };
    return (q.inlined[factor.func] || materialized(q.placements[factor.func]) ||
            q.graph.funcs[factor.func].input) &&
           q.graph.funcs[factor.func].stages.size() <= 1 && !in(q.tiled) && !in(q.blocked);
}

/** Along which dim of the Func that it reads `column` moves it, point by point and alone; -1: none. */
DimId along_column(const NarrowFactorOf &factor, DimId column) {
    DimId along = -1;
    for (const DimId i : factor.access.indices.ids()) {
        const Index &index = factor.access.indices[i];
        if (!index.depends_on(column)) {
            continue;
        }
        if (along >= 0 || !index.affine || index.cut || index.scale[column] != 1) {
            return -1;
        }
        along = i;
    }
    return along;
}

int64_t rounded_up(int64_t points, int64_t step) {
    return (points + step - 1) / step;
}

/** The copy of a factor as a stage: of dims as what it reads has, and, if it keeps `apart` the terms of a
 * dot, one more for these. */
StageWork copy_of(const GroupRequest &q, const NarrowFactorOf &factor, FuncId id, int64_t terms, int bytes,
                  bool apart) {
    const FuncInfo &info = q.graph.funcs[factor.func];
    StageWork base = q.inlined[factor.func]
                         ? stage_work(q.graph, info.stages.front(), q.inlined)
                         : copy_work(id, {factor.func, {}, info.bytes_per_point, info.extents});
    const DimId dims = info.extents.next_id();
    Access outer = identity_access(info.extents.size(), info.extents.size() + (apart ? 1 : 0));
    StageWork work;
    work.func = id;
    work.stored_bytes = work.element_bytes = bytes;
    work.stores_packed = true;
    for (const DimId d : info.extents.ids()) {
        work.dims.push_back({"d" + std::to_string(d), info.extents[d], false, std::nullopt});
    }
    int64_t &along = work.dims[factor.dim].extent;
    along = rounded_up(along, terms) * (apart ? 1 : terms);
    if (apart) {
        work.dims.push_back({"term", terms, false, std::nullopt, true});
        outer.indices[factor.dim].scale[factor.dim] = static_cast<double>(terms);
        outer.indices[factor.dim].scale[dims] = 1;
    }
    const auto in_copy = [&](const DimFlags &flags) {
        DimFlags result(flags.empty() ? 0 : work.dims.size());
        for (const DimId d : flags.ids()) {
            result[d] = flags[d];
            if (apart && d == factor.dim) {
                result[dims] = flags[d];
            }
        }
        return result;
    };
    work.parts.push_back({factor.body, false, DimFlags(work.dims.size(), true)});
    for (Part part : base.parts) {
        part.depends = in_copy(part.depends);
        part.guarded = in_copy(part.guarded);
        part.chosen_by = -1;
        part.phases.clear();
        work.parts.push_back(std::move(part));
    }
    for (Load load : base.loads) {
        load.access = compose(load.access, outer, work.dims.size());
        load.read_at.clear();
        work.loads.push_back(std::move(load));
    }
    return work;
}

/** The dim of the Func that it reads that `by` moves point by point, of which no two turns of a loop read the
 * same (a window would); -1: there is none. */
DimId moved_by(const NarrowFactorOf &factor, DimId by) {
    for (const DimId i : factor.access.indices.ids()) {
        if (factor.access.indices[i].equals_dim() == by) {
            return i;
        }
    }
    return -1;
}

/** As many vector operations as so many instructions for a dot take the time of. An addition of integers
 * beside the product has ports of its own where vectors have 256 bits, though not all take those. (One core
 * of AMD Zen 3, 12 chains: vpmaddwd with vpaddd 0.218 ns, vpmaddwd alone 0.166, a multiply-add 0.167.) */
double operations(int instructions, const Machine &m) {
    return instructions == 2 && m.vector_bits <= 256 ? 1.3 : instructions;
}

/** Where a copy is made, and of what part of its dims: all of them at Root. */
struct CopyPlace {
    std::optional<LoopRef> loop = std::nullopt;
    DimMap position = {};
    Extents points = {};  ///< of the stage's dims, in one turn of the loop
};

/** The outermost loop over tiles that `factor` goes along, if it goes along all loops around that; else
 * Root. */
CopyPlace place_of(const PackedTile &t, const DimMap &dims_in_sum, const StageWork &stage,
                   const NarrowFactorOf &factor) {
    CopyPlace place;
    place.position = DimMap(t.work.dims.size(), -1);
    for (const Dim &dim : stage.dims) {
        place.points.push_back(dim.extent);
    }
    const int outer = static_cast<int>(t.work.dims.size());
    for (int l = 0; l < outer; l++) {
        const DimId host = t.loops[l].dim;
        const DimId by = dims_in_sum[host], in_factor = by < 0 ? DimId(-1) : moved_by(factor, by);
        if (in_factor < 0) {
            break;
        }
        place.points[by] = t.tile.step(host);
        place.position[host] = in_factor;
        if (t.tile.step(host) > 1) {
            place.loop = LoopRef{t.writer, -1, l};
            break;
        }
    }
    return place;
}

/** A copy's loops: in vectors, of the neighbours that it reads where they are terms, else of those that it
 * writes. At Root outermost in parallel, a few tasks a core. */
Loops copy_loops(const GroupRequest &q, const StageWork &copy, const NarrowFactorOf &factor, DimId inner,
                 bool apart, bool parallel) {
    constexpr int64_t tasks_a_core = 4;  // chosen, not measured: so that no core waits long for another
    Loops loops;
    const DimId dims = copy.dims.next_id() - (apart ? 1 : 0);
    const bool terms_are_neighbours = apart && factor.dim == 0;
    // A power of two: of masked loads in vectors of 33 lanes, say, Halide (21) makes one of a single lane,
    // with a mask that is no vector, on which LLVM ends the process.
    int64_t lanes = std::max<int64_t>(1, q.machine.lanes(copy.element_bytes) / (apart ? 2 : 1));
    while (lanes > copy.dims[inner].extent && lanes > 1) {
        lanes /= 2;
    }
    for (DimId d = dims - 1; d >= 0; d--) {
        if (d == inner && !terms_are_neighbours) {
            continue;
        }
        if (parallel && q.machine.cores > 1) {
            const int64_t points = rounded_up(copy.dims[d].extent, tasks_a_core * q.machine.cores);
            loops.parallel(d, points);
            parallel = false;
            if (points == 1) {
                continue;
            }
        }
        loops.split(d, 1);
    }
    if (terms_are_neighbours) {
        loops.vectorize(dims);
        return loops;
    }
    loops.split(inner, lanes);
    if (apart) {
        loops.unroll(dims);
    }
    loops.vectorize(inner);
    return loops;
}

}  // namespace

std::optional<TileDots> TileDots::find(const GroupRequest &q, const StageWork &writer,
                                       const std::vector<FuncId> &reductions) {
    const Dots &has = q.machine.dots;
    if (!has.any() || q.inside_block) {
        return std::nullopt;
    }
    TileDots dots;
    dots.terms_ = 4;
    for (const FuncId f : reductions) {
        const Stage &update = q.graph.last_stage(f);
        const NarrowFactors *found = pattern_of<NarrowFactors>(update);
        if (!found || !update.order_free || !is_there_before(q, found->a) || !is_there_before(q, found->b)) {
            return std::nullopt;
        }
        const bool bytes = found->a.bits == 8 && found->b.bits == 8;
        const int quads = !bytes ? 0 : found->a.sign == found->b.sign ? has.equal_quads : has.mixed_quads;
        dots.terms_ = quads > 0 && dots.terms_ == 4 ? 4 : 2;
        const DimId column = dims_in_producer(writer, f)[0];
        Sum sum;
        sum.sum = found->sum;
        const DimId a = along_column(found->a, column), b = along_column(found->b, column);
        const bool swapped = !found->b.access.depends_on(column);
        if (column < 0 || (swapped ? a : b) < 0 || (!swapped && found->a.access.depends_on(column))) {
            return std::nullopt;
        }
        sum.packed = swapped ? &found->a : &found->b;
        sum.padded = swapped ? &found->b : &found->a;
        sum.along = swapped ? a : b;
        dots.sums_.emplace(f, std::move(sum));
    }
    dots.bytes_ = dots.terms_ == 4 ? 1 : 2;
    if (dots.terms_ == 2 && has.pairs == 0) {
        return std::nullopt;
    }
    for (auto &[f, sum] : dots.sums_) {
        StageWork work = stage_work(q.graph, q.graph.funcs[f].stages.back(), q.inlined);
        const bool mixed = sum.packed->sign != sum.padded->sign;
        ExprSummary dot;
        const int instructions = dots.terms_ == 2 ? has.pairs : mixed ? has.mixed_quads : has.equal_quads;
        dot.add_flops(operations(instructions, q.machine), 4);
        work.parts = {{dot, false, DimFlags(work.dims.size(), true)}};
        work.loads.clear();
        for (const NarrowFactorOf *factor : {sum.packed, sum.padded}) {
            const bool apart = factor == sum.packed;
            Load load{q.made(apart ? "packed_terms" : "padded_terms", f), factor->access,
                      dots.bytes_ * static_cast<int>(apart ? dots.terms_ : 1),
                      q.graph.funcs[factor->func].extents};
            int64_t &points = load.extents[factor->dim];
            points = rounded_up(points, dots.terms_) * (apart ? 1 : dots.terms_);
            load.access.indices[factor->dim].scale[sum.sum] = apart ? 1 : static_cast<double>(dots.terms_);
            const DimId inner = apart ? sum.along : factor->dim;
            std::swap(load.access.indices[0], load.access.indices[inner]);
            std::swap(load.extents[0], load.extents[inner]);
            work.loads.push_back(std::move(load));
        }
        work.dims[sum.sum].extent = rounded_up(work.dims[sum.sum].extent, dots.terms_);
        sum.work = SharedWork(std::move(work));
    }
    return dots;
}

void TileDots::add_copies(const PackedTile &t, FuncId f, FuncId in_tile, SharedWork &stage, Group &g) const {
    const Sum &sum = sums_.at(f);
    const DimMap dims_in_sum = dims_in_producer(t.work, f);
    StageWork &reads = stage.edit();
    for (Load &load : reads.loads) {
        const bool apart = &load == &reads.loads.front();
        const NarrowFactorOf &factor = apart ? *sum.packed : *sum.padded;
        StageWork copy = copy_of(t.request, factor, load.producer, terms_, bytes_, apart);
        const CopyPlace place = place_of(t, dims_in_sum, *stage, factor);
        for (DimId d = 0; place.loop && d < factor.access.indices.next_id(); d++) {
            const Index &index = factor.access.indices[d];
            const int64_t step = d == factor.dim && !apart ? terms_ : 1;
            copy.dims[d].extent =
                static_cast<int64_t>(footprint(index, copy.dims[d].extent / step, place.points)) * step;
        }
        if (apart) {
            g.added.push_back(Added::rewrite("packed_terms", load.producer, in_tile,
                                             {factor.func, sum.padded->func}, Grade::exact));
            g.added.back().factor = terms_;
        } else {
            g.added.push_back(Added::rewrite("padded_terms", load.producer, in_tile,
                                             {reads.loads.front().producer}, Grade::exact));
        }
        TreeFunc &copied = place.loop ? g.tree.add_in_loop(load.producer, *place.loop, place.position,
                                                           static_cast<size_t>(place.loop->loop) + 1)
                                      : g.tree.add_at_root(load.producer);
        const DimId inner = apart ? sum.along : factor.dim;
        if (apart) {
            copied.storage.push_back(factor.access.indices.next_id());
        }
        copied.storage.push_back(inner);
        for (const DimId d : factor.access.indices.ids()) {
            if (d != inner) {
                copied.storage.push_back(d);
            }
        }
        load.packed = place.loop.has_value();
        for (const DimId d : factor.access.indices.ids()) {
            load.extents[d] = copy.dims[d].extent;
        }
        std::swap(load.extents[0], load.extents[inner]);
        Loops loops = copy_loops(t.request, copy, factor, inner, apart, !place.loop);
        Dims dims = copy.dims;
        g.tree.add_stage(load.producer, -1, std::move(dims), std::move(loops), {},
                         NestedStage{SharedWork(std::move(copy))});
    }
}

}  // namespace eutectic
