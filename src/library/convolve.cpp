// From Halide's buffers to convolutions, cut in pieces for threads.

#include "library/convolve.h"

#include <algorithm>

#include "library/pieces.h"
#include "library/windows.h"

namespace eutectic {

namespace {

/** What an index of an operand goes along (product.h). */
struct IndexCode {
    int dim = -1, sum = -1;
};

std::vector<IndexCode> codes(const halide_buffer_t &operand, int32_t dims) {
    std::vector<IndexCode> result;
    for (int d = 0; d < operand.dimensions; d++) {
        const int32_t code = dims >> (8 * d);
        result.push_back({(code & 0xf) - 1, (code >> 4 & 0xf) - 1});
    }
    return result;
}

int32_t scale_of(const Summed &s) {
    return s.steps & 0xffff;
}

int32_t step_of(const Summed &s) {
    return s.steps >> 16;
}

/** The first index that the call needs along `code`, and the last. Windows are the operand's alone: the
 * filter goes along their variables one by one. */
std::array<int64_t, 2> needed(const ConvolutionCall &call, const IndexCode &code, bool windows) {
    std::array<int64_t, 2> at = {0, 0};
    const bool window = windows && code.sum > 0;
    const Summed sum = code.sum < 0 ? Summed{0, 1} : call.sums[code.sum];
    if (code.dim >= 0) {
        const halide_dimension_t &d = call.c->dim[code.dim];
        const int64_t scale = window ? scale_of(sum) : 1;
        at[0] += scale * d.min;
        at[1] += scale * (static_cast<int64_t>(d.min) + d.extent - 1);
    }
    const int64_t step = window ? step_of(sum) : 1;
    at[0] += step * sum.min + (window ? sum.offset : 0);
    at[1] += step * (static_cast<int64_t>(sum.min) + sum.extent - 1) + (window ? sum.offset : 0);
    return at;
}

void require(const ConvolutionCall &call, halide_buffer_t &operand, int32_t dims, bool windows) {
    const std::vector<IndexCode> along = codes(operand, dims);
    for (int d = 0; d < operand.dimensions; d++) {
        const auto [first, last] = needed(call, along[d], windows);
        operand.dim[d].min = static_cast<int32_t>(first);
        operand.dim[d].extent = static_cast<int32_t>(last - first + 1);
    }
}

/** Where the first element that the call needs lies, in elements. */
int64_t first_element(const ConvolutionCall &call, const halide_buffer_t &operand, int32_t dims,
                      bool windows) {
    const std::vector<IndexCode> along = codes(operand, dims);
    int64_t at = 0;
    for (int d = 0; d < operand.dimensions; d++) {
        at += (needed(call, along[d], windows)[0] - operand.dim[d].min) * operand.dim[d].stride;
    }
    return at;
}

/** What a step along each of the filter's dims is. */
template<typename T>
void read_filter(const ConvolutionCall &call, StridedConvolution<T> &all, std::vector<Plain> &of_c,
                 std::vector<bool> &in_b) {
    const halide_buffer_t &b = *call.b;
    const std::vector<IndexCode> b_codes = codes(b, call.b_dims);
    for (int d = 0; d < b.dimensions; d++) {
        const auto [dim, sum] = b_codes[d];
        const int64_t stride = b.dim[d].stride;
        if (sum >= 0) {
            (sum == 0 ? all.channels.b : all.spatial[sum - 1].b) = stride;
        } else {
            of_c[dim].b = stride;
            in_b[dim] = true;
        }
    }
}

template<typename T>
StridedConvolution<T> read(const ConvolutionCall &call) {
    StridedConvolution<T> all;
    const halide_buffer_t &a = *call.a, &b = *call.b, &c = *call.c;
    std::vector<Plain> of_c(c.dimensions);
    std::vector<bool> in_a(c.dimensions, false), in_b(c.dimensions, false), point(c.dimensions, false);
    for (int d = 0; d < c.dimensions; d++) {
        of_c[d].extent = c.dim[d].extent;
        of_c[d].c = c.dim[d].stride;
    }
    all.channels.extent = call.sums[0].extent;
    for (size_t s = 0; s < 2; s++) {
        all.spatial[s].taps = call.sums[s + 1].extent;
        all.spatial[s].scale = scale_of(call.sums[s + 1]);
        all.spatial[s].step = step_of(call.sums[s + 1]);
    }
    const std::vector<IndexCode> a_codes = codes(a, call.a_dims);
    for (int d = 0; d < a.dimensions; d++) {
        const auto [dim, sum] = a_codes[d];
        const int64_t stride = a.dim[d].stride;
        if (sum > 0) {
            Spatial &s = all.spatial[sum - 1];
            s.a = stride;
            if (dim >= 0) {
                s.points = of_c[dim].extent;
                s.c = of_c[dim].c;
                point[dim] = true;
            }
        } else if (sum == 0) {
            all.channels.a = stride;
        } else {
            of_c[dim].a = stride;
            in_a[dim] = true;
        }
    }
    read_filter(call, all, of_c, in_b);
    std::vector<Plain> columns;
    for (int d = 0; d < c.dimensions; d++) {
        if (!point[d]) {
            (in_a[d] && in_b[d] ? all.outer : in_a[d] ? all.images : columns).push_back(of_c[d]);
        }
    }
    if (!columns.empty()) {  // the longest; others, which are rare, one by one
        std::stable_sort(columns.begin(), columns.end(),
                         [](const Plain &x, const Plain &y) { return x.extent > y.extent; });
        all.columns = columns.front();
        all.outer.insert(all.outer.end(), columns.begin() + 1, columns.end());
    }
    all.a = reinterpret_cast<const T *>(a.host) + first_element(call, a, call.a_dims, true);
    all.b = reinterpret_cast<const T *>(b.host) + first_element(call, b, call.b_dims, false);
    all.c = reinterpret_cast<T *>(c.host);
    return all;
}

/** A dimension that may be cut in pieces: its extent, and what a step along it is for each pointer. */
struct Cuttable {
    int64_t *extent;
    int64_t a, b, c;
};

template<typename T>
std::vector<Cuttable> cuttable(StridedConvolution<T> &of) {
    std::vector<Cuttable> all;
    for (auto s = of.spatial.rbegin(); s != of.spatial.rend(); ++s) {
        all.push_back({&s->points, s->scale * s->a, 0, s->c});
    }
    for (Plain &image : of.images) {
        all.push_back({&image.extent, image.a, 0, image.c});
    }
    all.push_back({&of.columns.extent, 0, of.columns.b, of.columns.c});
    return all;
}

/** Which of cuttable() to cut in `pieces`, so that the largest piece is smallest. */
template<typename T>
size_t dim_to_cut(StridedConvolution<T> of, int64_t pieces) {
    const std::vector<Cuttable> dims = cuttable(of);
    size_t best = 0;
    double least = 2;
    for (size_t d = 0; d < dims.size(); d++) {
        const int64_t extent = *dims[d].extent, cut = std::min(extent, pieces);
        const int64_t piece = (extent + cut - 1) / cut;
        const double largest = static_cast<double>(piece) / static_cast<double>(extent);
        if (largest < least) {
            least = largest;
            best = d;
        }
    }
    return best;
}

template<typename T>
bool empty(const StridedConvolution<T> &of) {
    StridedConvolution<T> copy = of;
    const std::vector<Cuttable> dims = cuttable(copy);
    return std::any_of(dims.begin(), dims.end(), [](const Cuttable &d) { return *d.extent <= 0; }) ||
           std::any_of(of.outer.begin(), of.outer.end(), [](const Plain &p) { return p.extent <= 0; });
}

/** Piece `piece` of `pieces` along cuttable()[dim], at one point of the outer dims. */
template<typename T>
StridedConvolution<T> part_of(StridedConvolution<T> whole, int64_t point, size_t dim, int64_t piece,
                              int64_t pieces) {
    for (const Plain &outer : whole.outer) {
        const int64_t at = point % outer.extent;
        point /= outer.extent;
        whole.a += at * outer.a;
        whole.b += at * outer.b;
        whole.c += at * outer.c;
    }
    whole.outer.clear();
    const Cuttable cut = cuttable(whole)[dim];
    const int64_t begin = piece * *cut.extent / pieces, end = (piece + 1) * *cut.extent / pieces;
    *cut.extent = end - begin;
    whole.a += begin * cut.a;
    whole.b += begin * cut.b;
    whole.c += begin * cut.c;
    return whole;
}

template<typename T>
int convolve(const StridedConvolution<T> &piece, int (*multiply)(const Multiplication<T> &),
             bool (*own)(const StridedConvolution<T> &)) {
    return own != nullptr && own(piece) ? halide_error_code_success : convolve_windows(piece, multiply);
}

template<typename T>
int convolve_all(StridedConvolution<T> whole, int32_t tasks, int (*multiply)(const Multiplication<T> &),
                 bool (*own)(const StridedConvolution<T> &)) {
    if (multiply == nullptr) {
        return halide_error_code_bad_type;
    }
    if (empty(whole)) {
        return halide_error_code_success;
    }
    int64_t points = 1;
    for (const Plain &outer : whole.outer) {
        points *= outer.extent;
    }
    const int64_t wanted = (std::max(tasks, 1) + points - 1) / points;
    const size_t dim = dim_to_cut(whole, wanted);
    const int64_t pieces = std::min(wanted, *cuttable(whole)[dim].extent);
    return run_pieces(static_cast<int>(points * pieces), tasks, [&](int piece) {
        return convolve(part_of(whole, piece / pieces, dim, piece % pieces, pieces), multiply, own);
    });
}

}  // namespace

int convolve_buffers(const Multiply &multiply, const ConvolutionCall &call) {
    if (call.a->is_bounds_query() || call.b->is_bounds_query()) {
        if (call.a->is_bounds_query()) {
            require(call, *call.a, call.a_dims, true);
        }
        if (call.b->is_bounds_query()) {
            require(call, *call.b, call.b_dims, false);
        }
        return halide_error_code_success;
    }
    if (call.c->is_bounds_query()) {
        return halide_error_code_success;
    }
    if (call.c->type == halide_type_of<float>()) {
        return convolve_all(read<float>(call), call.tasks, multiply.floats, multiply.convolve);
    }
    if (call.c->type == halide_type_of<double>()) {
        return convolve_all<double>(read<double>(call), call.tasks, multiply.doubles, nullptr);
    }
    return halide_error_code_bad_type;
}

}  // namespace eutectic
