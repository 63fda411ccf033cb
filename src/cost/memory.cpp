#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "cost/cost.h"

namespace eutectic {

namespace {

/** What the stage touches, whether it lives in a buffer of an enclosing block, and how often each of its bytes moves. */
struct Touched {
    LoadGroup load;
    bool in_block;
    double transfers;
};

/** Everything the stage touches as loads: its operands and, at identity, its result. */
std::vector<Touched> touched(const NestedStage &stage, const Machine &m) {
    const auto in_block = [&](FuncId f) { return std::find(stage.in_block.begin(), stage.in_block.end(), f) != stage.in_block.end(); };
    std::vector<Touched> result;
    for (const LoadGroup &group : stage.work.load_groups()) {
        if (!group.span.again && std::find(stage.local.begin(), stage.local.end(), group.span.producer) == stage.local.end()) {
            result.push_back({group, in_block(group.span.producer), 1});
        }
    }
    if (!stage.stores_locally) {
        Load own;
        own.producer = stage.work->func;
        own.bytes_per_point = stage.work->stored_bytes;
        own.packed = stage.work->stores_packed;
        for (const Dim &d : stage.work->dims) {  // pure dims come first
            if (!d.reduction) {
                own.extents.push_back(d.extent);
            }
        }
        own.access = identity_access(own.extents.size(), stage.work->dims.size());
        result.push_back({{{own}, own}, in_block(own.producer), m.store_transfers});
    }
    return result;
}

/** Bytes of `load` inside `tile`. A row that is cut short still moves whole cache lines, unless the next iterations go on along it (`streamed`): then what is read beside the tile is also theirs. */
double tile_bytes(const Load &load, const std::vector<int64_t> &tile, double line, bool streamed = false) {
    line = streamed ? load.bytes_per_point : line;
    double bytes = load.bytes_per_point;
    for (size_t i = 0; i < load.access.indices.size(); i++) {
        Index index = load.access.indices[i];
        index.halo = streamed && i == 0 ? 0 : index.halo;
        const double points = points_read(index, load.extents[i], tile);
        bytes *= i == 0 ? std::max(points, std::min(line / load.bytes_per_point, static_cast<double>(load.extents[i]))) : points;
    }
    return bytes;
}

/** The same of what several loads read together. */
double tile_bytes(const LoadGroup &group, const std::vector<int64_t> &tile, double line, bool streamed = false) {
    double each = 0;
    for (const Load &load : group.loads) {
        each += tile_bytes(load, tile, line, streamed);
    }
    return std::min(each, tile_bytes(group.span, tile, line, streamed));
}

/** Of the sets of a cache, the share that `tile` of what lies at the load's pitches can be in. Sets are chosen by the address within `window` bytes: rows that lie a multiple of that apart share
 *  theirs, whatever the cache's capacity. */
double reachable_share(const Load &load, const std::vector<int64_t> &tile, double line, Bytes window) {
    const double whole = static_cast<double>(window);
    double reached = line;
    int64_t pitch = load.bytes_per_point;
    bool contiguous = true;
    for (size_t i = 0; i < load.access.indices.size() && reached < whole; i++) {
        const double points = points_read(load.access.indices[i], load.extents[i], tile);
        if (contiguous) {
            reached = std::max(line, points * static_cast<double>(pitch));
        } else if (points > 1) {
            reached *= whole / static_cast<double>(std::gcd(pitch, static_cast<int64_t>(window)));
        }
        contiguous = contiguous && points >= static_cast<double>(load.extents[i]);
        pitch *= load.extents[i];
    }
    return std::min(1.0, reached / whole);
}

/** Bytes of a cache's usable share that `tile` of what is touched takes. Of sets that only it and its like reach it may have all: what else the nest touches is elsewhere. */
double room(const Touched &t, const std::vector<int64_t> &tile, const Machine &m, bool conflicts) {
    const double line = static_cast<double>(m.line_bytes), bytes = tile_bytes(t.load, tile, line);
    const bool end_to_end = !conflicts || t.in_block || t.load.span.packed;
    return end_to_end ? bytes : std::max(bytes, m.usable_cache * bytes / reachable_share(t.load.span, tile, line, m.conflict_bytes));
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

/** Bytes brought past a level for each core. `beside`: as for memory_traffic(). `cores`: that many have it together, so that a parallel nest has all their shares, and what does not quite fit stays in part; its
 *  sets are chosen by all of an address. 0: each has its own, with sets by the last bits of an address. */
double traffic_past(const NestedStage &stage, const std::vector<Touched> &loads, const CacheLevel &level, const Machine &m, double beside = 0, double cores = 0) {
    const double capacity = m.usable_cache * static_cast<double>(level.bytes), line = static_cast<double>(m.line_bytes);
    const bool conflicts = cores == 0;
    const Nest &nest = stage.nest;
    const auto shares = [&](size_t at) {
        double tasks = 1;
        for (size_t l = at; l < nest.loops.size(); l++) {
            tasks *= nest.loops[l].kind == Loop::Kind::parallel ? static_cast<double>(trips(nest, l, stage.work->dims)) : 1;
        }
        return std::max(1.0, std::min(cores, tasks));
    };
    const size_t n = nest.loops.size();
    size_t fit = n;
    bool fits = false;
    for (size_t at = 0; at <= n && !fits; at++) {
        const std::vector<int64_t> tile = tile_inside(nest, at, stage.work->dims);
        double working_set = 0;
        for (const Touched &t : loads) {
            working_set += room(t, tile, m, conflicts);
        }
        // The other stages of a block want their share too.
        working_set = at <= stage.block_loops ? std::max(working_set, stage.block_bytes) : working_set;
        fits = working_set <= capacity * shares(at);
        fit = fits ? at : n;
    }
    if (fits && fit == 0) {
        return 0;  // all of it stays from the producer, or from the call before
    }
    const std::vector<int64_t> tile = tile_inside(nest, fit, stage.work->dims);
    const std::vector<int64_t> everything = tile_inside(nest, 0, stage.work->dims);
    double bytes = 0, whole = 0, once = 0;
    for (const auto &[group, in_block, transfers] : loads) {
        const Access &access = group.span.access;
        whole += tile_bytes(group, everything, line);
        if (in_block && stage.block_bytes <= capacity) {
            continue;  // written and read again before anything drives it out
        }
        double again = 1;
        bool moved = false;
        const int next = fit > 0 ? nest.loops[fit - 1].dim : -1;  // a nest without loops of its own goes over everything once
        const bool streamed = next >= 0 && !access.indices.empty() && access.indices[0].scale[static_cast<size_t>(next)] != 0;
        for (size_t l = fit; l-- > 0;) {
            const int dim = nest.loops[l].dim;
            moved = moved || (dim >= 0 && access.depends_on(dim));
            again *= moved ? static_cast<double>(trips(nest, l, stage.work->dims)) : 1;
        }
        bytes += again * transfers * tile_bytes(group, tile, line, streamed);
        once += transfers * tile_bytes(group, everything, line);
    }
    return cores > 0 ? std::max(0.0, bytes - resident_share(std::max({whole, stage.block_bytes, beside}) / (capacity * shares(0))) * once) : bytes;
}

}  // namespace

double bytes_touched(const std::vector<NestedStage> &stages, const Machine &m) {
    std::map<FuncId, double> bytes;
    for (const NestedStage &stage : stages) {
        const std::vector<int64_t> everything = tile_inside(stage.nest, 0, stage.work->dims);
        for (const Touched &t : touched(stage, m)) {
            double &most = bytes[t.load.span.producer];
            most = std::max(most, tile_bytes(t.load, everything, static_cast<double>(m.line_bytes)));
        }
    }
    return std::accumulate(bytes.begin(), bytes.end(), 0.0, [](double sum, const auto &of) { return sum + of.second; });
}

Traffic memory_traffic(const NestedStage &stage, const Machine &m, double beside) {
    const std::vector<Touched> loads = touched(stage, m);
    Traffic t;
    t.beyond_l1 = traffic_past(stage, loads, m.l1, m);
    t.beyond_l2 = traffic_past(stage, loads, m.l2, m);
    t.beyond_l3 = traffic_past(stage, loads, m.l3, m, beside, m.cores);
    return t;
}

}  // namespace eutectic
