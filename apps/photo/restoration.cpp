#include "apps/photo/restoration.h"

namespace eutectic::photo {

using namespace Halide;

namespace {

const Var x("x"), y("y"), c("c"), k("k");

constexpr int luma = 1;  // its place among the planes; the others are red - luma and blue - luma

/// (1 4 6 4 1)/16 of points `step` apart, along both dims.
Func smoothed(const Func &f, int step, const std::string &name) {
    Func down(name + "_y"), along(name);
    const auto weighted = [](const Expr &centre, const Expr &near, const Expr &far) {
        return (6 * centre + 4 * near + far) / 16;
    };
    down(x, y) = weighted(f(x, y), f(x, y - step) + f(x, y + step), f(x, y - 2 * step) + f(x, y + 2 * step));
    along(x, y) = weighted(down(x, y), down(x - step, y) + down(x + step, y),
                           down(x - 2 * step, y) + down(x + 2 * step, y));
    return along;
}

/// A bilateral filter of 5 x 5 pixels (Tomasi and Manduchi, ICCV 1998), whose weights come from the
/// brightness in `guide`; of every plane as much as its strength says.
Func denoised(const Func &planes, const Func &guide, const Learned &learned) {
    const Type type = guide.type();
    Var i("i"), j("j");
    Func weight("weight"), total("total"), sums("sums"), result("denoised");
    const auto square = [](const Expr &e) { return e * e; };
    const Expr apart = cast(type, i * i + j * j) / 4 * square(learned.spread(0));
    const Expr unlike = square(8 * learned.spread(1) * (guide(x, y) - guide(x + i, y + j)));
    weight(x, y, i, j) = exp(-(apart + unlike));
    const RDom around(-2, 5, -2, 5, "around");
    const Expr share = weight(x, y, around.x, around.y);
    total(x, y) = cast(type, 0);
    total(x, y) += share;
    sums(x, y, c) = cast(type, 0);
    sums(x, y, c) += share * planes(x + around.x, y + around.y, c);
    result(x, y, c) = planes(x, y, c) + learned.strength(c) * (sums(x, y, c) / total(x, y) - planes(x, y, c));
    return result;
}

/// The luma of `planes`, with details of every scale added, small ones, which are mostly noise, less.
Func sharpened(const Func &planes, const Learned &learned) {
    Func level("level0_"), result("sharpened");
    level(x, y) = planes(x, y, luma);
    Expr sum = level(x, y);
    for (int scale = 0; scale < scales; scale++) {
        const Func next = smoothed(level, 1 << scale, "level" + std::to_string(scale + 1) + "_");
        const Expr detail = level(x, y) - next(x, y), half = learned.coring(scale) / 32;
        // Of no detail with no coring nothing is added.
        const Expr least = cast(planes.type(), 1e-9f);
        sum += learned.sharpen(scale) * detail * (detail * detail / (detail * detail + half * half + least));
        level = next;
    }
    result(x, y) = sum;
    return result;
}

/// The brightness around each pixel, of what is about as bright: a bilateral grid (Chen, Paris and Durand,
/// SIGGRAPH 2007) of cells of 8 x 8 pixels and an eighth of the range.
Func local_brightness(const Func &guide) {
    constexpr int cell = 8, steps = 8;
    const Type type = guide.type();
    Var z("z");
    Func bright("bright"), grid("grid");
    bright(x, y) = clamp(guide(x, y), cast(type, 0), cast(type, 1));
    const RDom r(0, cell, 0, cell, "in_cell");
    const Expr value = bright(x * cell + r.x - cell / 2, y * cell + r.y - cell / 2);
    grid(x, y, z, k) = cast(type, 0);  // k: sums of brightness, numbers of pixels
    grid(x, y, cast<int>(value * steps + cast(type, 0.5f)), k) += select(k == 0, value, cast(type, 1));
    Func blurred("blurred");
    blurred(x, y, z, k) = grid(x, y, z - 1, k) + 2 * grid(x, y, z, k) + grid(x, y, z + 1, k);

    const Expr at = bright(x, y) * steps, below = floor(at), zi = cast<int>(below), xi = x / cell,
               yi = y / cell;
    const Expr xf = cast(type, x % cell) / cell, yf = cast(type, y % cell) / cell;
    const auto between = [](const Expr &a, const Expr &b, const Expr &f) { return a + f * (b - a); };
    const auto plane = [&](const Expr &z_at) {
        return between(between(blurred(xi, yi, z_at, k), blurred(xi + 1, yi, z_at, k), xf),
                       between(blurred(xi, yi + 1, z_at, k), blurred(xi + 1, yi + 1, z_at, k), xf), yf);
    };
    Func sampled("sampled"), base("base");
    sampled(x, y, k) = between(plane(zi), plane(zi + 1), at - below);
    base(x, y) = sampled(x, y, 0) / sampled(x, y, 1);
    return base;
}

/// The three tone curves where the base's brightness is, straight between their knots.
Func curves_at(const Func &base, const Func &tone) {
    const Type type = base.type();
    Func curves("curves");
    const Expr place = clamp(base(x, y), cast(type, 0), cast(type, 1)) * (knots - 1);
    const RDom knot(0, knots, "knot");
    curves(x, y, c) = cast(type, 0);
    curves(x, y, c) += max(cast(type, 0), 1 - abs(place - cast(type, knot))) * tone(knot, c);
    return curves;
}

}  // namespace

Func restored(const Func &edges, const Learned &learned) {
    Func light("light"), planes("planes"), guide("guide"), result("restored");
    light(x, y) = (edges(x, y, 0) + 2 * edges(x, y, 1) + edges(x, y, 2)) / 4;
    planes(x, y, c) = select(c == luma, light(x, y), edges(x, y, c) - light(x, y));
    const auto across = [&](const Expr &row) {
        return light(x - 1, row) + 2 * light(x, row) + light(x + 1, row);
    };
    guide(x, y) = (across(y - 1) + 2 * across(y) + across(y + 1)) / 16;

    const Func clean = denoised(planes, guide, learned), sharp = sharpened(clean, learned),
               base = local_brightness(guide), curves = curves_at(base, learned.tone);
    const Expr mapped = curves(x, y, 0) + curves(x, y, 1) * (sharp(x, y) - base(x, y));
    // light = (red + 2 green + blue)/4, so green - light is half the sum of the other two, negative.
    const Expr green = (clean(x, y, 0) + clean(x, y, 2)) / -2;
    result(x, y, c) = mapped + curves(x, y, 2) * select(c == luma, green, clean(x, y, c));
    return result;
}

}  // namespace eutectic::photo
