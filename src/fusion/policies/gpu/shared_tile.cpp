// c(j, i) += a(k, i) * b(j, k);  y(j, i) = f(c(j, i))   →   blocks of threads over tiles of y, and a few rows
// and columns of c in registers for each thread, as gpu_contraction has them; but the threads of a block go
// over k in steps: together they copy what a step needs of a and b to shared memory (Func::in), with what is
// computed on the way there, then each multiplies what it needs.
//
// An operand is copied when it changes along k and is the same for all rows, or all columns, of the tile. Its
// copy lies along the other dim, so that a thread reads four neighbours at once.
//
// What is on the way there may need values of the tile's rows, a maximum or a sum: m(i) = max over k of x(k,
// i);  a(k, i) = g(x(k, i), m(i)). The block's threads compute them first, in shared memory.

#include <algorithm>

#include "fusion/policies/gpu/gpu.h"

namespace eutectic {

namespace {

using Kind = Loop::Kind;

constexpr int64_t together = 4;      // floats that a thread reads at once: 128 bits; also their bytes
constexpr int64_t unrolled_k = 8;    // points of k in the code of a step's innermost loop
constexpr int64_t most_copied = 32;  // values that a thread copies in a step, at once
constexpr int most_operands = 4;     // of a sum, by added_id()

struct Tile {
    int64_t x = 1, y = 1;           ///< threads of a block along the columns (dim 0) and the rows (dim 1)
    int64_t columns = 1, rows = 1;  ///< of a thread
    int64_t step = 1;               ///< points of k that are in shared memory at once
};

/** What is copied of one Func. */
struct Operand {
    FuncId func = -1, made = -1;
    bool inlined = false;
    Access access;                 ///< of the reduction
    std::vector<int> dims;         ///< of the reduction, for each dim of the Func
    std::vector<int64_t> extents;  ///< of the Func
    int bytes_per_point = 4;
    int along_k = 0, along = 0;  ///< the Func's dims that k and the tile go along
    bool turned = false;         ///< the copy lies the other way round than the Func does
};

class Search {
public:
    explicit Search(const GroupRequest &q)
        : q_(q),
          info_(q.graph.funcs[static_cast<size_t>(q.root)]),
          made_(info_.stages.size() > 1),
          sum_(made_ ? q.root : q.tiled.front()),
          inlined_(q.inlined) {
        const std::vector<Dim> &dims = q.graph.pure_stage(q.root).dims;
        dims_.assign(dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(info_.extents.size()));
    }

    std::optional<Group> run() {
        for (const auto read : {&Search::read_sum, &Search::read_operands, &Search::read_rows}) {
            if (const Verdict suits = (this->*read)(); !suits) {
                return refuse(suits.reason());
            }
        }
        for (const auto &[x, y] :
             std::vector<std::pair<int64_t, int64_t>>{{32, 8}, {16, 16}, {32, 4}, {16, 8}, {8, 8}, {8, 16}}) {
            for (const int64_t rows :
                 {16, 8, 4, 2}) {  // of one, Halide would have inputs as long as whole tiles, wherever what
                                   // the tile's rows need is computed
                for (const int64_t step : {16, 32, 8, 64}) {
                    const Tile t{
                        x, y, together, rows,
                        step};  // with more columns, threads beside each other would read from the same banks
                    if (x * t.columns <= dims_[0].extent && y * rows <= dims_[1].extent &&
                        step <= work_.dims.back().extent && fits(t)) {
                        best_ = cheaper(std::move(best_), build(t));
                    }
                }
            }
        }
        const Tile least{8, 8, together, 2, 8};
        return best_ ? best_
                     : refuse(!no_rows_.empty()
                                  ? no_rows_
                                  : "has tiles of at least " + count(least.x * least.columns) + " columns, " +
                                        count(least.y * least.rows) + " rows and " + count(least.step) +
                                        " terms at once, of " + count(dims_[0].extent) + " columns, " +
                                        count(dims_[1].extent) + " rows and " +
                                        count(work_.dims.back().extent) + " terms");
    }

private:
    const GroupRequest &q_;
    const FuncInfo &info_;
    bool made_;  // the writer is a Func that the plan adds, or the root without its reduction
    FuncId sum_;
    std::vector<bool> inlined_;  // but for the operands
    std::vector<Dim> dims_;      // of the writer
    StageWork written_, work_;   // the writer; the reduction's update
    std::vector<int> map_;       // dim of the writer → of the reduction
    std::vector<Operand> operands_;
    std::optional<Blocks> blocks_;      // where values of rows are computed, too
    std::map<int64_t, Inside> inside_;  // by the rows of a tile
    std::string no_rows_;               // why a tile's rows have no values
    std::optional<Group> best_;

