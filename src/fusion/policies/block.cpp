// s(i) += e(k, i);  y(j, i) = f(e(j, i), s(i))   →   y in blocks of a few i; e and s computed for one block at a time, in buffers that stay in cache.
//
// One dim of the root is cut into blocks, the dims outside it are stepped over point by point. Inside a block the rest of the pipeline is a smaller one,
// with the extents that the block requires (halos included, hence recomputed), on one core: the other policies find its loops. What they find is then put
// inside the root's loops and priced as a whole.

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <sstream>

#include "fusion/policies/policy.h"

namespace eutectic {

namespace {

constexpr int64_t block_sizes[] = {1, 2, 4, 8, 16, 32, 64};
constexpr int64_t vector_block_sizes[] = {1, 4, 16, 64};  // of the innermost dim, in vectors

/** The root's loops around one block. */
struct Outside {
    std::vector<Loop> loops;
    std::vector<bool> gone;  // dims of the root of which a block holds one point
};

/** The pipeline inside one block. */
struct Inside {
    Graph graph;
    std::vector<Group> groups;                    // of the Funcs in the block, then the root's
    std::map<FuncId, std::vector<int>> position;  // dim of the root → dim of a Func in the block, or -1
    double bytes = 0;                             // that one block touches
};

class Search {
public:
    explicit Search(const GroupRequest &q)
        : q_(q), root_(q.graph.pure_stage(q.root)), core_(q.machine) {
        core_.cores = 1;
        core_.launch_seconds = core_.task_seconds = 0;
        core_.memory_bytes_per_second /= std::max(1, q.machine.cores);
        core_.lone_core_share = 1;
        members_ = q.blocked;
        for (const FuncId f : q.blocked) {
            append(placed_in(q.placements, Placement::Kind::at, f));
        }
        append(q.tiled);
        std::sort(members_.begin(), members_.end());
    }

    std::optional<Group> run() {
        const int lanes = q_.machine.lanes(q_.graph.funcs[static_cast<size_t>(q_.root)].element_bytes);
        for (int dim = static_cast<int>(root_.dims.size()) - 1; dim >= 0; dim--) {
            std::vector<int64_t> sizes(std::begin(block_sizes), std::end(block_sizes));
            if (root_.dims[static_cast<size_t>(dim)].extent == 1 && root_.dims.size() > 1) {
                continue;  // a block of it is everything that the dims outside it leave
            }
            if (dim == 0) {
                sizes = root_.dims.size() > 1 ? std::vector<int64_t>() : std::vector<int64_t>{1};
                for (const int64_t vectors : vector_block_sizes) {
                    sizes.push_back(vectors * lanes);
                }
            }
            // Costs fall with the size, while more is shared inside a block, and rise again, when the block leaves its cache.
            Seconds least = std::numeric_limits<double>::infinity();
            for (size_t s = 0, worse = 0; s < sizes.size() && worse < 2; s++) {
                const Seconds cost = try_block(dim, sizes[s]);
                worse = cost < least ? 0 : worse + 1;
                least = std::min(least, cost);
            }
        }
        return best_;
    }

private:
    const GroupRequest &q_;
    const Stage &root_;
    Machine core_;
    std::vector<FuncId> members_;  // everything computed inside the block but the root, producers first
    std::optional<Group> best_;

    void append(const std::vector<FuncId> &funcs) {
        members_.insert(members_.end(), funcs.begin(), funcs.end());
    }
    bool is_member(FuncId f) const {
        return std::binary_search(members_.begin(), members_.end(), f);
    }
    bool in_block(FuncId f) const {
        return std::find(q_.blocked.begin(), q_.blocked.end(), f) != q_.blocked.end();
    }

    /** The least cost of any loops outside such blocks; infinite when there are no such blocks. */
    Seconds try_block(int dim, int64_t size) {
        Seconds least = std::numeric_limits<double>::infinity();
        if (size > 1 && size >= root_.dims[static_cast<size_t>(dim)].extent) {
            return least;
        }
        const Inside inside = pipeline_inside(dim, size);
        Seconds compute = 0;  // of one block; infinite when no policy fits a Func in it
        for (const Group &g : inside.groups) {
            compute += g.cost.compute;
            for (const NestedStage &s : g.work) {
                compute -= stays_outside(g, s.work.func) ? compute_cycles(s, core_) / core_.hertz : 0;
            }
        }
        double blocks = 1;
        for (int d = dim; d < static_cast<int>(root_.dims.size()); d++) {
            const int64_t step = d == dim ? size : 1;
            blocks *= static_cast<double>((root_.dims[static_cast<size_t>(d)].extent + step - 1) / step);
        }
        // Whatever the loops outside, the arithmetic of all blocks is spread over the cores at best.
        const Seconds bound = compute * blocks / q_.machine.cores;
        if (!std::isfinite(bound) || (best_ && bound >= best_->cost.total())) {
            return bound;
        }
        for (const Outside &outside : loops_outside(dim, size)) {
            Group group = assemble(inside, outside);
            least = std::min(least, group.cost.total());
            best_ = cheaper(std::move(best_), std::move(group));
        }
        return least;
    }

