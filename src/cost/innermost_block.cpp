#include "cost/innermost_block.h"

#include <algorithm>
#include <cmath>

namespace eutectic {

Block innermost_block(const NestedStage &stage) {
    Block block;
    const Nest &nest = stage.nest;
    block.vectors.assign(stage.work->dims.size(), 1);
    Extents left;
    left.reserve(stage.work->dims.size());
    for (const Dim &d : stage.work->dims) {
        left.push_back(d.extent);
    }
    for (size_t l = 0; l < nest.loops.size(); l++) {
        const Loop &loop = nest.loops[l];
        const int64_t n = trips(nest, l, stage.work->dims);
        if (loop.dim >= 0) {
            left[loop.dim] = loop.size;
        }
        if (loop.kind == Loop::Kind::vector) {
            block.vector_dim = loop.dim;
            block.lanes = n;
        } else if (loop.kind == Loop::Kind::unroll && loop.dim >= 0) {
            block.vectors[loop.dim] *= n;
        } else {
            block.repeats *= static_cast<double>(n);
        }
    }
    for (const int64_t points : left) {
        block.repeats *= static_cast<double>(points);  // dims that no loop names
    }
    return block;
}

double distinct(const Block &block, const DimFlags &depends) {
    double n = 1;
    for (const DimId d : block.vectors.ids()) {
        n *= depends[d] ? static_cast<double>(block.vectors[d]) : 1;
    }
    return n;
}

namespace {

/** Has the block a part for each point of `dim`, whose value is then a constant in it? */
bool knows(const NestedStage &stage, const Block &block, DimId dim) {
    const Dim &of = stage.work->dims[dim];
    const std::vector<Condition> &whole = stage.nest.whole;
    return block.vectors[dim] >= of.extent &&
           (of.constant || std::any_of(whole.begin(), whole.end(), [&](const Condition &c) {
                return c.kind == Condition::Kind::exactly && of.at_least && c.buffer == *of.at_least;
            }));
}

/** Has the block a part for each phase of `of`, which is then known in it? */
bool knows_phase(const NestedStage &stage, const Block &block, const SomeOf &of) {
    const BufferDim own{stage.work->func, of.dim};
    const std::vector<Condition> &whole = stage.nest.whole;
    return of.period > 0 && of.dim != block.vector_dim && block.vectors[of.dim] % of.period == 0 &&
           std::any_of(whole.begin(), whole.end(), [&](const Condition &c) {
               return c.kind == Condition::Kind::multiple && c.buffer == own && c.points % of.period == 0;
           });
}

}  // namespace

double share_in_phases(const NestedStage &stage, const Block &block, const std::vector<SomeOf> &iterations) {
    double share = 1;
    for (const SomeOf &of : iterations) {
        share *= knows_phase(stage, block, of) ? of.share : 1;
    }
    return share;
}

ExprSummary body_in(const NestedStage &stage, const Block &block, const Part &part) {
    ExprSummary body = part.chosen_by >= 0 && knows(stage, block, part.chosen_by) ? part.decided : part.body;
    for (const SomeOf &of : part.phases) {  // what does not change with them is computed once for all
        body *= part.depends[of.dim] ? share_in_phases(stage, block, {of}) : 1;
    }
    return body;
}

double full_instructions(double lanes, double bytes, const Machine &m) {
    const double share = lanes * bytes * 8 / m.vector_bits;
    return share >= 1 ? share : std::max(share, static_cast<double>(m.datapath_bits) / m.vector_bits);
}

double typed_cycles(const ExprSummary &body, double lanes, const Machine &m) {
    double cycles = 0;
    for (size_t i = 0; i < body.typed.size(); i++) {
        if (body.typed[i] == 0) {
            continue;
        }
        const TypedOperationInfo &of = info(static_cast<TypedOperation>(i));
        const double counted = of.division ? m.division_cycles : 1 / m.vector_ops_per_cycle;
        const double vectors =
            of.by_lane ? lanes * of.bytes * 8 / m.vector_bits : full_instructions(lanes, of.bytes, m);
        cycles += static_cast<double>(body.typed[i]) * vectors * std::max(0.0, m.typed_cycles[i] - counted);
    }
    return cycles;
}

DimFlags dims_of(const Load &load, size_t dims) {
    DimFlags depends(dims);
    for (const DimId d : depends.ids()) {
        depends[d] = load.access.depends_on(d);
    }
    return depends;
}

namespace {

/** How far one step along `dim` goes along index `at`, if it goes along no other; else 0. */
double along_index(const Load &load, DimId at, DimId dim) {
    const Table<DimId, Index> &indices = load.access.indices;
    if (indices.next_id() <= at || !indices[at].affine || indices[at].wraps != 0) {
        return 0;
    }
    for (const DimId i : indices.ids()) {
        if (i != at && indices[i].depends_on(dim)) {
            return 0;
        }
    }
    return std::abs(indices[at].scale[dim]);
}

bool is_whole(double x) {
    return x == std::floor(x);
}

}  // namespace

double bytes_apart(const Load &load, DimId dim) {
    double pitch = load.bytes_per_point, apart = 0;
    for (const DimId i : load.access.indices.ids()) {
        const Index &index = load.access.indices[i];
        apart += index.affine ? std::abs(index.scale[dim]) * pitch : 0;
        pitch *= static_cast<double>(load.extents[i]);
    }
    return apart;
}

bool contiguous_along(const Load &load, DimId dim) {
    return along_index(load, load.interleaving.inner, dim) == 1;
}

bool stepped_along(const Load &load, DimId dim) {
    return load.interleaving.outer >= 0 && along_index(load, load.interleaving.outer, dim) == 1;
}

double step_along(const Load &load, DimId dim, bool strides_known) {
    const Interleaving &points = load.interleaving;
    double step = along_index(load, points.inner, dim);
    if (step == 0 && points.outer >= 0 && (points.constant || strides_known)) {
        step = along_index(load, points.outer, dim) * static_cast<double>(points.step);
    }
    return step > 0 && (is_whole(step) || is_whole(1 / step)) ? step : 0;
}

int loop_around(const NestedStage &stage) {
    for (size_t l = stage.nest.loops.size(); l-- > 0;) {
        const Loop &loop = stage.nest.loops[l];
        if (!is_unrolled(loop.kind) && trips(stage.nest, l, stage.work->dims) > 1) {
            return static_cast<int>(l);
        }
    }
    return -1;
}

}  // namespace eutectic
