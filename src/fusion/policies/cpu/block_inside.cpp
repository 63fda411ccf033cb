// The smaller pipeline inside one block: extents from the root towards its producers (halos included), and
// loops for each Func in it.

#include <algorithm>
#include <cmath>
#include <utility>

#include "fusion/policies/cpu/block.h"
#include "fusion/search/content_key.h"

namespace eutectic {

namespace {

bool contains(const std::vector<FuncId> &funcs, FuncId f) {
    return std::find(funcs.begin(), funcs.end(), f) != funcs.end();
}

/** Points of each dim of a stage of `reader` in one block: its reduction variables go over all their values,
 * and along dims whose coordinates an update computes it has no loops.
 */
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

// Of Halide 21, by tracing what chains of downsampled, upsampled and filtered rows store and allocate (the
// pipelines of tests/schedules/stencil_pipelines.h): behind one quotient every Func slides; behind two or
// more what is read further on is computed again at each turn. What advances by 8 rows a turn is not folded.
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
        for (DimId d = dim; d < whole.extents.next_id(); d++) {
            in.blocks *=
                std::ceil(static_cast<double>(root_.dims[d].extent) / static_cast<double>(root.extents[d]));
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
        if (!cut_.slides || d < 0 || func(f).stages.size() != 1 || !contains(q_.blocked, f) ||
            !own.regions.contains(d) || !own.regions[d].known || own.regions[d].rate <= 0 ||
            !std::isfinite(own.regions[d].max) || own.quotients > sliding_quotients) {
            return;
        }
        Region &region = own.regions[d];
        const double fresh = std::max(1.0, std::ceil(region.rate * static_cast<double>(cut_.size)));
        if (static_cast<double>(own.extents[d]) <= fresh) {
            return;
        }
        own.slides = d;
        own.window = own.extents;
        if (own.quotients > 0 || region.rate > folded_rate) {  // its buffer holds a whole strip's
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
            loops.push_back({0, 0, static_cast<double>(work.dims[d].extent - 1)});
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
            producer.position.assign(root_.dims.size(), -1);
        }
        for (const DimId i : whole.extents.ids()) {
            const Index &index = load.access.indices[i];
            const bool own = q_.graph.writes_own(load.producer, i);
            const Region read =
                own ? region_read(index, loops)
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
            if (producer.extents[i] == whole.extents[i]) {
                producer.at_least[i] = whole.at_least[i];
                producer.inside[i] = whole.inside.empty() ? std::nullopt : whole.inside[i];
                continue;
            }
            // The whole blocks of the reader are whole blocks of the producer when it is read point by point.
            const DimId same = index.equals_dim();
            const bool pure = reader.extents.contains(same);
            const Dim *variable = same >= 0 && !pure ? &work.dims[same] : nullptr;
            producer.at_least[i] = pure       ? reader.at_least[same]
                                   : variable ? variable->at_least
                                              : std::nullopt;
            producer.inside[i] = pure ? reader.inside[same] : variable ? variable->inside : std::nullopt;
            producer.when[i] = pure ? reader.when[same] : variable ? variable->when : 0;
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

/** Gives `graph`, which is that of the request but for the extents of another block, those of this one. */
void set_extents(const Graph &request, const Inside &in, Graph &graph) {
    for (const auto &[f, own] : in.computed) {
        FuncInfo &info = graph.funcs[f];
        info.extents = own.extents;
        info.when = own.when;
        info.at_least = own.at_least;
        info.inside = own.inside;
        for (const StageId s : info.stages) {
            Dims &dims = graph.stages[s].dims;
            for (const DimId d : own.extents.ids()) {
                const Dim &whole = request.stages[s].dims[d];
                dims[d].constant =
                    whole.constant &&
                    own.extents[d] == whole.extent;  // the last of several blocks has fewer points
                dims[d].extent = request.stages[s].is_own(d) ? own.extents[d] : whole.extent;
                dims[d].at_least = own.at_least[d];
                dims[d].inside = own.inside[d];
                dims[d].when = own.when[d];
            }
        }
    }
}

/** Seconds that the arithmetic of one block takes at least: all of it in whole vectors, as many at a time as
 * the core issues. What a loop may hoist does not count. */
Seconds least_arithmetic(const Blocks &b, const Inside &in) {
    double cycles = 0;
    for (const auto &[f, own] : in.computed) {
        for (const StageWork &work : b.computed.at(f).works) {
            double points = 1;
            for (const int64_t extent : tile_of(own, work)) {
                points *= static_cast<double>(extent);
            }
            double operations = 0;
            for (const Part &part : work.parts) {
                const bool everywhere =
                    std::find(part.depends.begin(), part.depends.end(), false) == part.depends.end();
                const ExprSummary &body = part.body;
                operations += everywhere ? std::max(0.0, body.flops - (part.multiply_accumulate ? 1 : 0)) *
                                               body.bytes_of_operation(work.element_bytes)
                                         : 0;
            }
            cycles += points * operations * 8 / b.core.vector_bits / b.core.vector_ops_per_cycle;
        }
    }
    return cycles / b.core.hertz;
}

void add(const std::optional<BufferDim> &buffer, std::vector<int64_t> &key) {
    key.push_back(buffer ? buffer->func : no_func);
    key.push_back(buffer ? buffer->dim : DimId(-1));
}

/** Adds what a group depends on in `f`, whose stages are to be computed in a block. */
void add_to_key(const Blocks &b, const Inside &in, FuncId f, std::vector<int64_t> &key) {
    const InOneBlock &own = in.computed.at(f);
    const Blocks::Computed &computed = b.computed.at(f);
    for (size_t s = 0; s < computed.works.size(); s++) {
        key.push_back(computed.ids[s]);
        for (const Load &load : computed.works[s]->loads) {
            if (b.is_member(load.producer)) {
                const Extents &extents = in.computed.at(load.producer).extents;
                key.insert(key.end(), extents.begin(), extents.end());
            }
        }
    }
    for (const DimId d : own.extents.ids()) {
        key.push_back(own.extents[d]);
        key.push_back(own.when[d]);
        add(own.at_least[d], key);
        add(own.inside[d], key);
    }
}

}  // namespace

Bytes Blocks::bytes_of(const Inside &inside, FuncId f) const {
    Bytes points = 1;
    const InOneBlock &own = inside.computed.at(f);
    for (const int64_t extent : own.slides >= 0 ? own.window : own.extents) {
        points *= extent;
    }
    return points * q.graph.funcs[f].bytes_per_point;
}

std::map<FuncId, InOneBlock> required(const Blocks &blocks, const Cut &cut) {
    return Requirements(blocks, cut).inside().computed;
}

Inside extents_inside(const Blocks &blocks, DimId dim, int64_t size) {
    Inside in = Requirements(blocks, {dim, size}).inside();
    in.graph = blocks.q.graph;
    set_extents(blocks.q.graph, in, in.graph);
    return in;
}

std::optional<Inside> BlockPlanner::plan(const Cut &cut, Seconds limit) {
    Inside in = Requirements(blocks_, cut).inside();
    if (cut.slides && std::none_of(in.computed.begin(), in.computed.end(),
                                   [](const auto &c) { return c.second.slides >= 0; })) {
        return std::nullopt;
    }
    if (least_arithmetic(blocks_, in) * in.blocks / blocks_.q.machine.cores >= limit) {
        return std::nullopt;
    }
    bool set = false;
    const auto add = [&](FuncId f) { in.groups.push_back(group(in, f, set)); };
    std::for_each(blocks_.q.blocked.begin(), blocks_.q.blocked.end(), add);
    std::for_each(blocks_.q.sharing_nest.begin(), blocks_.q.sharing_nest.end(), add);
    add(blocks_.q.root);
    return in;
}

Group BlockPlanner::search(const Inside &in, FuncId f, bool &set) {
    if (!graph_) {
        graph_ = blocks_.q.graph;
    }
    if (!set) {
        set_extents(blocks_.q.graph, in, *graph_);
        set = true;
    }
    const Table<FuncId, bool> inlined = blocks_.inlined(f);
    const GroupRequest &of = blocks_.q;
    GroupRequest q{*graph_, blocks_.core, of.placements, inlined, of.ids, f, blocks_.computed.at(f).tiled,
                   {}};
    q.inside_block = true;
    q.pins = of.pins;
    q.blocks = in.blocks;
    q.members = blocks_.members;
    return best_group(q);
}

std::shared_ptr<const Group> BlockPlanner::group(const Inside &in, FuncId f, bool &set) {
    if (!blocks_.q.found) {
        return std::make_shared<const Group>(search(in, f, set));
    }
    std::vector<int64_t> key{static_cast<int64_t>(in.blocks)};
    for (const FuncId tiled : blocks_.computed.at(f).tiled) {
        add_to_key(blocks_, in, tiled, key);
    }
    add_to_key(blocks_, in, f, key);
    std::shared_ptr<const Group> &known = blocks_.q.found->groups[std::move(key)];
    if (!known) {
        known = std::make_shared<const Group>(search(in, f, set));
    }
    return known;
}

}  // namespace eutectic
