// What one block computes: extents from the root towards its producers, halos included.

#include <algorithm>
#include <cmath>
#include <utility>

#include "fusion/policies/cpu/block.h"

namespace eutectic {

Extents tile_of(const InOneBlock &reader, const StageWork &work) {
    Extents tile = reader.extents;
    for (const DimId d : tile.ids()) {
        tile[d] = std::min(tile[d], work.dims[d].extent);
    }
    for (DimId d = tile.next_id(); d < work.dims.next_id(); d++) {
        tile.push_back(work.dims[d].extent);
    }
    return tile;
}

namespace {

bool contains(const std::vector<FuncId> &funcs, FuncId f) {
    return std::find(funcs.begin(), funcs.end(), f) != funcs.end();
}

// Of Halide 21, by tracing what chains of downsampled, upsampled and filtered rows store and allocate (the
// pipelines of tests/schedules/stencil_pipelines.h): behind one quotient every Func slides; behind two or
// more what is read further on is computed again at each turn. What advances by 8 rows a turn is not folded,
// nor is what a window reads whose size is a parameter.
constexpr int sliding_quotients = 1;
constexpr double folded_rate = 4;  // points a turn

/** What each Func has to compute for one block. */
class Requirements {
public:
    Requirements(const Blocks &blocks, const Cut &cut)
        : b_(blocks), q_(blocks.q), root_(blocks.root), cut_(cut) {
    }

    Inside inside() const {
        const DimId dim = cut_.dim;
        const int64_t size = cut_.size;
        Inside in;
        const FuncInfo &whole = func(q_.root);
        InOneBlock &root = in.computed[q_.root];
        root = as_a_whole(whole);
        for (const DimId d : whole.extents.ids()) {
            const bool all = cut_.has_all(d);
            root.extents[d] = d == dim ? std::min(whole.extents[d], size) : all ? whole.extents[d] : 1;
            root.when[d] = d == dim ? size : 0;
            root.position.push_back(d);
            root.regions.push_back(
                {all ? 0.0 : 1.0, 0,
                 static_cast<double>(root.extents[d] - 1)});  // none where the root is a single value
        }
        require(in, q_.root);
        for (const FuncId f : q_.sharing_nest) {
            put_joint(in, f);
        }
        for (size_t m = b_.members.size(); m-- > 0;) {
            const auto [it, unread] = in.computed.try_emplace(b_.members[m], as_a_whole(func(b_.members[m])));
            if (unread) {
                it->second.position.assign(root_.dims.size(), -1);
            }
            slide(b_.members[m], it->second);
            require(in, b_.members[m]);
        }
        in.bytes = bytes_of(in);
        for (const DimId d : whole.extents.ids()) {
            const int64_t extent = root.extents[d];
            in.blocks_along.push_back(cut_.has_all(d) ? 1 : (root_.dims[d].extent + extent - 1) / extent);
            in.blocks *= static_cast<double>(in.blocks_along[d]);
        }
        return in;
    }

private:
    const Blocks &b_;
    const GroupRequest &q_;
    const Stage &root_;
    const Cut &cut_;

    /** Halide slides pure Funcs whose region moves one way: a block then computes what the one before had
     * not. Behind several quotients it does so for some and not for others. */
    void slide(FuncId f, InOneBlock &own) const {
        const DimId d = own.position.contains(cut_.dim) ? own.position[cut_.dim] : DimId(-1);
        if (!cut_.slides || d < 0 || func(f).stages.size() != 1 || q_.graph.pure_stage(f).library ||
            !contains(q_.blocked, f) || !own.regions.contains(d) || !own.regions[d].known ||
            own.regions[d].rate <= 0 || !std::isfinite(own.regions[d].max) ||
            own.quotients > sliding_quotients) {
            return;
        }
        Region &region = own.regions[d];
        const double fresh = std::max(1.0, std::ceil(region.rate * static_cast<double>(cut_.size)));
        if (static_cast<double>(own.extents[d]) <= fresh) {
            return;
        }
        own.slides = d;
        own.window = own.extents;
        if (own.quotients > 0 || region.rate > folded_rate || !region.fixed) {  // it holds a whole strip's
            const double strip =
                std::ceil(static_cast<double>(root_.dims[cut_.dim].extent) / std::max(2, q_.machine.cores));
            own.window[d] = std::min(func(f).extents[d],
                                     own.window[d] + static_cast<int64_t>(std::ceil(region.rate * strip)));
        }
        own.extents[d] = static_cast<int64_t>(fresh);
        region.min = region.max - fresh + 1;
    }

