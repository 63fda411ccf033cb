// What vectors take whose lanes lie apart, or have the same element.

#include "cost/lanes.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace eutectic {

namespace {

/** Do the lanes of a gather, with the vectors unrolled beside it, fall into one set of the first level that
 * cannot hold them all? */
bool conflicts(const Load &load, const Block &block, const Machine &m) {
    const DimId v = block.vector_dim;
    const double lines = static_cast<double>(block.lanes) * static_cast<double>(block.vectors[v]);
    return lines > m.conflict_ways && same_set(load, v, m);
}

/** The share of vectors along `dim` that a clamp keeps apart: those that read beyond one end of what is there
 * or the other, at least one at each if any does. All, where none of the loops that are cut
 * (settle_tails_and_boundaries), not tasks nor those around a tile or a block, goes from vector to vector. */
double share_beyond(const NestedStage &stage, const Load &load, const Block &block, DimId dim) {
    double turns = 1;
    bool inside_block = stage.work->dims[dim].blocks > 1, cut = false;
    for (size_t l = 0; l < stage.nest.loops.size(); l++) {
        const Loop &loop = stage.nest.loops[l];
        if (loop.dim == dim && !is_unrolled(loop.kind)) {
            const bool around =
                l < static_cast<size_t>(stage.nest.shared) && (stage.stores_locally || stage.block_loops > 0);
            cut = cut || (!around && loop.kind != Loop::Kind::parallel);
            turns *= static_cast<double>(trips(stage.nest, l, stage.work->dims));
            inside_block = inside_block || loop.count > 0;
        }
    }
    if (!cut) {
        return 1;
    }
    std::optional<double> beyond;  // none: nobody knows
    for (DimId i = 0; i < load.access.indices.next_id() && !inside_block; i++) {
        const Index &index = load.access.indices[i];
        const double scale = std::abs(index.scale[dim]);
        if (index.affine && scale > 0) {
            const double read =
                scale * static_cast<double>(stage.work->dims[dim].extent - 1) + 1 + index.halo;
            beyond = (read - static_cast<double>(load.extents[i])) / scale;
        }
    }
    if (beyond && *beyond <= 0) {
        return 0;
    }
    const double step = static_cast<double>(block.lanes) * static_cast<double>(block.vectors[dim]);
    return std::min(1.0, 2 * std::max(1.0, std::ceil(beyond.value_or(0) / 2 / step)) / turns);
}

/** Does each point along `dim` have its own place, which only computing it tells? */
bool computed_along(const Load &load, DimId dim) {
    return std::any_of(load.access.indices.begin(), load.access.indices.end(),
                       [&](const Index &i) { return !i.affine && i.depends_on(dim); });
}

/** Is it at a place of its own for each turn of the innermost loop around the block? */
bool computed_each_turn(const NestedStage &stage, const Load &load) {
    const int l = loop_around(stage);
    return l >= 0 && stage.nest.loops[l].dim >= 0 && computed_along(load, stage.nest.loops[l].dim);
}

/** Loads of so many full-width instructions whose lanes are `step` elements apart, or of which 1 / `step`
 * neighbours have the same element: whole vectors of all that lies between, which the block's other loads of
 * it share, and shuffles that bring two of them into one; of p(x / 2), two halves and a shuffle. (Halide 21
 * and LLVM, f32 and u8, vectors of 256 and 512 bits, loads of p(s x) for s of 1 to 13 on an AMD EPYC: each
 * further step costs as much as the vectors and shuffles here, from 0.6 ns of a vector of 512 bits; p(x / 2)
 * costs what p(2 x) does or less.) */
double stepped_cycles(double step, double n, double taps, double instructions, const Machine &m) {
    const double vectors = std::max(step, 1 / step);
    const double shared = step > 1 ? std::min(step, n * taps) : 1;
    return (vectors / shared + vectors - 1) * n * instructions / m.loads_per_cycle;
}

/** What of that arithmetic waits for: the units that add and multiply shuffle, too. Lanes from x = 1 on have
 * p(x / 2) once and each other element twice, so that, unless they are known to begin at a multiple, those of
 * each remainder are spread from a load of their own and then blended: 1.57 cycles a load on an AMD EPYC with
 * vectors of 256 bits, of one alone as of twelve beside each other. */
double shuffle_cycles(double step, double n, double instructions, const Machine &m) {
    const double vectors = std::max(step, 1 / step);
    const double shuffles = step < 1 ? 2 * vectors - 1 : vectors - 1;
    return shuffles * n * instructions / m.vector_ops_per_cycle;
}

/** Cycles of computing where a lane lies, for one of the loads of one Func whose places are computed: they
 * lie beside each other, and one is computed for all of them. */
double index_cycles(const NestedStage &stage, const Load &load, const Machine &m) {
    double loads = 0;
    for (const Load &other : stage.work->loads) {
        loads += other.producer == load.producer && !other.access.affine() ? other.taps : 0;
    }
    return m.index_cycles_per_lane / std::max(1.0, loads);
}

/** Of arithmetic's units, what a lane of so many bytes that is loaded or stored by itself takes: x86 has
 * gathers of four and eight bytes alone, and puts narrower ones into a vector one by one. (One core of AMD
 * Zen 3 at 3.3 GHz, AVX2, more than dense loads and stores took, a lane: of bytes 0.20 ns loaded, 0.32
 * stored, 0.51 both; of two bytes 0.14, 0.30 and 0.36; of floats 0.12, 0.23 and 0.26.) */
double narrow_lane_cycles(double bytes, const Machine &m) {
    return bytes > 2 ? 0 : m.narrow_lane_cycles / std::max(1.0, bytes);
}

/** Of p(x / 2), two lanes have one element, and shuffles spread them. Where more have, LLVM computes the
 * place of each lane. (Halide 21 and LLVM, q(x) * p(x / k), f32 in vectors of two 256-bit registers on one
 * core of an AMD EPYC: 0.4 cycles a lane with k = 2, 1.3 with 4, 1.6 with 8 and 16.) */
constexpr double most_neighbours_shuffled = 2;

}  // namespace