    /** The loops around a block, with more and more of them parallel; a lone loop over points may also run in parallel
     *  chunks (chunks of larger blocks would be whole only at larger sizes). */
    std::vector<Outside> loops_outside(int dim, int64_t size) const {
        Outside serial;
        serial.gone.assign(root_.dims.size(), false);
        for (int d = static_cast<int>(root_.dims.size()) - 1; d >= dim; d--) {
            serial.loops.push_back({d, d == dim ? size : 1, Loop::Kind::serial});
            serial.gone[static_cast<size_t>(d)] = d > dim || size == 1;
        }
        std::vector<Outside> result{serial};
        for (size_t parallel = 0; parallel < std::min<size_t>(2, serial.loops.size()); parallel++) {
            result.push_back(result.back());
            result.back().loops[parallel].kind = Loop::Kind::parallel;
        }
        const int64_t extent = root_.dims[static_cast<size_t>(dim)].extent;
        for (const int64_t tasks_per_core : {1, 4}) {
            const int64_t tasks = tasks_per_core * q_.machine.cores;
            const int64_t chunk = (extent + tasks - 1) / tasks;
            if (serial.loops.size() == 1 && size == 1 && chunk > 1 && chunk < extent) {
                result.push_back(serial);
                result.back().loops.insert(result.back().loops.begin(), Loop{dim, chunk, Loop::Kind::parallel});
            }
        }
        return result;
    }

    static void set_extents(Graph &graph, FuncId f, const std::vector<int64_t> &extents) {
        FuncInfo &info = graph.funcs[static_cast<size_t>(f)];
        info.extents = extents;
        for (const StageId s : info.stages) {
            for (size_t d = 0; d < extents.size(); d++) {
                Dim &dim = graph.stages[static_cast<size_t>(s)].dims[d];
                dim.extent = extents[d];
                dim.at_least = info.at_least[d];
                dim.inside = info.inside.empty() ? std::nullopt : info.inside[d];
                dim.when = info.when.empty() ? 0 : info.when[d];
            }
        }
    }

    /** The pipeline with the extents of one block, from the root towards its producers, and a group for each Func in it. */
    Inside pipeline_inside(int dim, int64_t size) const {
        Inside in;
        in.graph = q_.graph;
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
        require(in, q_.root);
        for (size_t m = members_.size(); m-- > 0;) {
            set_extents(in.graph, members_[m], in.graph.funcs[static_cast<size_t>(members_[m])].extents);
            require(in, members_[m]);
        }
        in.bytes = bytes_of(in);
        for (const FuncId f : q_.blocked) {
            in.groups.push_back(group_inside(in, f));
        }
        in.groups.push_back(group_inside(in, q_.root));
        return in;
    }

    Group group_inside(const Inside &in, FuncId f) const {
        GroupRequest q{in.graph, core_, q_.placements, q_.inlined, f, placed_in(q_.placements, Placement::Kind::at, f), {}};
        q.inside_block = true;
        if (!q_.found) {
            return best_group(q);
        }
        const std::string key = key_of(in, f, q.tiled);
        const auto it = q_.found->find(key);
        return it != q_.found->end() ? it->second : q_.found->emplace(key, best_group(q)).first->second;
    }

    /** All that the group of `f` depends on: another block, or another plan around it, often asks for the same. */
    std::string key_of(const Inside &in, FuncId f, std::vector<FuncId> funcs) const {
        std::ostringstream key;
        funcs.push_back(f);
        for (const FuncId of : funcs) {
            key << "f" << of;
            for (const StageId s : in.graph.funcs[static_cast<size_t>(of)].stages) {
                const StageWork work = stage_work(in.graph, s, q_.inlined);
                for (const Dim &d : work.dims) {
                    key << " " << d.extent << "/" << d.when;
                    for (const std::optional<BufferDim> &b : {d.at_least, d.inside}) {
                        key << (b ? ":" + std::to_string(b->func) + "." + std::to_string(b->dim) : ":");
                    }
                }
                for (const Part &part : work.parts) {
                    key << " " << part.body.flops << "+" << part.body.divisions;
                }
                for (const Load &load : work.loads) {
                    key << " l" << load.producer;
                    for (const int64_t extent : load.extents) {
                        key << "," << extent;
                    }
                    for (const Index &i : load.access.indices) {
                        for (const double scale : i.scale) {
                            key << ";" << scale;
                        }
                    }
                }
            }
        }
        return key.str();
    }

