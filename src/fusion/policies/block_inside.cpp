// The smaller pipeline inside one block: extents from the root towards its producers (halos included), and loops for each Func in it.

#include <algorithm>
#include <cmath>
#include <utility>

#include "fusion/content_key.h"
#include "fusion/policies/block.h"

namespace eutectic {

namespace {

class Planner {
public:
    explicit Planner(const Blocks &blocks)
        : b_(blocks), q_(blocks.q), root_(blocks.root) {
    }

    /** The pipeline with the extents of one block, from the root towards its producers. */
    Inside extents_inside(int dim, int64_t size, Graph spare) const {
        Inside in;
        in.graph = spare.funcs.empty() ? q_.graph : as_a_whole(std::move(spare));
        FuncInfo &root = in.graph.funcs[static_cast<size_t>(q_.root)];
        std::vector<int64_t> extents = root.extents;
        root.when.assign(extents.size(), 0);
        for (size_t d = 0; d < extents.size(); d++) {
            extents[d] = static_cast<int>(d) == dim ? std::min(extents[d], size) : static_cast<int>(d) > dim ? 1
                                                                                                             : extents[d];
            root.when[d] = static_cast<int>(d) == dim ? size : 0;
            in.position[q_.root].push_back(static_cast<int>(d));
        }
        set_extents(in.graph, q_.root, extents);
        std::vector<Region> &block = in.regions[q_.root];  // none where the root is a single value
        for (size_t d = 0; d < extents.size(); d++) {
            const double last = static_cast<double>(extents[d] - 1);
            block.push_back({static_cast<int>(d) < dim ? 0.0 : 1.0, 0, last});
        }
        require(in, q_.root);
        for (const FuncId f : q_.with) {
            put_beside(in, f, extents);
        }
        for (size_t m = b_.members.size(); m-- > 0;) {
            set_extents(in.graph, b_.members[m], in.graph.funcs[static_cast<size_t>(b_.members[m])].extents);
            require(in, b_.members[m]);
        }
        in.bytes = bytes_of(in);
        for (size_t d = static_cast<size_t>(dim); d < extents.size(); d++) {
            in.blocks *= std::ceil(static_cast<double>(root_.dims[d].extent) / static_cast<double>(extents[d]));
        }
        return in;
    }

    /** And a group for each Func in it. */
    Inside pipeline_inside(int dim, int64_t size, Graph spare) const {
        Inside in = extents_inside(dim, size, std::move(spare));
        for (const FuncId f : q_.blocked) {
            in.groups.push_back(group_inside(in, f));
        }
        for (const FuncId f : q_.with) {
            in.groups.push_back(group_inside(in, f));
        }
        in.groups.push_back(group_inside(in, q_.root));
        return in;
    }

private:
    const Blocks &b_;
    const GroupRequest &q_;
    const Stage &root_;

    /** `graph`, which differs from the request's only in what is computed inside blocks, without that difference. */
    Graph as_a_whole(Graph graph) const {
        std::vector<FuncId> inside = b_.members;
        inside.push_back(q_.root);
        inside.insert(inside.end(), q_.with.begin(), q_.with.end());
        for (const FuncId f : inside) {
            const FuncInfo &whole = q_.graph.funcs[static_cast<size_t>(f)];
            graph.funcs[static_cast<size_t>(f)] = whole;
            for (const StageId s : whole.stages) {
                graph.stages[static_cast<size_t>(s)].dims = q_.graph.stages[static_cast<size_t>(s)].dims;
            }
        }
        return graph;
    }

    /** The points of `f`, which the nest writes beside the root, that belong to one block, and what they require. */
    void put_beside(Inside &in, FuncId f, const std::vector<int64_t> &root) const {
        const int missing = b_.missing_dims(f);
        const FuncInfo &of_root = in.graph.funcs[static_cast<size_t>(q_.root)];
        FuncInfo &info = in.graph.funcs[static_cast<size_t>(f)];
        info.when.assign(of_root.when.begin() + missing, of_root.when.end());
        for (int d = 0; d < static_cast<int>(root.size()); d++) {
            in.position[f].push_back(d < missing ? -1 : d - missing);
        }
        std::vector<int64_t> extents(root.begin() + missing, root.end());
        if (const int64_t run = b_.run(f); run > 1) {
            extents[0] = std::min(info.extents[0], (extents[0] + run - 1) / run);
            info.when[0] = (info.when[0] + run - 1) / run;
        }
        set_extents(in.graph, f, extents);
        const std::vector<Region> of_root_regions = in.regions.at(q_.root);
        std::vector<Region> &own = in.regions[f];
        for (size_t d = 0; d < extents.size(); d++) {
            const double run = d == 0 ? static_cast<double>(std::max<int64_t>(1, b_.run(f))) : 1;
            own.push_back({of_root_regions[d + static_cast<size_t>(missing)].rate / run, 0, static_cast<double>(extents[d] - 1)});
        }
        require(in, f);
    }

    bool in_block(FuncId f) const {
        return std::find(q_.blocked.begin(), q_.blocked.end(), f) != q_.blocked.end();
    }

    static void set_extents(Graph &graph, FuncId f, const std::vector<int64_t> &extents) {
        FuncInfo &info = graph.funcs[static_cast<size_t>(f)];
        info.extents = extents;
        for (const StageId s : info.stages) {
            for (size_t d = 0; d < extents.size(); d++) {
                Dim &dim = graph.stages[static_cast<size_t>(s)].dims[d];
                dim.constant = dim.constant && extents[d] == dim.extent;  // the last of several blocks has fewer points
                dim.extent = extents[d];
                dim.at_least = info.at_least[d];
                dim.inside = info.inside.empty() ? std::nullopt : info.inside[d];
                dim.when = info.when.empty() ? 0 : info.when[d];
            }
        }
    }

