// c(j, i) += a(k, i) * b(j, k), k long
//   →   blocks of c; inside a block, k in chunks (rfactor); inside a chunk, register tiles whose
//   accumulators run over the chunk and are
//       then added to the block. What a column of tiles reads of b in a chunk is packed once for all of them,
//       where its rows lie apart and that costs less, or where its columns do.
//
// The chunk of b that a column of tiles reads again and again stays in cache; a whole column of a long k
// would not. The register tile is the one that register_tile chose. A sum over several variables (the
// gradient of a convolution's weights: columns, rows and images) has its chunks along one of them; each point
// of those outside it has chunks of its own, and a chunk goes over all of those inside. Dims beside the
// tile's two (the window) are outside the chunks, or inside where all that they read is then read once. Sums
// are formed chunk by chunk, hence the grade. What rows of tiles are multiplied by is copied for a chunk of a
// block where neighbours along rows lie side by side, and terms therefore apart (a transposed operand: 512^3
// on two cores of AMD Zen 3 in 1.63 ms instead of 2.45, at a pitch of 2 KiB; torch takes 1.60).
//
// Nothing is prefetched. Halide (21) finds that what a loop inside a chunk will read next is already read by
// the loops around it, and drops the directive; of copies, where it keeps it, 1024^3 takes 1.2 times as long.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "fusion/policies/cpu/chunk_loops.h"

namespace eutectic {

namespace {

class Search {
public:
    Search(const GroupRequest &q, ChunkedTile tile) : q_(q), loops_(q, std::move(tile)) {
    }

    /** Of a block of a few tiles and the smallest chunks; infinite where there is none. */
    Seconds sample() const {
        const int64_t chunk = 128;  // the first of those that run() tries, inside the innermost dim
        const DimId cut = loops_.first_summed();
        for (const int64_t tiles : {4, 2, 1}) {
            const int64_t rows = tile().rows * tiles, columns = tile().columns() * tiles;
            if (rows <= loops_.base().write.dims[tile().row_dim].extent &&
                columns <= loops_.base().write.dims[0].extent) {
                return build({rows, columns, cut, std::min(chunk, loops_.base().update.dims[cut].extent),
                              false, true, q_.machine.cores > 1 ? 2 : 0, false,
                              !loops_.base().multipliers.empty()})
                    .cost.total();
            }
        }
        return std::numeric_limits<double>::infinity();
    }

    std::optional<Group> run() {
        const bool others = loops_.base().write.dims.size() > 2;
        const bool in_rows = any_in_rows(loops_.base().operands),
                   multiplied = !loops_.base().multipliers.empty();
        int64_t inside = 1;  // terms of all reduction dims inside the one that is cut
        for (DimId cut = loops_.first_summed(); cut < loops_.base().update.dims.next_id(); cut++) {
            for (const bool others_inside : others ? Flags{false, true} : Flags{false}) {
                for (const bool multipliers : multiplied ? Flags{false, true} : Flags{false}) {
                    for (const bool rows : in_rows ? Flags{false, true} : Flags{false}) {
                        try_sizes({0, 0, cut, 0, others_inside, true, q_.machine.cores > 1 ? 2 : 0, rows,
                                   multipliers},
                                  inside);
                    }
                }
            }
            inside *= loops_.base().update.dims[cut].extent;
        }
        // What moves into and out of the caches follows from the sizes far more than from the order of the
        // loops: only the best sizes are tried in all orders.
        const size_t kept = std::min(sizes_.size(), most_sizes);
        std::partial_sort(sizes_.begin(), sizes_.begin() + static_cast<std::ptrdiff_t>(kept), sizes_.end(),
                          [](const auto &a, const auto &b) { return a.first < b.first; });
        sizes_.resize(kept);
        for (const auto &[seconds, blocks] : sizes_) {
            try_orders(blocks);
        }
        return best_;
    }

private:
    const GroupRequest &q_;
    ChunkLoops loops_;
    std::vector<std::pair<Seconds, ChunkBlocks>> sizes_;  // with their price in one order of the loops
    std::optional<Group> best_;

    /** Sizes (of tiles) that are tried in all orders. With twice as many no generator has another plan. */
    static constexpr size_t most_sizes = 12;

    const RegisterTile &tile() const {
        return loops_.base().tile;
    }

    using Flags = std::vector<bool>;

    /** Which of terms_tried, rows_tried and columns_tried. */
    using Sizes = std::array<size_t, 3>;
    // Powers of two up to 2048 terms, which of 64 columns of floats are half a MiB, half of a usual second
    // level; tiles of a block along each dim. What is tried, not what is decided: chosen, not measured.
    static constexpr std::array<int64_t, 5> terms_tried = {128, 256, 512, 1024, 2048};
    static constexpr std::array<int64_t, 8> rows_tried = {1, 2, 4, 8, 16, 32, 64, 128};
    static constexpr std::array<int64_t, 4> columns_tried = {1, 2, 4, 8};
    static constexpr Sizes most = {terms_tried.size(), rows_tried.size(), columns_tried.size()};