    static std::string count(int64_t n) {
        return std::to_string(n);
    }

    std::optional<Group> refuse(const std::string &reason) const {
        if (q_.refused) {
            q_.refused->push_back("gpu_shared_tile " + reason);
        }
        return std::nullopt;
    }

    /** One sum over one dim, of a tile whose size can be tested at run time. */
    Verdict read_sum() {
        const FuncInfo &f = q_.graph.funcs[static_cast<size_t>(sum_)];
        const size_t over = q_.graph.last_stage(sum_).dims.size() - f.extents.size();
        if (dims_.size() < 2 || dims_.size() > exact_blocks_of_tiles) {
            return Verdict::forbid("has tiles of two dims, and blocks for at most " +
                                   count(exact_blocks_of_tiles - 2) + " more: " + f.name + " has " +
                                   count(static_cast<int64_t>(dims_.size())));
        }
        if (!dims_[0].at_least || !dims_[1].at_least) {
            return Verdict::forbid("has whole tiles where a buffer of the caller's says so, and none is as "
                                   "long as the rows or columns of " +
                                   info_.name);
        }
        if (f.element_bytes != together || over != 1) {
            return Verdict::forbid("adds up values of 4 bytes along one dim: those of " + f.name + " have " +
                                   count(f.element_bytes) + " and go along " +
                                   count(static_cast<int64_t>(over)));
        }
        written_ = stage_work(q_.graph, info_.stages.front(), q_.inlined);
        map_ = made_ ? std::vector<int>() : dims_in_producer(written_, sum_);
        for (size_t d = 0; made_ && d < dims_.size(); d++) {
            map_.push_back(static_cast<int>(d));
        }
        // Of a sum that is chosen by where it is (a mask), a block may need less than its tile, and threads
        // would no longer agree on whose point is whose.
        if (!made_ && chosen(written_, sum_)) {
            return Verdict::forbid("adds up whole tiles, and " + info_.name +
                                   " chooses by its coordinates which points of " + f.name + " it needs");
        }
        const bool mapped = map_.size() == dims_.size() &&
                            std::all_of(map_.begin(), map_.end(), [](int d) { return d >= 0; });
        return mapped ? Verdict::allow()
                      : Verdict::forbid("needs " + f.name + " at the coordinates of " + info_.name);
    }

    Verdict read_operands() {
        const Stage &update = q_.graph.last_stage(sum_);
        const int k = static_cast<int>(update.dims.size()) - 1;
        for (const int e : update.edges) {
            const Edge &edge = q_.graph.edges[static_cast<size_t>(e)];
            if (edge.producer == sum_) {
                continue;
            }
            const auto reads = std::count_if(update.edges.begin(), update.edges.end(), [&](int o) {
                return q_.graph.edges[static_cast<size_t>(o)].producer == edge.producer;
            });
            std::optional<Operand> operand = operand_of(edge, k);
            if (operand && reads == 1) {
                inlined_[static_cast<size_t>(edge.producer)] = false;
                operand->made = added_id(q_.graph.funcs.size(), sum_, Added::Kind::pack,
                                         static_cast<int>(operands_.size()));
                operands_.push_back(*operand);
            }
        }
        if (operands_.empty() || operands_.size() > most_operands) {
            return Verdict::forbid(
                "copies 1 to " + count(most_operands) +
                " operands that change along the sum and with either rows or columns, and finds " +
                count(static_cast<int64_t>(operands_.size())));
        }
        work_ = stage_work(q_.graph, q_.graph.funcs[static_cast<size_t>(sum_)].stages.back(), inlined_);
        for (const Operand &o : operands_) {
            const auto loads = std::count_if(work_.loads.begin(), work_.loads.end(),
                                             [&](const Load &l) { return l.producer == o.func; });
            if (loads != 1) {
                return Verdict::forbid(
                    "copies what the sum reads once: " + q_.graph.funcs[static_cast<size_t>(o.func)].name +
                    " is read by something inlined, too");
            }
            for (Load &load : work_.loads) {
                if (load.producer == o.func) {
                    load.producer = o.made;
                    std::swap(
                        load.access.indices[0],
                        load.access.indices[static_cast<size_t>(o.along)]);  // as it lies in shared memory
                    std::swap(load.extents[0], load.extents[static_cast<size_t>(o.along)]);
                }
            }
        }
        return Verdict::allow();
    }

