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
#include "cost/lanes.h"
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

/** Are neighbours along `dim` in different rows, and not along a row? */
bool across_rows(const Load &load, DimId dim) {
    const Table<DimId, Index> &indices = load.access.indices;
    const auto depends = [&](const Index &i) { return i.depends_on(dim); };
    return !load.packed && !indices.empty() && !depends(indices[0]) &&
           std::any_of(indices.begin(), indices.end(), depends);
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
    double operations = 0, loads = 0, conflicting = 0;
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
    const OfLoad apart = scattered_store_cycles(stage, block, vectors, m);
    loads += apart.loads;
    operations += apart.shuffles;
    const double spilled = spilled_registers(stage, block, results * stage.work->stores, issues, m);
    const double latency = latency_cycles(stage, block, spilled > 0, m);
    loads += loads_again(stage, block, results, issues, m) / m.loads_per_cycle;
    const double cycles = std::max({operations, loads, stores / m.stores_per_cycle, latency}) +
                          spilled * turn * (1 / m.stores_per_cycle + 1 / m.loads_per_cycle) + conflicting;
    return block.repeats * (cycles * share_of(stage.work->taken) + m.loop_cycles);
}

namespace {

/** The loads from memory that `wanted` takes, one for each Func or input that they read. */
template<typename Wanted>
std::vector<const Load *> streams(const NestedStage &stage, const Wanted &wanted) {
    std::vector<const Load *> found;
    for (const Load &load : stage.work->loads) {
        const bool local =
            std::find(stage.local.begin(), stage.local.end(), load.producer) != stage.local.end();
        const bool known = std::any_of(found.begin(), found.end(),
                                       [&](const Load *f) { return f->producer == load.producer; });
        if (!local && !known && wanted(load)) {
            found.push_back(&load);
        }
    }
    return found;
}

/** Lines that a turn of the block misses, of each line that it has, where the innermost loop goes down rows
 * that share a set in what is read and in what is written. */
double missed_down(const NestedStage &stage, const Block &block, const Machine &m) {
    const int l = loop_around(stage);
    const DimId down = l < 0 ? DimId(-1) : stage.nest.loops[l].dim;
    const Load &result = stage.work.own_result().span();
    if (down < 0 || down == block.vector_dim || stage.nest.loops[l].kind != Loop::Kind::serial ||
        stage.accumulates_in_registers || result.packed || !same_set(result, down, m)) {
        return 0;
    }
    const size_t read = streams(stage, [&](const Load &load) {
                            return (block.vector_dim < 0 || contiguous_along(load, block.vector_dim)) &&
                                   !load.packed && same_set(load, down, m);
                        }).size();
    const double rows = static_cast<double>(trips(stage.nest, l, stage.work->dims));
    const double of_set = (static_cast<double>(read) + stage.work->stores) * rows;
    return read == 0 && !stage.work->accumulates ? 0 : std::max(0.0, of_set - m.conflict_ways) / rows;
}

}  // namespace

double stream_cycles(const NestedStage &stage, const Machine &m) {
    if (stage.work->library) {
        return 0;
    }
    const Block block = innermost_block(stage);
    double missed = 0, lines = 1;  // of a turn; of each buffer
    if (block.vector_dim >= 0 && !stage.work->accumulates) {
        const std::vector<const Load *> along =
            streams(stage, [&](const Load &load) { return contiguous_along(load, block.vector_dim); });
        double bytes = static_cast<double>(stage.work->stored_bytes);
        for (const Load *load : along) {
            bytes += load->bytes_per_point;
        }
        const double count = static_cast<double>(along.size()) + stage.work->stores;
        lines = static_cast<double>(block.lanes) * bytes / count / static_cast<double>(m.line_bytes);
        missed = std::max(0.0, count - m.conflict_ways) * lines;
    }
    missed = std::max(missed, missed_down(stage, block, m) * std::max(1.0, lines));
    return block.repeats * share_of(stage.work->taken) * missed * m.conflict_cycles_per_lane;
}

}  // namespace eutectic
