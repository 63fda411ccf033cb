// The traffic of a stage past each cache, from the footprints of its loads at each level of its loops.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "cost/traffic.h"

namespace eutectic {

namespace {

/** points_read() of the tile without its halo. */
double points_without_halo(Index index, int64_t extent, const Extents &tile) {
    index.halo = index.rounding = 0;
    return points_read(index, extent, tile);
}

/** The most bytes of `load` that `tile` touches where places are computed: one for each of its points, which
 * are taken to lie side by side, as those of warped images and of rows of a table do. (Not measured: no
 * estimate tells where they lie.) */
double most_bytes(const Load &load, const Extents &tile) {
    const Table<DimId, Index> &indices = load.access.indices;
    const auto computed = [](const Index &i) { return !i.affine; };
    if (std::none_of(indices.begin(), indices.end(), computed)) {
        return std::numeric_limits<double>::infinity();
    }
    double points = 1;
    for (const DimId d : tile.ids()) {
        const bool known = std::all_of(indices.begin(), indices.end(), [&](const Index &i) {
            return i.affine || std::any_of(i.scale.begin(), i.scale.end(), [](double s) { return s != 0; });
        });
        points *= !known || load.access.depends_on(d) ? static_cast<double>(tile[d]) : 1;
    }
    return points * load.bytes_per_point;
}

/** Bytes of `load` inside `tile`. A row that is cut short still moves whole cache lines, unless the next
 * iterations go on along it (`streamed`):
 * then the halo is also theirs. */
double tile_bytes(const Load &load, const Extents &tile, double line, bool streamed = false) {
    line = streamed ? load.bytes_per_point : line;
    double bytes = load.bytes_per_point;
    for (const DimId i : load.access.indices.ids()) {
        const Index &index = load.access.indices[i];
        const bool goes_on = streamed && i == 0 && index.halo + index.rounding > 0;
        const double points = goes_on ? points_without_halo(index, load.extents[i], tile)
                                      : points_read(index, load.extents[i], tile);
        const double least = std::min(line / load.bytes_per_point, static_cast<double>(load.extents[i]));
        bytes *= i == 0 ? std::max(points, least) : points;
    }
    return std::min(bytes, most_bytes(load, tile)) * share_of(load.read_at, tile);
}

/** The same of what several loads read together. */
double tile_bytes(const LoadGroup &group, const Extents &tile, double line, bool streamed = false) {
    const double together = tile_bytes(group.span(), tile, line, streamed);
    double each = group.loads.size() == 1 ? together : 0;
    for (size_t l = 0; l < group.loads.size() && each < together; l++) {
        each += tile_bytes(*group.loads[l], tile, line, streamed);
    }
    return std::min(each, together);
}

/** Of the sets of a cache, the share that `tile` of what lies at the load's pitches can be in. Sets are
 * chosen by the address within `window` bytes: rows that lie a multiple of that apart share theirs, whatever
 * the cache's capacity. */
double reachable_share(const Load &load, const Extents &tile, double line, Bytes window) {
    const double whole = static_cast<double>(window);
    double reached = line;
    int64_t pitch = load.bytes_per_point;
    bool contiguous = true;
    for (DimId i = 0; i < load.access.indices.next_id() && reached < whole; i++) {
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

/** Of data of `ratio` times a cache's capacity, read again and again, the share that is found there, where
 * any line may be replaced by any other: the h of h = exp(-(1 - h) ratio), for until a line is wanted again
 * (1 - h) ratio times as many lines come in as the cache has, and each spares it with that probability. */
double resident_share(double ratio) {
    if (ratio <= 1) {
        return 1;
    }
    double h = 0;
    for (int i = 0; i < 200; i++) {  // from below, to the root that is not 1
        const double next = std::exp(-(1 - h) * ratio);
        if (next == h) {
            break;
        }
        h = next;
    }
    return h;
}

/** Bytes of `load` inside `tile` that lie side by side. */
double contiguous_bytes(const Load &load, const Extents &tile) {
    const Table<DimId, Index> &indices = load.access.indices;
    if (load.packed) {
        return footprint(load, tile) * load.bytes_per_point;
    }
    const DimId outer = load.interleaving.outer;
    if (outer >= 0) {  // its dense points belong together
        return points_read(indices[outer], load.extents[outer], tile) *
               static_cast<double>(load.interleaving.step) * load.bytes_per_point;
    }
    double bytes = load.bytes_per_point;
    for (const DimId i : indices.ids()) {
        const double points = points_read(indices[i], load.extents[i], tile);
        bytes *= points;
        if (points < static_cast<double>(load.extents[i])) {
            break;
        }
    }
    return bytes;
}

bool contains(const std::vector<FuncId> &funcs, FuncId f) {
    return std::find(funcs.begin(), funcs.end(), f) != funcs.end();
}

}  // namespace

StageTraffic::StageTraffic(const NestedStage &stage, const Machine &machine)
    : stage_(stage), m_(machine), line_(static_cast<double>(machine.line_bytes)) {
    tiles_.reserve(stage.nest.loops.size() + 1);
    for (size_t at = 0; at <= stage.nest.loops.size(); at++) {
        tiles_.push_back(tile_inside(stage.nest, at, stage.work->dims));
    }
    private_.assign(tiles_.size(), -1);
    shared_.assign(tiles_.size(), -1);
    touched_.reserve(stage.work.load_groups().size() + 1);
    bytes_.reserve(touched_.capacity() * tiles_.size());
    for (const LoadGroup &group : stage.work.load_groups()) {
        if (!group.span().reread && !contains(stage.local, group.span().producer)) {
            touch(group, 1);
        }
    }
    if (!stage.stores_locally) {
        touch(stage.work.own_result(), m_.store_transfers);
    }
}

void StageTraffic::touch(const LoadGroup &load, double transfers) {
    touched_.push_back({&load, contains(stage_.in_block, load.span().producer), transfers, bytes_.size()});
    bytes_.resize(bytes_.size() + tiles_.size(), -1);
}

double StageTraffic::bytes(const Touched &t, size_t at) const {
    double &known = bytes_[t.first + at];
    if (known < 0) {
        known = tile_bytes(*t.load, tiles_[at], line_);
    }
    return known;
}

std::vector<StageTraffic::Whole> StageTraffic::touched() const {
    std::vector<Whole> result;
    for (const Touched &t : touched_) {
        result.push_back({t.load->span().producer, bytes(t, 0)});
    }
    return result;
}

/** Bytes of a cache's usable share that what is touched inside loop `at` takes. Of sets that only it and its
 * like reach it may have all: what else the nest touches is elsewhere. */
double StageTraffic::room(const Touched &t, size_t at, bool conflicts) const {
    const Load &span = t.load->span();
    const double bytes = this->bytes(t, at);
    const bool end_to_end = !conflicts || t.in_block || span.packed;
    return end_to_end ? bytes
                      : std::max(bytes, m_.usable_cache * bytes /
                                            reachable_share(span, tiles_[at], line_, m_.conflict_bytes));
}

double StageTraffic::working_set(size_t at, bool conflicts) const {
    double &known = (conflicts ? private_ : shared_)[at];
    if (known < 0) {
        known = 0;
        for (const Touched &t : touched_) {
            known += room(t, at, conflicts);
        }
        // The other stages of a block want their share too.
        known = at <= stage_.block_loops ? std::max(known, stage_.block_bytes) : known;
    }
    return known;
}

/** How many cores' shares of a level the loops from `at` on have. */
double StageTraffic::shares(size_t at, double cores) const {
    double tasks = 1;
    for (size_t l = at; l < stage_.nest.loops.size(); l++) {
        const bool parallel = stage_.nest.loops[l].kind == Loop::Kind::parallel;
        tasks *= parallel ? static_cast<double>(trips(stage_.nest, l, stage_.work->dims)) : 1;
    }
    return std::max(1.0, std::min(cores, tasks));
}

/** Does a cache of `capacity` hold what the loops from `at` on touch? */
bool StageTraffic::fits(size_t at, double capacity, double cores) const {
    return working_set(at, cores == 0) <= capacity * shares(at, cores);
}

/** How often a load comes in again over loop `l`: along a dim that it goes over its tiles lie side by side,
 * the last one as short as it is; any other loop reads the same once more at every turn. */
double StageTraffic::turns(size_t l, const Access &access) const {
    const Loop &loop = stage_.nest.loops[l];
    if (loop.count > 0 || loop.dim < 0 || !access.depends_on(loop.dim)) {
        return static_cast<double>(trips(stage_.nest, l, stage_.work->dims));
    }
    const int64_t points = tiles_[l][loop.dim];
    return std::max(1.0, static_cast<double>(points) / static_cast<double>(loop.size));
}

/** Bytes of `t` that come in where what the loops from `fit` on go over stays. `shared`: for all cores. */
double StageTraffic::brought(const Touched &t, size_t fit, bool shared) const {
    const Access &access = t.load->span().access;
    // A nest without loops of its own goes over everything once.
    const DimId next = fit > 0 ? stage_.nest.loops[fit - 1].dim : DimId(-1);
    const bool along_rows = next >= 0 && !access.indices.empty();
    const bool streamed = along_rows && access.indices[0].scale[next] != 0;
    double fetches = 1;
    bool moves = false;
    for (size_t l = fit; l-- > 0;) {
        const DimId dim = stage_.nest.loops[l].dim;
        moves = moves || (dim >= 0 && access.depends_on(dim));
        fetches *= moves ? turns(l, access) : 1;
    }
    const double all = fetches * (streamed ? tile_bytes(*t.load, tiles_[fit], line_, true) : bytes(t, fit));
    // The halo of one iteration the next finds in cache, on the same core:
    // all of them bring no more than what lies under the whole loop. (Rows far apart are not: what lies
    // between them would have to stay, too.)
    const bool slides = next >= 0 && access.depends_on(next) &&
                        (shared || stage_.nest.loops[fit - 1].kind != Loop::Kind::parallel) &&
                        tile_bytes(t.load->span(), tiles_[fit], line_) <= bytes(t, fit);
    return slides ? std::min(all, fetches / turns(fit - 1, access) * bytes(t, fit - 1)) : all;
}

/** Bytes that iterations go over one after the other, side by side in memory: from the innermost loop
 * outwards, until more than `prefetched_runs` of them are gone over in turn, or another task goes on. */
double StageTraffic::run_bytes(const Touched &t) const {
    if (t.run >= 0) {
        return t.run;
    }
    const Load &span = t.load->span();
    double run = contiguous_bytes(span, tiles_.back()), in_turn = 1;
    for (size_t l = stage_.nest.loops.size(); l-- > 0;) {
        const Loop &loop = stage_.nest.loops[l];
        if (loop.kind == Loop::Kind::parallel) {
            break;
        }
        if (loop.dim < 0 || !span.access.depends_on(loop.dim)) {
            continue;
        }
        const double with_loop = contiguous_bytes(span, tiles_[l]);
        in_turn *= with_loop > run ? 1 : static_cast<double>(trips(stage_.nest, l, stage_.work->dims));
        if (in_turn > m_.prefetched_runs) {
            break;
        }
        run = std::max(run, with_loop);
    }
    t.run = std::max(run, line_);
    return t.run;
}

/** Bytes brought past a level for each core. `working_set`: as for memory_traffic(). `cores`: that many have
 * it together, so that a parallel nest has all their shares, and what does not quite fit stays in part; its
 * sets are chosen by all of an address. 0: each has its own, with sets by the last bits of an address. */
StageTraffic::Past StageTraffic::past(const CacheLevel &level, double working_set, double cores) const {
    const double capacity = m_.usable_cache * static_cast<double>(level.bytes);
    const size_t n = stage_.nest.loops.size();
    size_t fit = 0;
    while (fit < n && !fits(fit, capacity, cores)) {
        fit++;
    }
    const bool alone = fit == 0 && (n > 0 || fits(0, capacity, cores));
    const double all_shares = capacity * shares(0, cores);
    if (alone && working_set <= all_shares) {
        return {};  // all of it stays from the producer, or from the call before
    }
    double moved = 0, runs = 0, conflicts = 0, short_lines = 0, whole = 0, once = 0;
    for (const Touched &t : touched_) {
        const double of_load = bytes(t, 0);
        whole += of_load;
        if (t.in_block && stage_.block_bytes <= capacity) {
            continue;  // written and read again before anything drives it out
        }
        // What fits alone comes once: its own pass keeps it, and what else the nest touches drives it out
        // before the next.
        const double comes = alone ? of_load : brought(t, fit, cores > 0);
        moved += t.transfers * comes;
        runs += comes / run_bytes(t);
        short_lines += run_bytes(t) < static_cast<double>(m_.page_bytes) ? comes / line_ : 0;
        const size_t beyond = fit > 0 ? fit - 1 : 0;  // the loop whose turns drive each other's out
        conflicts += cores == 0 && room(t, beyond, true) > bytes(t, beyond) ? comes / run_bytes(t) : 0;
        once += t.transfers * of_load;
    }
    if (cores == 0) {
        return {moved, runs, conflicts, short_lines};
    }
    const double ratio = std::max({whole, stage_.block_bytes, working_set}) / all_shares;
    const double left = std::max(0.0, moved - resident_share(ratio) * once);
    const double share = moved > 0 ? left / moved : 0;
    return {left, runs * share, 0, short_lines * share};
}

Traffic StageTraffic::past(double working_set) const {
    const Past l1 = past(m_.l1, working_set, 0), l2 = past(m_.l2, working_set, 0),
               l3 = past(m_.l3, working_set, m_.cores);
    return {l1.bytes, l2.bytes, l3.bytes, l1.runs, l2.runs, l3.runs, l3.short_lines, l1.conflicts};
}

Traffic memory_traffic(const NestedStage &stage, const Machine &m, double working_set) {
    return StageTraffic(stage, m).past(working_set);
}

}  // namespace eutectic
