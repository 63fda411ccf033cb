#include <vector>

#include "schedules/elementary/arithmetic.h"
#include "schedules/elementary/coefficients.h"
#include "schedules/elementary/elementary.h"

namespace eutectic::elementary {

using namespace Halide;

namespace {

/** x as (quadrant + t) quarter turns. */
struct Quarters {
    Expr quadrant;  ///< int32
    Expr t;         ///< double, within +-1/2
};

/** Payne and Hanek's reduction (SIGNUM Newsletter 18, 1983) by pieces of 2 / pi that are short enough for
 * exact products with a float: of each product, whole turns are dropped. */
Quarters in_quarters(const Expr &x) {
    const Expr wide = cast<double>(x);
    std::vector<Expr> parts;
    for (const double piece : coefficients::quarter_turns) {
        const Expr product = wide * like(wide, piece);
        parts.push_back(strict_difference(product, round(product * like(wide, 0.25)) * like(wide, 4)));
    }
    Expr sum = parts.back();
    for (size_t i = parts.size() - 1; i-- > 0;) {
        sum = sum + parts[i];
    }
    const Expr q = round(sum);
    // Large parts first, and less q: they leave nothing but the small rest, exactly, before small parts are
    // added.
    Expr t = strict_difference(parts[0], q);
    for (size_t i = 1; i < parts.size(); i++) {
        t = strict_sum(t, parts[i]);
    }
    return {cast<int>(q), t};
}

Expr sin_of(const Quarters &quarters) {
    const Expr r = cast<float>(quarters.t * like(quarters.t, 1.5707963267948966)), z = r * r;
    const Expr sine = strict_sum(r, r * z * polynomial(coefficients::sin_rest, z));
    const Expr cosine =
        strict_sum(like(r, 1), z * z * polynomial(coefficients::cos_rest, z) - z * like(r, 0.5));
    const Expr value = select((quarters.quadrant & 1) == 0, sine, cosine);
    return select((quarters.quadrant & 2) == 0, value, -value);
}

}  // namespace

Expr sin(const Expr &x) {
    return select(x == like(x, 0), x, sin_of(in_quarters(x)));
}

Expr cos(const Expr &x) {
    const Quarters quarters = in_quarters(x);
    return sin_of({quarters.quadrant + 1, quarters.t});
}

}  // namespace eutectic::elementary