    /** What `reader`, whose extents are known, requires of each Func in the block that it loads. */
    void require(Inside &in, FuncId reader) const {
        for (const StageId s : in.graph.funcs[static_cast<size_t>(reader)].stages) {
            const StageWork work = stage_work(in.graph, s, q_.inlined);
            std::vector<int64_t> tile;
            for (const Dim &d : work.dims) {
                tile.push_back(d.extent);
            }
            for (const Load &load : work.loads) {
                if (is_member(load.producer) && load.producer != reader) {
                    require(in, reader, work, tile, load);
                }
            }
        }
    }

    void require(Inside &in, FuncId reader, const StageWork &work, const std::vector<int64_t> &tile, const Load &load) const {
        FuncInfo &producer = in.graph.funcs[static_cast<size_t>(load.producer)];
        const FuncInfo &whole = q_.graph.funcs[static_cast<size_t>(load.producer)];
        const auto [it, first] = in.position.emplace(load.producer, std::vector<int>(root_.dims.size(), -1));
        if (first) {
            producer.extents.assign(whole.extents.size(), 1);
            producer.when.assign(whole.extents.size(), 0);
            producer.inside.resize(whole.extents.size());
        }
        for (size_t i = 0; i < whole.extents.size(); i++) {
            const Index &index = load.access.indices[i];
            producer.extents[i] = std::max(producer.extents[i], static_cast<int64_t>(footprint(index, whole.extents[i], tile)));
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
        std::vector<FuncId> funcs = members_;
        funcs.push_back(q_.root);
        for (const FuncId f : funcs) {
            const FuncInfo &info = in.graph.funcs[static_cast<size_t>(f)];
            bytes += f == q_.root || in_block(f) ? static_cast<double>(info.bytes()) : 0;
            for (const StageId s : info.stages) {
                const StageWork work = stage_work(in.graph, s, q_.inlined);
                std::vector<int64_t> tile;
                for (const Dim &d : work.dims) {
                    tile.push_back(d.extent);
                }
                for (const Load &load : work.loads) {
                    if (!is_member(load.producer)) {
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

    Group assemble(const Inside &in, const Outside &outside) const {
        Group g;
        g.root = q_.root;
        g.policy = "block";
        const Group &root = in.groups.back();
        const FuncId writer = root.computed.front().func;
        put_root(in, root, writer, outside, g);
        const size_t of_root = g.work.size();
        for (size_t i = 0; i + 1 < in.groups.size(); i++) {
            put_member(in, in.groups[i], writer, outside, g);
        }
        // In the order in which a block runs: what one stage has read from outside is there for the next.
        std::vector<FuncId> there = q_.blocked;
        for (size_t i = 0; i < g.work.size(); i++) {
            NestedStage &s = g.work[(of_root + i) % g.work.size()];
            s.in_block = there;
            s.block_bytes = in.bytes;
            for (const Load &load : s.work.loads) {
                if (s.block_loops > 0 && std::find(there.begin(), there.end(), load.producer) == there.end()) {
                    there.push_back(load.producer);
                }
            }
        }
        g.cost = price(g.work, q_.machine);
        double tasks = 1;  // each allocates the block's buffers once
        for (size_t l = 0; l < outside.loops.size() && outside.loops[l].kind == Loop::Kind::parallel; l++) {
            tasks *= static_cast<double>(trips(g.nests.front().nest, l, root_.dims));
        }
        g.cost.launch += std::ceil(tasks / q_.machine.cores) * static_cast<double>(q_.blocked.size()) * q_.machine.allocation_seconds;
        return g;
    }

    /** Is `f` a packed copy of something that no block computes? It is made once, at Root. */
    bool stays_outside(const Group &g, FuncId f) const {
        return std::any_of(g.added.begin(), g.added.end(), [&](const Added &a) { return a.kind == Added::Kind::pack && a.id == f && !is_member(a.of); });
    }

    static void append(Group &g, const Group &from) {
        g.added.insert(g.added.end(), from.added.begin(), from.added.end());
    }

    /** `loops` of the root without those over dims of which a block has a single point. */
    static std::vector<Loop> left(const std::vector<Loop> &loops, size_t count, const Outside &outside, int writer_dims) {
        std::vector<Loop> result;
        for (size_t l = 0; l < count; l++) {
            const bool gone = loops[l].dim >= 0 && loops[l].dim < writer_dims && outside.gone[static_cast<size_t>(loops[l].dim)];
            if (!gone) {
                result.push_back(loops[l]);
            }
        }
        return result;
    }

    /** The loops outside as a stage of `f` sees them, whose nest is inside them. */
    std::vector<Loop> around(const Inside &in, FuncId f, const Outside &outside, const std::vector<Dim> &dims, const Nest &root) const {
        std::vector<Loop> result;
        for (size_t l = 0; l < outside.loops.size(); l++) {
            Loop loop = outside.loops[l];
            const auto it = in.position.find(f);
            loop.count = trips(root, l, root_.dims);
            loop.dim = it == in.position.end() ? -1 : it->second[static_cast<size_t>(loop.dim)];
            loop.size = loop.dim >= 0 ? dims[static_cast<size_t>(loop.dim)].extent : loop.count;
            result.push_back(loop);
        }
        return result;
    }

    /** The root's nest inside the loops outside, and what is computed in its tile. */
    void put_root(const Inside &in, const Group &from, FuncId writer, const Outside &outside, Group &g) const {
        append(g, from);
        const StageNest &old = from.nests.front();
        const int dims = static_cast<int>(root_.dims.size());
        StageNest nest{writer, -1, root_.dims, {}};
        nest.nest.loops = outside.loops;
        const std::vector<Loop> inner = left(old.nest.loops, old.nest.loops.size(), outside, dims);
        nest.nest.loops.insert(nest.nest.loops.end(), inner.begin(), inner.end());
        nest.nest.whole = whole(nest, old.nest, outside);
        g.nests.push_back(nest);
        g.computed.push_back(from.computed.front());
        NestedStage work = from.work.front();
        work.work.dims = root_.dims;
        work.nest = nest.nest;
        work.block_loops = outside.loops.size();
        g.work.push_back(work);
        // Loop numbers of the old nest in the new one.
        std::vector<int> moved;
        int at = static_cast<int>(outside.loops.size()) - 1;
        for (const Loop &l : old.nest.loops) {
            at += outside.gone[static_cast<size_t>(l.dim)] ? 0 : 1;
            moved.push_back(at);
        }
        for (size_t c = 1; c < from.computed.size(); c++) {
            Computed computed = from.computed[c];
            if (computed.consumer == writer) {
                computed.loop = moved[static_cast<size_t>(computed.loop)];
            } else if (computed.consumer >= 0) {
                computed.loop += static_cast<int>(outside.loops.size()) - replaced(old, outside, shared_loops(from, computed.consumer));
            }
            if (computed.consumer < 0 && copies_member(from, computed.func)) {
                in_loops_outside(writer, outside, computed);
            }
            g.computed.push_back(computed);
        }
        for (size_t s = 1; s < from.nests.size(); s++) {
            StageNest inside = from.nests[s];
            reshape(in, from, outside, nest.nest, inside.func, inside.dims, inside.nest);
            g.nests.push_back(inside);
        }
        for (size_t s = 1; s < from.work.size(); s++) {
            NestedStage inside = from.work[s];
            reshape(in, from, outside, nest.nest, inside.work.func, inside.work.dims, inside.nest);
            inside.block_loops = inside.nest.shared > 0 ? outside.loops.size() : 0;
            g.work.push_back(inside);
        }
    }

    /** Of the first `count` loops of the root's old nest, those that the loops outside replace. */
    static int replaced(const StageNest &old, const Outside &outside, int count) {
        int n = 0;
        // Every dim has one loop before the tile's.
        for (size_t l = 0; l < old.nest.loops.size() && l < old.dims.size() && static_cast<int>(l) < count; l++) {
            n += outside.gone[static_cast<size_t>(old.nest.loops[l].dim)] ? 1 : 0;
        }
        return n;
    }

    static int shared_loops(const Group &g, FuncId f) {
        for (const StageNest &s : g.nests) {
            if (s.func == f) {
                return s.nest.shared;
            }
        }
        return 0;
    }

    /** Whether `f` is a copy of something that the block computes. */
    bool copies_member(const Group &from, FuncId f) const {
        return std::any_of(from.added.begin(), from.added.end(), [&](const Added &a) { return a.kind == Added::Kind::pack && a.id == f && is_member(a.of); });
    }

    /** Computes it in the block, in a buffer that is allocated once for all the blocks of a task. (A packed copy of what the block computes lives there
     *  too; of anything else, it is made once, at Root.) */
    static void in_loops_outside(FuncId writer, const Outside &outside, Computed &c) {
        c.consumer = writer;
        c.loop = static_cast<int>(outside.loops.size()) - 1;
        const bool own_task = outside.loops.back().kind == Loop::Kind::parallel;
        for (int l = 0; l < c.loop && !own_task && outside.loops[static_cast<size_t>(l)].kind == Loop::Kind::parallel; l++) {
            c.hoisted = l;
        }
    }

    /** A nest inside the root's tile: the loops that it shares with the root are the new ones. */
    void reshape(const Inside &in, const Group &from, const Outside &outside, const Nest &root, FuncId f, std::vector<Dim> &dims, Nest &nest) const {
        if (nest.shared == 0 && !copies_member(from, f)) {
            if (f == q_.root) {
                dims = root_.dims;  // a pass over the whole output
            }
            return;
        }
        const StageNest &old = from.nests.front();
        std::vector<Loop> loops = around(in, origin(from, f), outside, dims, root);
        for (size_t l = 0; l < nest.loops.size(); l++) {
            const bool copied = static_cast<int>(l) < nest.shared && l < old.dims.size();
            if (!copied || !outside.gone[static_cast<size_t>(old.nest.loops[l].dim)]) {
                loops.push_back(nest.loops[l]);
            }
        }
        nest.shared += static_cast<int>(outside.loops.size()) - replaced(old, outside, nest.shared);
        nest.loops = loops;
    }

    /** The Func of the algorithm that `f` stands for. */
    static FuncId origin(const Group &g, FuncId f) {
        for (size_t again = 0; again < g.added.size(); again++) {
            for (const Added &a : g.added) {
                f = a.id == f ? a.of : f;
            }
        }
        return f;
    }

    void put_member(const Inside &in, const Group &from, FuncId writer, const Outside &outside, Group &g) const {
        append(g, from);
        const Nest root = g.nests.front().nest;
        const int more = static_cast<int>(outside.loops.size());
        for (Computed c : from.computed) {
            const bool outermost = c.consumer < 0;
            if (!outermost) {
                c.loop += more;
            } else if (!stays_outside(from, c.func)) {
                in_loops_outside(writer, outside, c);
            }
            g.computed.push_back(c);
        }
        for (StageNest s : from.nests) {
            if (s.nest.shared > 0 || !stays_outside(from, s.func)) {
                const std::vector<Loop> loops = around(in, origin(from, s.func), outside, s.dims, root);
                s.nest.loops.insert(s.nest.loops.begin(), loops.begin(), loops.end());
                s.nest.shared += more;
            }
            g.nests.push_back(s);
        }
        for (NestedStage s : from.work) {
            if (s.nest.shared > 0 || !stays_outside(from, s.work.func)) {
                const std::vector<Loop> loops = around(in, origin(from, s.work.func), outside, s.work.dims, root);
                s.nest.loops.insert(s.nest.loops.begin(), loops.begin(), loops.end());
                s.nest.shared += more;
                s.block_loops = outside.loops.size();
            }
            g.work.push_back(s);
        }
    }

    /** The sizes from which on every split of the root's loops is whole; none when one of them cannot be tested. */
    static std::vector<Condition> whole(const StageNest &s, const Nest &old, const Outside &outside) {
        const bool cut = std::any_of(outside.loops.begin(), outside.loops.end(), [](const Loop &l) { return l.size > 1 && l.kind != Loop::Kind::parallel; }) ||
                         outside.loops.back().size > 1;
        if (old.whole.empty() && !cut) {
            return {};
        }
        std::vector<int64_t> needed(s.dims.size(), 1);
        for (size_t l = 0; l < s.nest.loops.size(); l++) {
            const Loop &loop = s.nest.loops[l];
            const bool constant = loop.kind == Loop::Kind::vector || loop.kind == Loop::Kind::unroll;
            int64_t &n = needed[static_cast<size_t>(loop.dim)];
            n = std::max({n, loop.size, constant ? trips(s.nest, l, s.dims) * loop.size : 1});
        }
        std::vector<Condition> conditions;
        for (size_t d = 0; d < needed.size(); d++) {
            if (needed[d] > 1) {
                if (!s.dims[d].at_least) {
                    return {};
                }
                conditions.push_back(whole_tiles(s.dims[d], needed[d]));
            }
        }
        return conditions;
    }
};

}  // namespace

std::optional<Group> block(const GroupRequest &q) {
    return Search(q).run();
}

}  // namespace eutectic