    const FuncInfo &func(FuncId f) const {
        return q_.graph.funcs[f];
    }

    static InOneBlock as_a_whole(const FuncInfo &info) {
        InOneBlock all{info.extents, info.when, info.at_least, info.inside, {}, {}};
        all.when.resize(info.extents.size(), 0);
        all.at_least.resize(info.extents.size());
        all.inside.resize(info.extents.size());
        return all;
    }

    /** The points of `f`, which shares the nest of the root, that belong to one block, and what they
     * require. */
    void put_joint(Inside &in, FuncId f) const {
        const InOneBlock root = in.computed.at(q_.root);
        const int missing = b_.missing_dims(f);
        const int64_t run = b_.run(f);
        InOneBlock &own = in.computed[f];
        own = as_a_whole(func(f));
        for (const DimId d : root.extents.ids()) {
            own.position.push_back(d < missing ? -1 : d - missing);
        }
        for (const DimId d : own.extents.ids()) {
            const int64_t together = d == 0 && run > 1 ? run : 1;
            const int64_t points = (root.extents[d + missing] + together - 1) / together;
            own.extents[d] = together > 1 ? std::min(own.extents[d], points) : points;
            own.when[d] = (root.when[d + missing] + together - 1) / together;
            const double rate =
                root.regions[d + missing].rate / static_cast<double>(d == 0 ? std::max<int64_t>(1, run) : 1);
            own.regions.push_back({rate, 0, static_cast<double>(own.extents[d] - 1)});
        }
        require(in, f);
    }

    /** Where the loops of a stage of `reader` are while a block is computed. */
    static Table<DimId, Region> loops_of(const InOneBlock &reader, const StageWork &work) {
        Table<DimId, Region> loops = reader.regions;
        for (DimId d = loops.next_id(); d < work.dims.next_id(); d++) {
            const Dim &loop = work.dims[d];
            loops.push_back({0, 0, static_cast<double>(loop.extent - 1), true, loop.constant});
        }
        return loops;
    }

    /** What `reader`, whose extents are known, requires of each Func in the block that it loads. */
    void require(Inside &in, FuncId reader) const {
        const InOneBlock &own = in.computed.at(reader);
        for (const StageWork &work : b_.computed.at(reader).works) {
            const Extents tile = tile_of(own, work);
            const Table<DimId, Region> loops = loops_of(own, work);
            for (const Load &load : work.loads) {
                if (b_.is_member(load.producer) && load.producer != reader) {
                    require(in, own, work, tile, loops, load);
                }
            }
        }
    }

    void require(Inside &in, const InOneBlock &reader, const StageWork &work, const Extents &tile,
                 const Table<DimId, Region> &loops, const Load &load) const {
        const FuncInfo &whole = func(load.producer);
        const size_t dims = whole.extents.size();
        const auto [it, first] = in.computed.try_emplace(load.producer);
        InOneBlock &producer = it->second;
        if (first) {
            producer.extents.assign(dims, 1);
            producer.when.assign(dims, 0);
            producer.at_least = whole.at_least;
            producer.inside = whole.inside;
            producer.inside.resize(dims);
            producer.any_number.resize(dims, false);
            producer.position.assign(root_.dims.size(), -1);
        }
        for (const DimId i : whole.extents.ids()) {
            const Index &index = load.access.indices[i];
            const bool own = q_.graph.writes_own(load.producer, i);
            // On a GPU these are the points of a buffer, whatever the caller's coordinates are.
            const Region asked = region_read(index, loops, q_.machine.gpu.has_value());
            const Region read =
                own ? asked
                    : Region{0, 0, static_cast<double>(whole.extents[i] - 1)};  // updates go where they go
            if (first) {
                producer.regions.push_back(read);
            } else {
                producer.regions[i] = hull(producer.regions[i], read);
            }
            const Region &region = producer.regions[i];
            const int64_t points = region.known
                                       ? points_of(region, whole.extents[i])
                                       : static_cast<int64_t>(footprint(index, whole.extents[i], tile));
            producer.extents[i] = std::max(producer.extents[i], points);
            for (const DimId d : root_.dims.ids()) {
                const DimId at = reader.position[d];
                if (own && at >= 0 && index.affine && index.scale[at] != 0) {
                    producer.position[d] = i;
                    const bool quotient = d == cut_.dim && index.scale[at] != std::floor(index.scale[at]);
                    producer.quotients = std::max(producer.quotients, reader.quotients + (quotient ? 1 : 0));
                }
            }
            // With updates that go elsewhere it has the points between those and what is asked for.
            const bool any = own ? std::isinf(region.max) || !index.affine
                                 : asked.known && (asked.rate != 0 ||
                                                   points_of(asked, whole.extents[i]) < whole.extents[i]);
            limit(producer, i, any, reader, work, index, whole);
        }
    }

