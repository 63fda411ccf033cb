// What a library's calls take, instead of loops.

#include "cost/library.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace eutectic {

namespace {

/** Has it convolutions that read windows where they lie? Others are given copies of what windows hold. */
bool convolves_in_place(Library library) {
    return library == Library::onednn;
}

/** How many terms of the sums at the points of `tile` one element that `load` reads is in, besides those that
 * differ in dims that it does not have: those of windows that overlap. */
double windows_over(const Load &load, const Extents &tile, double terms) {
    double read = 1, in_terms = terms;
    for (const Index &index : load.access.indices) {
        double along = index.halo + 1;
        for (const DimId d : index.consumer_dims()) {
            if (index.scale[d] != 0) {
                along += index.scale[d] * static_cast<double>(tile[d] - 1);
                in_terms *= static_cast<double>(tile[d]);
            }
        }
        read *= along;
    }
    return in_terms / read;
}

/** What one call computes: the stage's points inside all loops around it. */
ProductShape shape_of(const NestedStage &stage) {
    const LibraryCall &call = *stage.work->library;
    const Extents tile = tile_inside(stage.nest, stage.nest.loops.size(), stage.work->dims);
    ProductShape shape;
    shape.k = static_cast<double>(call.terms);
    for (const DimId d : tile.ids()) {
        double &along = call.in_a[d] && call.in_b[d] ? shape.batch : call.in_a[d] ? shape.m : shape.n;
        along *= static_cast<double>(tile[d]);
    }
    for (const Load &load : stage.work->loads) {
        shape.windows = std::max(shape.windows, windows_over(load, tile, shape.k));
    }
    return shape;
}

}  // namespace

Seconds product_seconds(const ProductShape &s, int element_bytes, const LibraryRates &rates,
                        const Machine &m) {
    const double multiply_adds =
        m.vector_ops_per_cycle * m.hertz * static_cast<double>(m.lanes(element_bytes)) * rates.peak_share;
    // Once into the library's order, and before that, where it has no windows, into rows of a matrix.
    const double a = s.m * s.k,
                 moved_a = s.windows <= 1                      ? a
                           : convolves_in_place(rates.library) ? a / s.windows
                                                               : 2 * a,
                 moved = (moved_a + s.k * s.n + 2 * s.m * s.n) * element_bytes;
    return s.batch * (rates.call_seconds + s.m * s.n * s.k / multiply_adds + moved / rates.bytes_per_second);
}

Seconds whole_product_seconds(const ProductShape &s, int element_bytes, const LibraryRates &rates,
                              const Machine &m) {
    if (m.cores <= 1) {
        return product_seconds(s, element_bytes, rates, m);
    }
    // As cut() in src/library/multiply.cpp.
    const double each = std::ceil(m.cores / s.batch);
    Seconds least = std::numeric_limits<double>::infinity();
    for (double rows = 1; rows <= std::min(each, s.m); rows++) {
        const double columns = std::min(std::ceil(each / rows), s.n);
        const ProductShape piece{std::ceil(s.m / rows), std::ceil(s.n / columns), s.k, 1, s.windows};
        const double turns = std::ceil(s.batch * rows * columns / m.cores);
        least = std::min(least, turns * (product_seconds(piece, element_bytes, rates, m) + m.task_seconds));
    }
    return m.launch_seconds + least;
}

double library_cycles(const NestedStage &stage, const Machine &m) {
    const LibraryRates rates = m.library.value_or(LibraryRates());
    const ProductShape shape = shape_of(stage);
    double calls = 1;
    for (size_t l = 0; l < stage.nest.loops.size(); l++) {
        calls *= static_cast<double>(trips(stage.nest, l, stage.work->dims));
    }
    const int bytes = stage.work->element_bytes;
    return m.hertz * calls *
           (stage.work->library->whole ? whole_product_seconds(shape, bytes, rates, m)
                                       : product_seconds(shape, bytes, rates, m));
}

}  // namespace eutectic