    /** What is computed in the block beside the sum has one value for each row, and no tiles of its own. */
    Verdict read_rows() {
        if (q_.blocked.empty()) {
            return Verdict::allow();
        }
        blocks_.emplace(q_);
        const Inside inside = extents_inside(*blocks_, 1, 1);
        const auto of_rows = [&](FuncId f) {
            const auto at = inside.computed.find(f);
            return at != inside.computed.end() && at->second.position[0] < 0 &&
                   placed_in(q_.placements, Placement::Kind::at, f).empty();
        };
        const auto other = std::find_if_not(q_.blocked.begin(), q_.blocked.end(), of_rows);
        return other == q_.blocked.end() ? Verdict::allow()
                                         : Verdict::forbid("computes one value for each row beside a sum: " +
                                                           q_.graph.funcs[static_cast<size_t>(*other)].name +
                                                           " has more, or tiles of its own");
    }

    /** Adds the values of a tile's rows: false where a block has no room for them. */
    bool add_rows(const Tile &t, const Nest &nest, FuncId writer, Group &g, GpuKernel &kernel) {
        std::vector<Loop> around(nest.loops.begin(),
                                 nest.loops.begin() + static_cast<std::ptrdiff_t>(dims_.size()));
        for (size_t l = 0; l < around.size(); l++) {
            around[l].count = trips(nest, l, dims_);
        }
        auto inside = inside_.find(t.y * t.rows);
        if (inside == inside_.end()) {
            inside = inside_.emplace(t.y * t.rows, extents_inside(*blocks_, 1, t.y * t.rows)).first;
        }
        const InBlock in_block(*blocks_, inside->second, {t.y, t.x, t.rows}, 1, around, writer);
        for (const FuncId f : q_.blocked) {
            if (const Verdict fits = in_block.add(f, f, g, kernel); !fits) {
                no_rows_ = fits.reason();
                return false;
            }
        }
        return true;
    }

    /** Does it take the values of k, in blocks from wherever they begin? */
    bool runs_along(const Index &index, int k) const {
        return index.exact && index.scale[static_cast<size_t>(k)] == 1 && !index.depends_on(map_[0]) &&
               !index.depends_on(map_[1]);
    }

    std::optional<Operand> operand_of(const Edge &edge, int k) const {
        const FuncInfo &f = q_.graph.funcs[static_cast<size_t>(edge.producer)];
        Operand o{edge.producer,    -1, q_.inlined[static_cast<size_t>(edge.producer)],
                  edge.access,      {}, f.extents,
                  f.bytes_per_point};
        int tiled = 0;
        o.along_k = -1;
        for (size_t i = 0; i < edge.access.indices.size(); i++) {
            const int d = runs_along(edge.access.indices[i], k) ? k : edge.access.indices[i].equals_dim();
            if (d < 0 || std::count(o.dims.begin(), o.dims.end(), d) > 0) {
                return std::nullopt;
            }
            o.dims.push_back(d);
            o.along_k = d == k ? static_cast<int>(i) : o.along_k;
            if (d == map_[0] || d == map_[1]) {
                o.along = static_cast<int>(i);
                tiled++;
            }
        }
        if (o.along_k < 0 || tiled != 1 || f.tuple_size != 1 || f.element_bytes != together) {
            return std::nullopt;
        }
        o.turned = o.along_k < o.along;
        return o;
    }

    bool is_row(const Operand &o) const {
        return o.dims[static_cast<size_t>(o.along)] == map_[1];
    }
    int64_t tile_along(const Operand &o, const Tile &t) const {
        return is_row(o) ? t.y * t.rows : t.x * t.columns;
    }
    /** A copy that is turned is written across its rows: four more points in each spread them over the banks,
     * and keep four neighbours aligned. */
    int64_t pitch(const Operand &o, const Tile &t) const {
        return tile_along(o, t) + (o.turned ? together : 0);
    }

    bool fits(const Tile &t) const {
        Bytes bytes = 0;
        bool copied = true;
        for (const Operand &o : operands_) {
            bytes += pitch(o, t) * t.step * o.bytes_per_point;
            copied = copied && ceil_of(tile_along(o, t), o.turned ? t.y : t.x) *
                                       ceil_of(t.step, o.turned ? t.x : t.y) <=
                                   most_copied;
        }
        return copied && bytes <= q_.machine.gpu->shared_bytes_per_block && t.rows * t.columns <= 64 &&
               t.x * t.y >= q_.machine.gpu->warp_size;
    }

