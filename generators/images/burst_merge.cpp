// Frames of a burst merged into the first: each is aligned tile by tile, from the coarsest level of a pyramid
// to the finest, and adds to a tile as much as it is like the first one there. 16 bits, one colour.

#include "generators/images/images.h"

using namespace Halide;

namespace eutectic::images {

namespace {

constexpr int tile = 16;         // pixels, at every level
constexpr int search = 4;        // pixels to either side of where the coarser level leads
constexpr int farthest = 64;     // pixels at the finest level: it bounds what is read
constexpr float similar = 8.0f;  // mean difference of a pixel that halves a tile's share

const Var tx("tx"), ty("ty"), dx("dx"), dy("dy");

/// Where each tile of a frame lies, against the reference's, in pixels of one level.
struct Offsets {
    Func in_x, in_y;
};

std::string part(const char *what, int frame, int level) {
    return what + std::to_string(frame) + "_" + std::to_string(level) + "_";
}

/// Of one level: the best of all moves by up to `search` pixels from where the coarser level leads.
Offsets aligned_level(Func reference, Func other, const Offsets *coarser, int frame, int level) {
    const int most = farthest >> level;
    const Expr from_x = coarser ? clamp(2 * coarser->in_x(tx / 2, ty / 2), -most, most) : 0;
    const Expr from_y = coarser ? clamp(2 * coarser->in_y(tx / 2, ty / 2), -most, most) : 0;
    const RDom pixel(0, tile, 0, tile), move(-search, 2 * search, -search, 2 * search);
    Func score(part("score", frame, level)), best(part("best", frame, level));
    const Expr px = tile * tx + pixel.x, py = tile * ty + pixel.y;
    score(dx, dy, tx, ty) += abs(reference(px, py) - other(px + from_x + dx, py + from_y + dy));
    best(tx, ty) = argmin(move, score(move.x, move.y, tx, ty), part("least", frame, level));
    Offsets offsets{Func(part("offset_x", frame, level)), Func(part("offset_y", frame, level))};
    offsets.in_x(tx, ty) = from_x + best(tx, ty)[0];
    offsets.in_y(tx, ty) = from_y + best(tx, ty)[1];
    return offsets;
}

/// The frame moved so that it lies on the reference.
Func moved(Func frame, const Offsets &offsets, int number) {
    Func out("moved" + std::to_string(number) + "_");
    const Expr from_x = clamp(offsets.in_x(x / tile, y / tile), -farthest, farthest);
    const Expr from_y = clamp(offsets.in_y(x / tile, y / tile), -farthest, farthest);
    out(x, y) = frame(x + from_x, y + from_y);
    return out;
}

/// A tile's share in the merge, at most 1: less, the more it differs.
Func share(Func reference, Func frame, int number) {
    const RDom pixel(0, tile, 0, tile);
    Func difference("difference" + std::to_string(number) + "_"), out("share" + std::to_string(number) + "_");
    const Expr px = tile * tx + pixel.x, py = tile * ty + pixel.y;
    difference(tx, ty) += abs(reference(px, py) - frame(px, py));
    out(tx, ty) = similar / (similar + difference(tx, ty) / static_cast<float>(tile * tile));
    return out;
}

}  // namespace

class BurstMerge : public Generator<BurstMerge> {
public:
    GeneratorParam<int> width{"width", 1024};
    GeneratorParam<int> height{"height", 1024};
    GeneratorParam<int> frames{"frames", 6, 2, 32};
    GeneratorParam<int> levels{"levels", 4, 1, 8};

    Input<Buffer<uint16_t, 3>> in{"in"};     // (columns, rows, frames)
    Output<Buffer<uint16_t, 2>> out{"out"};  // (columns, rows)

    void generate() {
        const Func burst = BoundaryConditions::repeat_edge(in);
        std::vector<std::vector<Func>> pyramids;
        for (int f = 0; f < frames; f++) {
            Func frame("frame" + std::to_string(f) + "_");
            frame(x, y) = cast<float>(burst(x, y, f));
            pyramids.push_back(gaussian_pyramid(frame, levels, "level" + std::to_string(f) + "_"));
        }
        const std::vector<Func> &reference = pyramids[0];
        Expr sum = reference[0](x, y), shares = 1.0f;
        for (int f = 1; f < frames; f++) {
            const std::vector<Func> &other = pyramids[f];
            Offsets offsets;
            for (int level = levels - 1; level >= 0; level--) {
                const auto l = static_cast<size_t>(level);
                offsets =
                    aligned_level(reference[l], other[l], level == levels - 1 ? nullptr : &offsets, f, level);
            }
            const Func frame = moved(other[0], offsets, f);
            const Func weight = share(reference[0], frame, f);
            sum = sum + weight(x / tile, y / tile) * frame(x, y);
            shares = shares + weight(x / tile, y / tile);
        }
        Func merged("merged");
        merged(x, y) = sum / shares;
        out(x, y) = cast<uint16_t>(clamp(merged(x, y), 0.0f, 65535.0f));

        in.set_estimates({{0, width}, {0, height}, {0, frames}});
        out.set_estimates({{0, width}, {0, height}});
    }
};

}  // namespace eutectic::images

HALIDE_REGISTER_GENERATOR(eutectic::images::BurstMerge, burst_merge)