    /** May `index` go along a dim of which a block may need any number of points of the reader? */
    static bool any_number_read(const InOneBlock &reader, const Index &index) {
        for (const DimId d : reader.any_number.ids()) {
            if (reader.any_number[d] && index.depends_on(d)) {
                return true;
            }
        }
        return false;
    }

    /** Does `index` go along a dim of the reader that the position of a block moves? */
    static bool depends_on_block(const InOneBlock &reader, const Index &index) {
        return std::any_of(reader.position.begin(), reader.position.end(),
                           [&](DimId at) { return at >= 0 && index.depends_on(at); });
    }

    /** Says how many points of its dim `i` a block needs of `producer` at least, where the size of a buffer
     * tells; not where it may be `any` number, for this reader or another. (Between a fixed row and one that
     * moves there are as many as the block is far on; a row that is looked up may be a single one; what such
     * rows are computed from has as many.) */
    static void limit(InOneBlock &producer, DimId i, bool any, const InOneBlock &reader,
                      const StageWork &work, const Index &index, const FuncInfo &whole) {
        producer.any_number[i] = producer.any_number[i] || any || any_number_read(reader, index);
        if (producer.any_number[i]) {
            producer.at_least[i] = producer.inside[i] = std::nullopt;
            return;
        }
        // What moves on from block to block has all points at most sizes only by chance: where its end is cut
        // off, or two readers are far apart.
        const Region &region = producer.regions[i];
        const bool moves = region.known ? region.rate != 0 : depends_on_block(reader, index);
        if (producer.extents[i] == whole.extents[i] && !moves) {
            producer.at_least[i] = whole.at_least[i];
            producer.inside[i] = whole.inside.empty() ? std::nullopt : whole.inside[i];
            return;
        }
        // The whole blocks of the reader are whole blocks of the producer when it is read point by point: so
        // many points, and not those between them and what another load reads, which a clamp may take away.
        const DimId same = index.equals_dim();
        const bool pure = reader.extents.contains(same);
        const Dim *variable = same >= 0 && !pure ? &work.dims[same] : nullptr;
        producer.at_least[i] = pure ? reader.at_least[same] : variable ? variable->at_least : std::nullopt;
        producer.inside[i] = pure ? reader.inside[same] : variable ? variable->inside : std::nullopt;
        producer.when[i] = pure ? reader.when[same] : variable ? variable->when : 0;
        const int64_t points = pure ? reader.extents[same] : variable ? variable->extent : 1;
        if (producer.at_least[i] && points < producer.extents[i]) {
            int64_t &least = producer.at_least[i]->points;
            least = least > 0 ? std::min(least, points) : points;
        }
    }

    /** The buffers of the block and what it reads from outside, each once. */
    double bytes_of(const Inside &in) const {
        std::map<FuncId, double> outside;
        double bytes = 0;
        for (const auto &[f, own] : in.computed) {
            const bool buffer = f == q_.root || contains(q_.blocked, f) || contains(q_.sharing_nest, f);
            bytes += buffer ? static_cast<double>(b_.bytes_of(in, f)) : 0;
            for (const StageWork &work : b_.computed.at(f).works) {
                const Extents tile = tile_of(own, work);
                for (const Load &load : work.loads) {
                    if (!b_.is_member(load.producer)) {
                        double &most = outside[load.producer];
                        most = std::max(most, footprint(load, tile) * load.bytes_per_point);
                    }
                }
            }
        }
        for (const auto &[f, b] : outside) {
            bytes += b;
        }
        return bytes;
    }
};

}  // namespace

Bytes Blocks::bytes_of(const Inside &inside, FuncId f) const {
    Bytes points = 1;
    const InOneBlock &own = inside.computed.at(f);
    for (const int64_t extent : own.slides >= 0 ? own.window : own.extents) {
        points *= extent;
    }
    return points * q.graph.funcs[f].bytes_per_point;
}

Inside one_block(const Blocks &blocks, const Cut &cut) {
    return Requirements(blocks, cut).inside();
}

std::map<FuncId, InOneBlock> required(const Blocks &blocks, const Cut &cut) {
    return one_block(blocks, cut).computed;
}

}  // namespace eutectic