    static int64_t ceil_of(int64_t n, int64_t d) {
        return (n + d - 1) / d;
    }

    Nest writer_nest(const Tile &t) const {
        Nest nest;
        for (int d = static_cast<int>(dims_.size()) - 1; d > 1; d--) {
            nest.loops.push_back({d, 1, Kind::gpu_block});
        }
        nest.loops.push_back({1, t.y * t.rows, Kind::gpu_block});
        nest.loops.push_back({0, t.x * t.columns, Kind::gpu_block});
        push_tile(nest, t, 1, 0);
        push_points(nest, t, 1, 0);
        nest.whole = whole_tiles_of(t);
        return nest;
    }
    std::vector<Condition> whole_tiles_of(const Tile &t) const {
        return {whole_tiles(dims_[0], t.x * t.columns), whole_tiles(dims_[1], t.y * t.rows)};
    }

    static void push_tile(Nest &nest, const Tile &t, int row, int column) {
        nest.loops.push_back({row, t.rows, Kind::gpu_thread});
        nest.loops.push_back({column, t.columns, Kind::gpu_thread});
    }
    static void push_points(Nest &nest, const Tile &t, int row, int column) {
        if (t.rows > 1) {
            nest.loops.push_back({row, 1, Kind::unroll});
        }
        nest.loops.push_back({column, 1, Kind::unroll});
    }

    /** Dims of what a block computes: as long, at every size, as its loops say. */
    static std::vector<Dim> in_block(std::vector<Dim> dims) {
        for (Dim &d : dims) {
            d.constant = d.constant || !d.reduction;
        }
        return dims;
    }

    std::optional<Group> build(const Tile &t) {
        Group g;
        g.root = q_.root;
        g.policy = "gpu_shared_tile";
        FuncId writer = q_.root;
        const StageWork written = made_ ? add_writer(q_, writer, g) : written_;
        const FuncId sum = made_ ? written.loads.back().producer : sum_;
        const Nest nest = writer_nest(t);
        g.computed.push_back({writer, -1, -1, 0, {}});
        g.nests.push_back({writer, -1, dims_, nest});
        g.computed.push_back({sum, writer, -1, static_cast<int>(dims_.size()) - 1, {}});
        g.computed.back().allocated.assign(dims_.size(), 1);
        g.computed.back().allocated[static_cast<size_t>(map_[0])] = t.x * t.columns;
        g.computed.back().allocated[static_cast<size_t>(map_[1])] = t.y * t.rows;
        g.computed.back().by_threads = true;
        GpuKernel kernel;
        if (blocks_ && !add_rows(t, nest, writer, g, kernel)) {
            return std::nullopt;
        }
        const Nest update = add_sum(sum, loops_around(nest, dims_, dims_.size(), map_), t, g);
        for (const Operand &o : operands_) {
            add_copy(o, sum, update, t, g, kernel);
        }
        if (kernel.shared_bytes > q_.machine.gpu->shared_bytes_per_block) {
            return std::nullopt;
        }
        kernel.stages.push_back({work_, update, {}, true, true});
        for (const Operand &o : operands_) {
            kernel.stages.back().local.push_back(o.made);
            kernel.stages.back().in_shared.push_back(o.made);
            kernel.kept_values += static_cast<int>(is_row(o) ? t.rows : t.columns);
        }
        kernel.kept_values += static_cast<int>(t.rows * t.columns);
        kernel.stages.push_back({written, nest, {sum, sum_}, false, false});
        g.kernels.push_back(price_kernel(kernel, q_.machine));
        g.cost = g.kernels.back().cost;
        g.work = kernel.stages;
        return g;
    }

    /** c = 0, then c += a step's products; returns the loops of that. */
    Nest add_sum(FuncId sum, const Nest &around, const Tile &t, Group &g) const {
        Nest init = around, update = around;
        init.whole = update.whole =
            whole_tiles_of(t);  // the writer's: other code in its kernel for whole tiles
        push_tile(init, t, map_[1], map_[0]);
        push_points(init, t, map_[1], map_[0]);
        g.nests.push_back({sum, -1, in_block(q_.graph.pure_stage(sum_).dims), init});
        const int k = static_cast<int>(work_.dims.size()) - 1;
        update.loops.push_back({k, t.step, Kind::gpu_step});
        push_tile(update, t, map_[1], map_[0]);
        if (t.step > unrolled_k) {
            update.loops.push_back({k, unrolled_k, Kind::serial});
        }
        update.loops.push_back({k, 1, Kind::unroll});
        push_points(update, t, map_[1], map_[0]);
        g.nests.push_back({sum, work_.update, in_block(work_.dims), update});
        return update;
    }

