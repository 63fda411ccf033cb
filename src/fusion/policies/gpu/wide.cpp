// Where a thread may load and store four neighbours by one instruction. Of words of 32 bits, four are the 128
// bits of the widest instruction; a warp's threads need a quarter of the instructions, and each has as many
// bytes under way as with four loads. Halide (21) emits these for vectors of which it can prove that they
// begin at a multiple of their length: where the first coordinates and the rows of all buffers do. Where they
// lie on the device it takes for granted, which a part of somebody's buffer does not: so that is asked, too.

#include <algorithm>

#include "fusion/policies/gpu/gpu.h"

namespace eutectic {

namespace {

constexpr int word = 4;  // bytes: Halide (21) has no vectors of four for others in PTX

bool of_words(const FuncInfo &f) {
    return f.element_bytes == word && f.bytes_per_point == word * f.tuple_size;  // each of a Tuple's
}

/** That vectors of `points` of the buffer of `f` begin at multiples of them, in every row. */
void add_conditions(FuncId f, size_t dims, int64_t points, std::vector<Condition> &conditions) {
    conditions.push_back({{f, 0}, points, std::nullopt, Condition::Kind::multiple});
    for (DimId d = 1; d < static_cast<DimId>(dims); d++) {
        conditions.push_back({{f, d}, points, std::nullopt, Condition::Kind::rows});
    }
    conditions.push_back({{f, 0}, points * word, std::nullopt, Condition::Kind::aligned});
}

/** Does `load` read neighbours at its first coordinate for neighbours along the first dim, beginning at the
 * same multiples? */
bool follows(const Load &load, int64_t points) {
    const Index &first = load.access.indices.front();
    const bool elsewhere = std::any_of(load.access.indices.begin() + 1, load.access.indices.end(),
                                       [](const Index &i) { return i.depends_on(0); });
    return first.affine && !first.cut && first.scale[0] == 1 && first.halo == 0 && load.taps == 1 &&
           std::none_of(first.scale.begin() + 1, first.scale.end(), [](double s) { return s != 0; }) &&
           first.offset && static_cast<int64_t>(*first.offset) % points == 0 && !elsewhere;
}

}  // namespace

WideAccess wide_access(const GroupRequest &q, const StageWork &work) {
    const FuncInfo &root = q.graph.funcs[q.root];
    const int64_t points = q.machine.gpu->widest_load_bytes / word;
    // Where a buffer of the pipeline's own begins, its readers say: at no multiple, for all that is known
    // here.
    if (!q.machine.gpu->device_addresses || points < 2 || !root.output || !of_words(root) ||
        root.extents.empty() || work.update >= 0 || work.dims[0].extent < points) {
        return {};
    }
    WideAccess wide{points, {}};
    add_conditions(q.root, root.extents.size(), points, wide.conditions);
    std::vector<FuncId> buffers = {q.root};
    for (const Load &load : work.loads) {
        if (!load.access.depends_on(0)) {
            continue;
        }
        const FuncInfo &producer = q.graph.funcs[load.producer];
        if (!producer.input || !of_words(producer) || !follows(load, points)) {
            return {};
        }
        if (std::find(buffers.begin(), buffers.end(), load.producer) == buffers.end()) {
            add_conditions(load.producer, producer.extents.size(), points, wide.conditions);
            buffers.push_back(load.producer);
        }
    }
    return wide;
}

}  // namespace eutectic