bool same_set(const Load &load, DimId dim, const Machine &m) {
    const double apart = bytes_apart(load, dim);
    return apart > 0 && std::fmod(apart, static_cast<double>(m.conflict_bytes)) == 0;
}

OfLoad load_cycles(const NestedStage &stage, const Load &load, const Block &block, const Machine &m) {
    const DimFlags depends = dims_of(load, block.vectors.size());
    const double n = distinct(block, depends);
    if (block.vector_dim < 0 || !depends[block.vector_dim]) {  // one element, alone or for all lanes
        return {n * (1 / m.broadcasts_per_cycle +
                     (computed_each_turn(stage, load) ? index_cycles(stage, load, m) : 0))};
    }
    const double lanes = n * static_cast<double>(block.lanes);
    const double step = step_along(load, block.vector_dim, stage.strides_known);
    const bool many_share = step > 0 && 1 / step > most_neighbours_shuffled;
    const bool clamped = clamped_along(load, block.vector_dim),
               computed = many_share || clamped || computed_along(load, block.vector_dim);
    const double gathered =
        lanes * ((conflicts(load, block, m) ? m.conflict_cycles_per_lane : m.gather_cycles_per_lane) +
                 (computed ? index_cycles(stage, load, m) : 0));
    const double inserted = lanes * narrow_lane_cycles(load.bytes_per_point, m);
    if (step == 0 || many_share) {
        return {gathered, inserted};
    }
    const double instructions = full_instructions(static_cast<double>(block.lanes), load.bytes_per_point, m);
    const double stepped = stepped_cycles(step, n, load.taps, instructions, m);
    if (gathered <= stepped) {
        return {gathered, inserted};
    }
    // Vectors whose lanes a clamp keeps apart are gathered.
    const double beyond = clamped ? share_beyond(stage, load, block, block.vector_dim) : 0;
    return {beyond * gathered + (1 - beyond) * stepped,
            beyond * inserted + (1 - beyond) * shuffle_cycles(step, n, instructions, m)};
}

OfLoad scattered_store_cycles(const NestedStage &stage, const Block &block, double vectors,
                              const Machine &m) {
    const DimFlags &by = stage.work->scattered_by;
    const bool to_places = block.vector_dim >= 0 && !by.empty() && by[block.vector_dim];
    const double lanes = vectors * static_cast<double>(block.lanes);
    OfLoad of;
    if (to_places || stage.stores_apart) {
        of.loads = lanes * m.scatter_cycles_per_lane;
        of.shuffles = lanes * narrow_lane_cycles(stage.work->element_bytes, m);
    }
    if (stage.work->accumulates && !by.empty()) {
        const double whole =
            full_instructions(static_cast<double>(block.lanes), stage.work->element_bytes, m);
        of.loads += to_places ? lanes * (m.gather_cycles_per_lane + m.index_cycles_per_lane)
                              : vectors * (block.vector_dim < 0 ? 1 : whole) / m.loads_per_cycle;
    }
    return of;
}

}  // namespace eutectic