    /** Neighbouring threads copy what neighbours in memory. */
    void add_copy(const Operand &o, FuncId sum, const Nest &update, const Tile &t, Group &g,
                  GpuKernel &kernel) const {
        g.added.push_back({Added::Kind::pack, o.made, o.func, sum, -1, 1, Grade::exact});
        const int step_loop = update.shared;
        StageWork work =
            o.inlined
                ? stage_work(q_.graph, q_.graph.funcs[static_cast<size_t>(o.func)].stages.front(), q_.inlined)
                : copy_work(o.made, {o.func, o.access, o.bytes_per_point, o.extents});
        work.func = o.made;
        work.dims[static_cast<size_t>(o.along_k)].extent = std::min(
            work.dims[static_cast<size_t>(o.along_k)].extent, work_.dims.back().extent);  // of a block
        std::vector<int> to_operand(work_.dims.size(), -1);
        for (size_t i = 0; i < o.dims.size(); i++) {
            to_operand[static_cast<size_t>(o.dims[i])] = static_cast<int>(i);
        }
        Nest nest = loops_around(update, work_.dims, static_cast<size_t>(step_loop) + 1, to_operand);
        const int first = std::min(o.along, o.along_k), second = std::max(o.along, o.along_k);
        const int64_t e0 = first == o.along ? tile_along(o, t) : t.step,
                      e1 = second == o.along ? tile_along(o, t) : t.step;
        if (e1 > t.y) {
            nest.loops.push_back({second, t.y, Kind::unroll});
        }
        if (e0 > t.x) {
            nest.loops.push_back({first, t.x, Kind::unroll});
        }
        nest.loops.push_back({second, 1, Kind::gpu_thread});
        nest.loops.push_back({first, 1, Kind::gpu_thread});
        g.nests.push_back({o.made, -1, work.dims, nest});

        Computed where{o.made, sum, work_.update, step_loop, {}};
        where.allocated.assign(o.dims.size(), 1);
        where.allocated[static_cast<size_t>(o.along)] = pitch(o, t);
        where.allocated[static_cast<size_t>(o.along_k)] = t.step;
        if (o.turned) {
            for (size_t i = 0; i < o.dims.size(); i++) {
                where.storage.push_back(static_cast<int>(i));
            }
            std::swap(where.storage[static_cast<size_t>(o.along)],
                      where.storage[static_cast<size_t>(o.along_k)]);
        }
        // In shared memory Halide gives the place of what is read for the last time in a turn of the steps to
        // what is made after it in that turn, and loses the values of rows for the next one.
        where.hoisted = q_.blocked.empty() ? -1 : static_cast<int>(dims_.size()) - 1;
        g.computed.push_back(where);
        kernel.shared_bytes += pitch(o, t) * t.step * o.bytes_per_point;
        kernel.stages.push_back({work, nest, q_.blocked, true, false});
        if (o.turned) {
            // Neighbouring threads store a pitch apart, which is 4 banks more than a whole number of rounds.
            const int64_t rounds = std::min<int64_t>(e0, t.x) * (pitch(o, t) % q_.machine.gpu->shared_banks) /
                                   q_.machine.gpu->shared_banks;
            kernel.stages.back().bank_conflicts = static_cast<double>(std::max<int64_t>(1, rounds));
        }
    }
};

}  // namespace

std::optional<Group> gpu_shared_tile(const GroupRequest &q) {
    const FuncInfo &info = q.graph.funcs[static_cast<size_t>(q.root)];
    const Role role = q.graph.last_stage(q.root).role;
    const bool reduction = info.stages.size() == 2 && info.tuple_size == 1 &&
                           (role == Role::reduction || role == Role::contraction);
    const bool tile = info.stages.size() == 1 && q.tiled.size() == 1;
    if (!(tile || (reduction && q.blocked.empty() && q.tiled.empty() && may_move(q.graph, q.root)))) {
        return std::nullopt;
    }
    return Search(q).run();
}

}  // namespace eutectic
