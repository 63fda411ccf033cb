#include "graph/read/interleaving.h"

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

namespace {

bool is_a_few(int64_t points) {
    return points > 1 && points <= Interleaving::most_points;
}

int64_t constant_or(const Expr &e, int64_t otherwise) {
    const auto value = e.defined() ? as_const_int(simplify(e)) : std::nullopt;
    return value ? static_cast<int64_t>(*value) : otherwise;
}

}  // namespace

Interleaving interleaving_of(const Parameter &buffer, const Extents &required) {
    Interleaving result;
    if (!buffer.is_buffer() || required.size() < 2) {
        return result;
    }
    Extents strides(required.size());
    for (const DimId d : strides.ids()) {
        strides[d] = constant_or(buffer.stride_constraint(d), 0);
        result.inner = strides[d] == 1 ? d : result.inner;
    }
    for (const DimId d : strides.ids()) {
        if (d != result.inner && is_a_few(strides[d]) && strides[result.inner] == 1) {
            return {result.inner, d, strides[d], true};
        }
    }
    const int64_t points = constant_or(buffer.extent_constraint_estimate(0), required[0]);
    if (result.inner == 0 && strides[0] == 1 && strides[1] == 0 && is_a_few(points)) {
        result.outer = 1;
        result.step = points;
    }
    return result;
}

}  // namespace eutectic