    Group group_inside(const Inside &in, FuncId f) const {
        const std::vector<bool> inlined = b_.inlined(f);
        GroupRequest q{in.graph, b_.core, q_.placements, inlined, f, placed_in(q_.placements, Placement::Kind::at, f), {}};
        q.inside_block = true;
        q.pins = q_.pins;
        q.blocks = in.blocks;
        q.members = b_.members;
        if (!q_.found) {
            return best_group(q);
        }
        const std::string key = key_of(in, f, q.tiled);
        const auto it = q_.found->find(key);
        return it != q_.found->end() ? it->second : q_.found->emplace(key, best_group(q)).first->second;
    }

    /** All that the group of `f` depends on: another block, or another plan around it, often asks for the same. */
    std::string key_of(const Inside &in, FuncId f, std::vector<FuncId> funcs) const {
        ContentKey key;
        key.add(in.blocks);
        funcs.push_back(f);
        for (const FuncId of : funcs) {
            for (const StageId s : in.graph.funcs[static_cast<size_t>(of)].stages) {
                const StageWork work = stage_work(in.graph, s, b_.inlined(of));
                key.add(work);
                for (const Load &load : work.loads) {
                    key.add(b_.is_member(load.producer));
                }
            }
        }
        return key.text();
    }

    /** What `reader`, whose extents are known, requires of each Func in the block that it loads. */
    void require(Inside &in, FuncId reader) const {
        for (const StageId s : in.graph.funcs[static_cast<size_t>(reader)].stages) {
            const StageWork work = stage_work(in.graph, s, b_.inlined(reader));
            const std::vector<int64_t> tile = tile_inside(Nest(), 0, work.dims);
            const std::vector<Region> loops = loops_of(in, reader, work);
            for (const Load &load : work.loads) {
                if (b_.is_member(load.producer) && load.producer != reader) {
                    require(in, reader, work, tile, loops, load);
                }
            }
        }
    }

    /** Where the loops of a stage of `reader` are while a block is computed: its reduction variables go over all their values. */
    static std::vector<Region> loops_of(const Inside &in, FuncId reader, const StageWork &work) {
        std::vector<Region> loops = in.regions.at(reader);
        for (size_t d = loops.size(); d < work.dims.size(); d++) {
            loops.push_back({0, 0, static_cast<double>(work.dims[d].extent - 1)});
        }
        return loops;
    }

    void require(Inside &in, FuncId reader, const StageWork &work, const std::vector<int64_t> &tile, const std::vector<Region> &loops, const Load &load) const {
        FuncInfo &producer = in.graph.funcs[static_cast<size_t>(load.producer)];
        const FuncInfo &whole = q_.graph.funcs[static_cast<size_t>(load.producer)];
        const auto [it, first] = in.position.emplace(load.producer, std::vector<int>(root_.dims.size(), -1));
        if (first) {
            producer.extents.assign(whole.extents.size(), 1);
            producer.when.assign(whole.extents.size(), 0);
            producer.inside.resize(whole.extents.size());
        }
        std::vector<Region> &regions = in.regions[load.producer];
        for (size_t i = 0; i < whole.extents.size(); i++) {
            const Index &index = load.access.indices[i];
            const Region read = region_read(index, loops);
            if (first) {
                regions.push_back(read);
            } else {
                regions[i] = hull(regions[i], read);
            }
            producer.extents[i] = std::max({producer.extents[i], static_cast<int64_t>(footprint(index, whole.extents[i], tile)), points_of(regions[i], whole.extents[i])});
            for (size_t d = 0; d < root_.dims.size(); d++) {
                const int at = in.position.at(reader)[d];
                if (at >= 0 && index.affine && index.scale[static_cast<size_t>(at)] != 0) {
                    it->second[d] = static_cast<int>(i);
                }
            }
            if (producer.extents[i] == whole.extents[i]) {
                producer.at_least[i] = whole.at_least[i];
                producer.inside[i] = whole.inside.empty() ? std::nullopt : whole.inside[i];
                continue;
            }
            // The whole blocks of the reader are whole blocks of the producer when it is read point by point.
            const int same = index.equals_dim();
            producer.at_least[i] = same >= 0 ? work.dims[static_cast<size_t>(same)].at_least : std::nullopt;
            producer.inside[i] = same >= 0 ? work.dims[static_cast<size_t>(same)].inside : std::nullopt;
            producer.when[i] = same >= 0 ? work.dims[static_cast<size_t>(same)].when : 0;
        }
    }

    /** The buffers of the block and what it reads from outside, each once. */
    double bytes_of(const Inside &in) const {
        std::map<FuncId, double> outside;
        double bytes = 0;
        std::vector<FuncId> funcs = b_.members;
        funcs.push_back(q_.root);
        funcs.insert(funcs.end(), q_.with.begin(), q_.with.end());
        for (const FuncId f : funcs) {
            const FuncInfo &info = in.graph.funcs[static_cast<size_t>(f)];
            bytes += f == q_.root || in_block(f) || std::find(q_.with.begin(), q_.with.end(), f) != q_.with.end() ? static_cast<double>(info.bytes()) : 0;
            for (const StageId s : info.stages) {
                const StageWork work = stage_work(in.graph, s, b_.inlined(f));
                const std::vector<int64_t> tile = tile_inside(Nest(), 0, work.dims);
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

Inside extents_inside(const Blocks &blocks, int dim, int64_t size, Graph spare) {
    return Planner(blocks).extents_inside(dim, size, std::move(spare));
}

Inside pipeline_inside(const Blocks &blocks, int dim, int64_t size, Graph spare) {
    return Planner(blocks).pipeline_inside(dim, size, std::move(spare));
}

}  // namespace eutectic
