// y(i, j) = f(x(j, i), ...)   →   tiles of a few rows by a vector: what a vector gathers are as many lines
// of x as it has lanes, and the rows beside it read the rest of them before they leave the first level.

#include "fusion/policies/cpu/transposed.h"

#include <algorithm>
#include <limits>

#include "cost/innermost_block.h"
#include "fusion/policies/cpu/register_tile_pack.h"

namespace eutectic {

namespace {

/** Rows along `dim` that read of one line what a vector along dim 0 reads of many; 1 where there is no such
 * load. */
int64_t rows_of_line(const StageWork &work, DimId dim, double line) {
    int64_t rows = 1;
    for (const Load &load : work.loads) {
        const double of_lane = bytes_apart(load, 0), of_row = bytes_apart(load, dim);
        if (load.access.affine() && of_lane >= line && of_row > 0 && of_row < line) {
            rows = std::max(rows, static_cast<int64_t>(line / of_row));
        }
    }
    return std::min(rows, work.dims[dim].extent);
}

}  // namespace

std::optional<Nest> with_inside(const Nest &nest, DimId dim, int64_t points) {
    int64_t around = std::numeric_limits<int64_t>::max();  // points that loops over chunks of `dim` leave
    for (size_t l = 0; l < nest.loops.size(); l++) {
        const Loop loop = nest.loops[l];
        if (loop.dim != dim) {
            continue;
        }
        if (loop.size > 1 || loop.kind != Loop::Kind::serial) {
            around = loop.size;
            continue;
        }
        Nest result = nest;
        result.loops.remove(l);
        if (points > 0 && points < around) {
            Loop tile = loop;
            tile.size = points;
            result.loops.insert(l, tile);
        }
        result.loops.insert(result.loops.size() - 1, loop);
        return result;
    }
    return std::nullopt;
}

bool reads_across_rows(const StageWork &work, const Machine &machine) {
    bool across = false;
    for (DimId d = 1; d < work.dims.next_id(); d++) {
        across = across || rows_of_line(work, d, static_cast<double>(machine.line_bytes)) > 1;
    }
    return across;
}

std::vector<Nest> with_rows_inside(const StageWork &work, const Nest &nest, const Machine &machine) {
    std::vector<Nest> nests;
    for (DimId d = 1; d < work.dims.next_id(); d++) {
        const int64_t rows = rows_of_line(work, d, static_cast<double>(machine.line_bytes));
        const std::optional<Nest> tiled =
            rows > 1 ? with_inside(nest, d, rows < work.dims[d].extent ? rows : 0) : std::nullopt;
        if (tiled) {
            nests.push_back(*tiled);
        }
    }
    return nests;
}

bool copy_turned(const GroupRequest &request, const Nest &nest, int64_t lanes, SharedWork &work, Group &g) {
    const int loop = vector_step(nest);
    if (loop < 0 || vector_dim(nest) != 0) {
        return false;
    }
    const size_t around = static_cast<size_t>(loop) + 1;
    PackPlace place{LoopRef{request.root, -1, loop},
                    {},
                    tile_inside(nest, around, work->dims),
                    work->dims.size(),
                    around};
    bool rows_inside = false;
    for (const DimId d : work->dims.ids()) {
        place.host.push_back(d);
        rows_inside = rows_inside || (d > 0 && place.points[d] > 1);
    }
    std::vector<PackableOperand> operands = packable_operands(request.graph, *work, 0, -1);
    const auto stays = [&](const PackableOperand &o) {
        return o.along == 0 || in_panels(request, work->loads[o.load].producer);
    };
    operands.erase(std::remove_if(operands.begin(), operands.end(), stays), operands.end());
    if (!rows_inside || operands.empty()) {
        return false;
    }
    RegisterTile tile;
    tile.lanes = lanes;
    pack_operands(request, operands, tile, request.root, place, work, g);
    return true;
}

std::vector<Nest> with_lanes_kept(const StageWork &work, const Nest &nest) {
    const auto keeps = [&](DimId d) {
        return std::any_of(work.loads.begin(), work.loads.end(), [&](const Load &l) {
            return l.access.depends_on(0) && !contiguous_along(l, 0) && !l.access.depends_on(d);
        });
    };
    std::vector<Nest> nests;
    Nest all = nest;
    int inside = 0;
    for (const DimId d : work.dims.reversed_ids()) {
        if (d == 0 || work.dims[d].extent == 1 || !keeps(d)) {
            continue;
        }
        if (const std::optional<Nest> one = with_inside(nest, d, 0)) {
            nests.push_back(*one);
            all = *with_inside(all, d, 0);
            inside++;
        }
    }
    if (inside > 1) {
        nests.push_back(all);
    }
    return nests;
}

}  // namespace eutectic