    /** `blocks` of those sizes; nothing where there is less to be cut. */
    std::optional<ChunkBlocks> sized(ChunkBlocks blocks, int64_t inside, const Sizes &sizes) const {
        const Dims &dims = loops_.base().write.dims;
        const int64_t row_tiles = rows_tried[sizes[1]], column_tiles = columns_tried[sizes[2]];
        const int64_t most_rows = dims[tile().row_dim].extent, most_columns = dims[0].extent;
        blocks.chunk = terms_tried[sizes[0]] / inside;
        if (blocks.chunk < 1 || 2 * blocks.chunk > loops_.base().update.dims[blocks.cut].extent ||
            tile().rows * row_tiles > most_rows || tile().columns() * column_tiles > most_columns ||
            (blocks.packs_rows && row_tiles == 1) || (blocks.packs_multipliers && column_tiles == 1)) {
            return std::nullopt;
        }
        blocks.rows = evenly(most_rows, tile().rows, row_tiles);
        blocks.columns = evenly(most_columns, tile().columns(), column_tiles);
        return blocks;
    }

    /** All sizes where a family of processors is to choose from them; otherwise from one to the next, as long
     * as there is a better one beside it. */
    void try_sizes(const ChunkBlocks &blocks, int64_t inside) {
        std::map<Sizes, Seconds> tried;
        const auto seconds_of = [&](const Sizes &sizes) {
            const auto known = tried.find(sizes);
            if (known != tried.end()) {
                return known->second;
            }
            const std::optional<ChunkBlocks> of = sized(blocks, inside, sizes);
            return tried[sizes] = of ? try_size(*of) : std::numeric_limits<Seconds>::infinity();
        };
        std::optional<Sizes> at;
        for (Sizes s = {0, 0, 0}; s[0] < most[0]; s[0]++) {
            for (s[1] = 0; s[1] < most[1]; s[1]++) {
                for (s[2] = 0; s[2] < most[2]; s[2]++) {
                    if (q_.considered) {
                        seconds_of(s);
                    } else if (sized(blocks, inside, s) && (!at || is_nearer(s, *at))) {
                        at = s;
                    }
                }
            }
        }
        while (at) {
            const Sizes from = *at;
            at.reset();
            for (size_t i = 0; i < from.size(); i++) {
                for (const bool up : {false, true}) {
                    Sizes beside = from;
                    beside[i] += up ? 1 : -1;  // of 0 beyond the end, too
                    if (beside[i] < most[i] && seconds_of(beside) < seconds_of(at ? *at : from)) {
                        at = beside;
                    }
                }
            }
        }
    }

    /** Than `b`, to where the climb begins: the middle of all sizes. */
    static bool is_nearer(const Sizes &a, const Sizes &b) {
        const auto distance = [](const Sizes &s) {
            size_t sum = 0;
            for (size_t i = 0; i < s.size(); i++) {
                sum += s[i] < most[i] / 2 ? most[i] / 2 - s[i] : s[i] - most[i] / 2;
            }
            return sum;
        };
        return distance(a) < distance(b);
    }

    /** Points of a block of at most so many tiles: as few as as many blocks need for all points. The last of
     * them is moved inwards, and computes again what the one before it has. */
    static int64_t evenly(int64_t points, int64_t tile, int64_t most_tiles) {
        const int64_t blocks = (points + tile * most_tiles - 1) / (tile * most_tiles);
        return ((points + blocks - 1) / blocks + tile - 1) / tile * tile;
    }

    Seconds try_size(const ChunkBlocks &blocks) {
        const Seconds seconds = build(blocks).cost.total();
        if (std::isfinite(seconds)) {
            sizes_.emplace_back(seconds, blocks);
        }
        return seconds;
    }

    /** What is climbed along has prices, however high. */
    Group build(const ChunkBlocks &blocks) const {
        const bool any = q_.considered || !best_;
        return loops_.group(blocks, any ? std::numeric_limits<Seconds>::infinity()
                                        : std::min(q_.limit, best_->cost.total()));
    }

    void try_orders(ChunkBlocks blocks) {
        for (const bool columns_outside : {true, false}) {
            for (const int parallel_loops :
                 q_.machine.cores > 1 ? std::vector<int>{1, 2} : std::vector<int>{0}) {
                blocks.columns_outside = columns_outside;
                blocks.parallel_loops = parallel_loops;
                Group group = build(blocks);
                if (in_pinned_loops(q_.pins, group)) {
                    q_.consider(group);
                    best_ = cheaper(std::move(best_), std::move(group));
                }
            }
        }
    }
};

}  // namespace

std::optional<Group> cache_block(const GroupRequest &q, const std::vector<Tiled> &tiles) {
    std::optional<Search> best;
    Seconds least = 0;
    for (const Tiled &tiled : tiles) {
        std::optional<ChunkedTile> tile = chunked_tile(q, tiled);
        if (!tile) {
            continue;
        }
        Search search(q, std::move(*tile));
        const Seconds seconds = tiles.size() > 1 ? search.sample() : 0;
        if (!best || seconds < least) {
            best.emplace(std::move(search));
            least = seconds;
        }
    }
    return best ? best->run() : std::nullopt;
}

}  // namespace eutectic
