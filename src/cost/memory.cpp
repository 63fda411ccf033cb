#include <algorithm>
#include <cmath>

#include "cost/cost.h"

namespace eutectic {

namespace {

/** What the stage touches, whether it lives in a buffer of an enclosing block, and how often each of its bytes moves. */
struct Touched {
    Load load;
    bool in_block;
    double transfers;
};

/** Everything the stage touches as loads: its operands and, at identity, its result. */
std::vector<Touched> touched(const NestedStage &stage, const Machine &m) {
    const auto in_block = [&](FuncId f) { return std::find(stage.in_block.begin(), stage.in_block.end(), f) != stage.in_block.end(); };
    std::vector<Touched> result;
    for (const Load &load : stage.work.loads) {
        if (!load.again && std::find(stage.local.begin(), stage.local.end(), load.producer) == stage.local.end()) {
            result.push_back({load, in_block(load.producer), 1});
        }
    }
    if (!stage.stores_locally) {
        Load own;
        own.producer = stage.work.func;
        own.bytes_per_point = stage.work.stored_bytes;
        for (const Dim &d : stage.work.dims) {  // pure dims come first
            if (!d.reduction) {
                own.extents.push_back(d.extent);
            }
        }
        own.access = identity_access(own.extents.size(), stage.work.dims.size());
        result.push_back({own, in_block(own.producer), m.store_transfers});
    }
    return result;
}

/** Bytes of `load` inside `tile`. A row that is cut short still moves whole cache lines, unless the next iterations go on along it (`streamed`). */
double tile_bytes(const Load &load, const std::vector<int64_t> &tile, double line, bool streamed = false) {
    line = streamed ? load.bytes_per_point : line;
    double bytes = load.bytes_per_point;
    for (size_t i = 0; i < load.access.indices.size(); i++) {
        const double points = points_read(load.access.indices[i], load.extents[i], tile);
        bytes *= i == 0 ? std::max(points, std::min(line / load.bytes_per_point, static_cast<double>(load.extents[i]))) : points;
    }
    return bytes;
}

/** Of data of `ratio` times a cache's capacity, read again and again, the share that is found there, where any line may be replaced by any other: the h of h = exp(-(1 - h) ratio), for until a
 *  line is wanted again (1 - h) ratio times as many lines come in as the cache has, and each spares it with that probability. */
double resident_share(double ratio) {
    if (ratio <= 1) {
        return 1;
    }
    double h = 0;
    for (int i = 0; i < 200; i++) {  // from below, to the root that is not 1
        h = std::exp(-(1 - h) * ratio);
    }
    return h;
}

/** Bytes brought past a cache of `capacity` for each core. `cores`: that many have it together, so that a parallel nest has all their shares,
 *  and what does not quite fit stays in part; 0: each has its own. */
double traffic_past(const NestedStage &stage, const std::vector<Touched> &loads, double capacity, double line, double cores = 0) {
    const Nest &nest = stage.nest;
    const auto shares = [&](size_t at) {
        double tasks = 1;
        for (size_t l = at; l < nest.loops.size(); l++) {
            tasks *= nest.loops[l].kind == Loop::Kind::parallel ? static_cast<double>(trips(nest, l, stage.work.dims)) : 1;
        }
        return std::max(1.0, std::min(cores, tasks));
    };
    const size_t n = nest.loops.size();
    size_t fit = n;
    bool fits = false;
    for (size_t at = 0; at <= n && !fits; at++) {
        const std::vector<int64_t> tile = tile_inside(nest, at, stage.work.dims);
        double working_set = 0;
        for (const Touched &t : loads) {
            working_set += tile_bytes(t.load, tile, line);
        }
        // The other stages of a block want their share too.
        working_set = at <= stage.block_loops ? std::max(working_set, stage.block_bytes) : working_set;
        fits = working_set <= capacity * shares(at);
        fit = fits ? at : n;
    }
    if (fits && fit == 0) {
        return 0;  // all of it stays from the producer, or from the call before
    }
    const std::vector<int64_t> tile = tile_inside(nest, fit, stage.work.dims);
    const std::vector<int64_t> everything = tile_inside(nest, 0, stage.work.dims);
    double bytes = 0, whole = 0, once = 0;
    for (const auto &[load, in_block, transfers] : loads) {
        whole += tile_bytes(load, everything, line);
        if (in_block && stage.block_bytes <= capacity) {
            continue;  // written and read again before anything drives it out
        }
        double again = 1;
        bool moved = false;
        const int next = fit > 0 ? nest.loops[fit - 1].dim : -1;  // a nest without loops of its own goes over everything once
        const bool streamed = next >= 0 && !load.access.indices.empty() && load.access.indices[0].scale[static_cast<size_t>(next)] != 0;
        for (size_t l = fit; l-- > 0;) {
            const int dim = nest.loops[l].dim;
            moved = moved || (dim >= 0 && load.access.depends_on(dim));
            again *= moved ? static_cast<double>(trips(nest, l, stage.work.dims)) : 1;
        }
        bytes += again * transfers * tile_bytes(load, tile, line, streamed);
        once += transfers * tile_bytes(load, everything, line);
    }
    return cores > 0 ? std::max(0.0, bytes - resident_share(std::max(whole, stage.block_bytes) / (capacity * shares(0))) * once) : bytes;
}

}  // namespace

Traffic memory_traffic(const NestedStage &stage, const Machine &m) {
    const std::vector<Touched> loads = touched(stage, m);
    const auto usable = [&](const CacheLevel &level) { return m.usable_cache * static_cast<double>(level.bytes); };
    const double line = static_cast<double>(m.line_bytes);
    Traffic t;
    t.beyond_l1 = traffic_past(stage, loads, usable(m.l1), line);
    t.beyond_l2 = traffic_past(stage, loads, usable(m.l2), line);
    t.beyond_l3 = traffic_past(stage, loads, usable(m.l3), line, m.cores);
    return t;
}

}  // namespace eutectic
