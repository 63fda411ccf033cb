#include "cost/nest.h"

#include <algorithm>
#include <sstream>

namespace eutectic {

Extents tile_inside(const Nest &nest, size_t at, const Dims &dims) {
    Extents tile;
    tile.reserve(dims.size());
    for (const Dim &d : dims) {
        tile.push_back(d.extent);
    }
    for (size_t l = 0; l < nest.loops.size(); l++) {
        const Loop &loop = nest.loops[l];
        if (l >= at) {
            if (loop.dim >= 0 && loop.count > 0) {
                tile[loop.dim] *= loop.count;  // the extents are those of one trip
            }
        } else if (loop.dim >= 0) {
            int64_t &t = tile[loop.dim];
            t = std::min(t, loop.size);
        }
    }
    return tile;
}

int64_t trips(const Nest &nest, size_t at, const Dims &dims) {
    const Loop &loop = nest.loops[at];
    if (loop.count > 0) {
        return loop.count;
    }
    int64_t points = dims[loop.dim].extent;
    for (size_t l = 0; l < at; l++) {
        points = nest.loops[l].dim == loop.dim ? std::min(points, nest.loops[l].size) : points;
    }
    return (points + loop.size - 1) / loop.size;
}

DimId vector_dim(const Nest &nest) {
    DimId dim = -1;
    for (const Loop &loop : nest.loops) {
        dim = loop.kind == Loop::Kind::vector ? loop.dim : dim;
    }
    return dim;
}

int vector_step(const Nest &nest) {
    const DimId dim = vector_dim(nest);
    int step = -1;
    for (size_t l = 0; dim >= 0 && l < nest.loops.size(); l++) {
        step = nest.loops[l].dim == dim && !is_unrolled(nest.loops[l].kind) ? static_cast<int>(l) : step;
    }
    return step;
}

Nest with_loops_as_defined(Nest nest, const Dims &dims) {
    if (static_cast<int>(nest.loops.size()) > nest.shared) {
        return nest;
    }
    const Extents left = tile_inside(nest, nest.loops.size(), dims);
    for (const bool reduction : {false, true}) {
        for (DimId d = dims.next_id(); d-- > 0;) {
            if (dims[d].reduction == reduction && left[d] > 1) {
                nest.loops.split(d, 1);
            }
        }
    }
    return nest;
}

std::string to_string(const Nest &nest) {
    std::ostringstream s;
    for (size_t l = 0; l < nest.loops.size(); l++) {
        const Loop &loop = nest.loops[l];
        s << (l ? ", " : "");
        if (static_cast<int>(l) < nest.shared) {
            s << "^";
        }
        s << "d" << loop.dim;
        if (loop.size != 1) {
            s << "/" << loop.size;
        }
        const char *const kinds[] = {"",       " parallel", " unroll", " vector",
                                     " block", " thread",   " lane",   " step"};
        const char *const tails[] = {"", " guarded", " fitted"};
        s << kinds[static_cast<int>(loop.kind)] << tails[static_cast<int>(loop.tail)]
          << (loop.partitioned ? "" : " unpartitioned") << (loop.only_whole ? " only whole" : "");
    }
    for (size_t c = 0; c < nest.whole.size(); c++) {
        const Condition &w = nest.whole[c];
        const char *const kinds[] = {">=", "==", " steps ", "%", " rows ", " aligned "};
        s << (c ? ", " : " | whole ") << w.buffer.func << "." << w.buffer.dim
          << kinds[static_cast<int>(w.kind)] << w.points;
        if (w.first != 0) {
            s << " from " << w.first;
        }
        if (w.inside) {
            s << " inside " << w.inside->func << "." << w.inside->dim;
        }
    }
    return s.str();
}

}  // namespace eutectic
