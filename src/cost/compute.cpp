// Cycles of one stage, from its innermost block: the unrolled and vectorized loops inside the innermost
// serial one.
//
//   block = max(operations / issue rate, loads / load ports, stores / store port, latency of the accumulation
//   chain) + spills
//
// Vectors of a part or a load along a dim it does not depend on are shared, and what no inner loop changes
// moves out of it, as compilers do.

#include <algorithm>
#include <cmath>
#include <optional>

#include "cost/cost.h"
#include "cost/innermost_block.h"
#include "cost/library.h"

namespace eutectic {

namespace {

/** Of `vectors` of so many lanes. `guarded`: the share of iterations that boundary conditions are left to. */
double operation_cycles(const ExprSummary &body, bool fused, double guarded, double vectors, double lanes,
                        int element_bytes, const Machine &m) {
    const double flops = std::max(0.0, body.flops - (fused ? 1 : 0)) + guarded * body.guards;
    const double instructions = full_instructions(lanes, body.bytes_of_operation(element_bytes), m);
    const double cycles = flops / m.vector_ops_per_cycle + body.divisions * m.division_cycles +
                          body.transcendentals * m.exp_cycles * (instructions >= 2 ? m.paired_exp_share : 1);
    return vectors * (instructions * cycles + typed_cycles(body, lanes, m) +
                      body.libm_calls * lanes * m.libm_seconds * m.hertz);
}

/** Of the block's repeats, those at which a value that only `depends` dims change is new: the trips of loops
 * up to the innermost such. In each turn of the first `anew_in` loops, another stage's, it is computed anew.
 */
double share_of_repeats(const NestedStage &stage, const Block &block, const DimFlags &depends,
                        int anew_in = 0) {
    double new_values = 1, all = 1;
    for (size_t l = 0; l < stage.nest.loops.size(); l++) {
        const Loop &loop = stage.nest.loops[l];
        if (is_unrolled(loop.kind)) {
            continue;
        }
        all *= static_cast<double>(trips(stage.nest, l, stage.work->dims));
        const bool other = static_cast<int>(l) < anew_in;
        new_values = other || (loop.dim >= 0 && depends[loop.dim]) ? all : new_values;
    }
    // Dims that no loop names run inside the named ones.
    const double unnamed = block.repeats / all;
    return unnamed > 1 ? 1 : new_values / all;
}

/** Into how many parts Halide can cut `dim` to leave guards out of the inner ones: the turns of its outermost
 * loop, that around blocks included. What runs in the first and the last of them is not cut again. */
double turns_of(const NestedStage &stage, DimId dim) {
    const double blocks = stage.work->dims[dim].blocks;
    for (size_t l = 0; l < stage.nest.loops.size(); l++) {
        const Loop &loop = stage.nest.loops[l];
        const bool inside = is_unrolled(loop.kind);
        const int64_t turns = trips(stage.nest, l, stage.work->dims);
        if (loop.dim == dim && (inside || turns > 1)) {
            return (inside ? 1 : static_cast<double>(turns)) * (loop.count > 0 ? 1 : blocks);
        }
    }
    return static_cast<double>(stage.work->dims[dim].extent) * blocks;
}

/** The share of iterations in which guards remain: the first and the last turn along each dim that they
 * depend on. A reduction's loops are inside the others, which need no guards in them once they are
 * partitioned. */
double share_at_ends(const NestedStage &stage, const DimFlags &guarded) {
    double without = 1;
    bool pure = false;
    for (const bool reduction : {false, true}) {
        for (DimId d = 0; d < guarded.next_id() && !(reduction && pure); d++) {
            if (guarded[d] && stage.work->dims[d].reduction == reduction) {
                without *= 1 - std::min(1.0, 2 / turns_of(stage, d));
                pure = pure || !reduction;
            }
        }
    }
    return 1 - without;
}

/** The share of iterations in which guards remain; `cut`: the one dim along which loops are cut, -1: all. */
double share_guarded(const NestedStage &stage, const DimFlags &guarded, DimId cut) {
    for (DimId d = 0; d < guarded.next_id() && cut >= 0; d++) {
        if (guarded[d] && d != cut && !stage.work->dims[d].reduction) {
            return 1;
        }
    }
    return share_at_ends(stage, guarded);
}

/** Do neighbours along `dim` lie a multiple of conflict_bytes apart, in one set of the first level? */
bool same_set(const Load &load, DimId dim, const Machine &m) {
    const double apart = bytes_apart(load, dim);
    return apart > 0 && std::fmod(apart, static_cast<double>(m.conflict_bytes)) == 0;
}

/** Are neighbours along `dim` in different rows, and not along a row? */
bool across_rows(const Load &load, DimId dim) {
    const Table<DimId, Index> &indices = load.access.indices;
    const auto depends = [&](const Index &i) { return i.depends_on(dim); };
    return !load.packed && !indices.empty() && !depends(indices[0]) &&
           std::any_of(indices.begin(), indices.end(), depends);
}

/** Do the lanes of a gather, with the vectors unrolled beside it, fall into one set of the first level that
 * cannot hold them all? */
bool conflicts(const Load &load, const Block &block, const Machine &m) {
    const DimId v = block.vector_dim;
    const double lines = static_cast<double>(block.lanes) * static_cast<double>(block.vectors[v]);
    return lines > m.conflict_ways && same_set(load, v, m);
}

/** Rows of a tile that lie a multiple of conflict_bytes apart share a set of the first level: those beyond
 * its ways come from the second, a line for each load. (Measured on 1024^3: 28 multiply-adds of 14 rows took
 * 38 cycles, 24 of 12 rows 30, 20 of 10 rows 22; 8 rows run at full speed.) */
double conflict_cycles(const Load &load, const Block &block, const Machine &m) {
    double lines = 1, perhaps = 1;
    for (const DimId d : block.vectors.ids()) {
        const bool row = d != block.vector_dim && block.vectors[d] > 1;
        const double rows = static_cast<double>(block.vectors[d]);
        lines *= row && same_set(load, d, m) ? rows : 1;
        perhaps *= row && load.any_pitch && across_rows(load, d) ? rows : 1;
    }
    const double beyond =
        std::max(std::max(0.0, lines - m.conflict_ways), m.any_pitch_share * (perhaps - m.conflict_ways));
    return beyond * static_cast<double>(m.line_bytes) * m.hertz / m.l2.bytes_per_second;
}

/** A loop that goes down the rows of a buffer is in another page at every turn, or at every few; when it
 * comes back to the first of more pages than a core has cached addresses of, it has to look each up. */
double page_cycles(const Load &load, const NestedStage &stage, const Machine &m) {
    const int l = loop_around(stage);
    if (l < 0 || stage.nest.loops[l].dim < 0) {
        return 0;
    }
    const DimId dim = stage.nest.loops[l].dim;
    if (!across_rows(load, dim)) {
        return 0;
    }
    const double step = bytes_apart(load, dim) * static_cast<double>(stage.nest.loops[l].size);
    const double pages_a_turn = std::min(1.0, step / static_cast<double>(m.page_bytes));
    const double pages = pages_a_turn * static_cast<double>(trips(stage.nest, l, stage.work->dims));
    return pages_a_turn * (pages > m.usable_cache * m.mapped_pages ? m.unmapped_cycles
                           : pages > m.near_pages                  ? m.far_page_cycles
                                                                   : 0);
}

/** Buffers along which a loop steps together share a set of the first level, since large ones begin at the
 * same place in a page: those beyond its ways are driven out before their next line, a miss for each line.
 * (Measured on an AMD EPYC of 2 cores, 32 KiB of 8 ways: a nest for 4, 8 and 16 outputs of 64 Ki floats, each
 * of an input of its own and one of all, took 19, 132 and 371 us longer than with buffers that begin at
 * different places: 4.6, 3.6 and 3.6 ns for each line beyond 8.) */
double stream_cycles(const NestedStage &stage, const Block &block, const Machine &m) {
    if (block.vector_dim < 0) {
        return 0;
    }
    std::vector<FuncId> streams;
    double bytes = static_cast<double>(stage.work->stored_bytes);
    for (const Load &load : stage.work->loads) {
        const bool local =
            std::find(stage.local.begin(), stage.local.end(), load.producer) != stage.local.end();
        const bool known = std::find(streams.begin(), streams.end(), load.producer) != streams.end();
        if (!local && !known && contiguous_along(load, block.vector_dim)) {
            streams.push_back(load.producer);
            bytes += load.bytes_per_point;
        }
    }
    const double count = static_cast<double>(streams.size()) + stage.work->stores;
    const double lines = static_cast<double>(block.lanes) * bytes / count / static_cast<double>(m.line_bytes);
    return std::max(0.0, count - m.conflict_ways) * lines * m.conflict_cycles_per_lane;
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

/** Of the loads themselves, and of operations that wait for the units that arithmetic needs. */
struct OfLoad {
    double loads = 0, shuffles = 0;
};

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

}  // namespace

bool clamped_vectors(const NestedStage &stage) {
    const DimId dim = vector_dim(stage.nest);
    return dim >= 0 && std::any_of(stage.work->loads.begin(), stage.work->loads.end(), [&](const Load &l) {
               return clamped_along(l, dim) && contiguous_along(l, dim);
           });
}

bool tails_by_lanes(const NestedStage &stage, const Machine &m) {
    const DimId dim = vector_dim(stage.nest);
    const auto by_lanes = [&](const Load &l) {
        return l.access.depends_on(dim) &&
               (!contiguous_along(l, dim) || clamped_along(l, dim) || !m.masks(l.bytes_per_point));
    };
    return dim >= 0 && (stage.stores_apart || !m.masks(stage.work->element_bytes) ||
                        std::any_of(stage.work->loads.begin(), stage.work->loads.end(), by_lanes));
}

/** Where a vector runs along what is summed up, its lanes become one number for each result: by halves, each
 * with a shuffle and an addition (what LLVM makes of vector.reduce.fadd that may be reassociated). */
double sums_of_lanes(const NestedStage &stage, const Block &block, double sums, double native,
                     const Machine &m) {
    if (block.vector_dim < 0 || !stage.work->dims[block.vector_dim].reduction) {
        return 0;
    }
    const double halves = std::log2(std::min(static_cast<double>(block.lanes), native));
    return sums * 2 * std::max(0.0, halves) / m.vector_ops_per_cycle;
}

double arithmetic_cycles(const ExprSummary &all, int element_bytes, const Machine &m) {
    const double lanes = m.lanes(element_bytes);
    return operation_cycles(all, false, 0, 1 / lanes, lanes, element_bytes, m);
}

double compute_cycles(const NestedStage &stage, const Machine &m) {
    if (stage.work->library) {
        return library_cycles(stage, m);
    }
    const Block block = innermost_block(stage);
    const double lanes = static_cast<double>(block.lanes);
    const double native = m.lanes(stage.work->element_bytes);
    const double issues = std::max(1.0, lanes / native);  // a wider vector is several instructions
    const double turn = full_instructions(lanes, stage.work->element_bytes, m) / issues;
    double operations = 0, loads = 0,
           conflicting = stage.work->accumulates ? 0 : stream_cycles(stage, block, m);
    const DimId cut = clamped_vectors(stage) ? block.vector_dim : DimId(-1);
    // Between what an update keeps of its terms and the loops of another stage, that stores: its loads are
    // not known to be the same.
    const int shared = stage.work->update >= 0 ? stage.nest.shared : 0;
    for (const Part &part : stage.work->parts) {
        const double share =
            &part == &stage.work->parts.front() ? 1 : share_of_repeats(stage, block, part.depends, shared);
        operations +=
            share * operation_cycles(body_in(stage, block, part), part.multiply_accumulate,
                                     share_guarded(stage, part.guarded, cut), distinct(block, part.depends),
                                     lanes, stage.work->element_bytes, m);
    }
    for (const Load &load : stage.work->loads) {
        if (std::find(stage.local.begin(), stage.local.end(), load.producer) == stage.local.end()) {
            const double times = load.taps * share_in_phases(stage, block, load.read_at) *
                                 share_of_repeats(stage, block, dims_of(load, stage.work->dims.size()));
            const OfLoad cycles = load_cycles(stage, load, block, m);
            loads += times * cycles.loads;
            operations += times * cycles.shuffles;
            conflicting += load.taps * (conflict_cycles(load, block, m) + page_cycles(load, stage, m));
        }
    }
    double vectors = 1;  // of results, of whatever width
    for (const DimId d : block.vectors.ids()) {
        vectors *= stage.work->dims[d].reduction ? 1 : static_cast<double>(block.vectors[d]);
    }
    operations += sums_of_lanes(stage, block, vectors, native, m);
    const double results = issues * vectors;
    double stores = stage.accumulates_in_registers
                        ? 0
                        : turn * results * stage.work->stored_bytes / std::max(1, stage.work->element_bytes);
    if (stage.stores_stepped) {  // and a shuffle each
        stores *= 2;
    }
    if (stage.stores_apart) {  // lane by lane
        stores = std::max(stores, results / issues * lanes * m.gather_cycles_per_lane * m.stores_per_cycle);
        operations += results / issues * lanes * narrow_lane_cycles(stage.work->element_bytes, m);
    }
    const double spilled = spilled_registers(stage, block, results * stage.work->stores, issues, m);
    const double latency = latency_cycles(stage, block, spilled > 0, m);
    loads += loads_again(stage, block, results, issues, m) / m.loads_per_cycle;
    const double cycles = std::max({operations, loads, stores / m.stores_per_cycle, latency}) +
                          spilled * turn * (1 / m.stores_per_cycle + 1 / m.loads_per_cycle) + conflicting;
    return block.repeats * (cycles * share_of(stage.work->taken) + m.loop_cycles);
}

}  // namespace eutectic
