#include "schedules/hlpipe/shapes.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "base/user_error.h"
#include "schedules/hlpipe/trial.h"

namespace eutectic {

using namespace Halide;

namespace {

Buffer<> zeroed(const Type &type, const std::vector<halide_dimension_t> &shape) {
    Buffer<> buffer(type, nullptr, static_cast<int>(shape.size()), shape.data());
    buffer.allocate();
    std::memset(buffer.data(), 0, buffer.size_in_bytes());
    return buffer;
}

bool overlaps(const std::vector<halide_dimension_t> &shape) {
    std::vector<std::pair<int, int>> dims;  // stride, extent
    for (const halide_dimension_t &d : shape) {
        if (d.extent > 1) {
            dims.emplace_back(d.stride, d.extent);
        }
    }
    std::sort(dims.begin(), dims.end());
    int64_t end = 1;
    for (const auto &[stride, extent] : dims) {
        if (stride < end) {
            return true;
        }
        end += int64_t{stride} * (extent - 1);
    }
    return false;
}

/** How a refusal begins and ends. */
[[noreturn]] void refuse(const Parameter &p, const std::string &what) {
    // Without the number by which Halide tells names apart.
    throw UserError("The buffer " + p.name().substr(0, p.name().find('$')) + " " + what +
                    ", and a run here has no such buffer: leave that constraint out of what is run.");
}

/** The stride of a dimension outside of those that have one: it begins where they end. */
int stride_around(const Parameter &p, const std::vector<std::optional<int>> &strides,
                  const std::vector<std::optional<int>> &extents) {
    int64_t end = 1;
    for (size_t d = 0; d < strides.size(); d++) {
        end = std::max(end, int64_t{strides[d].value_or(0)} * extents[d].value_or(0));
    }
    if (end > std::numeric_limits<int>::max()) {
        refuse(p, "spans more than 2,147,483,647 points");
    }
    return static_cast<int>(end);
}

}  // namespace

Shapes::Shapes(const LoadedPipeline &loaded) {
    std::vector<Parameter> buffers;
    for (const auto &[name, p] : loaded.parameters) {
        const Expr value = p.is_buffer() ? Expr() : p.estimate().defined() ? p.estimate() : p.default_value();
        if (p.is_buffer()) {
            buffers.push_back(p);
        } else if (value.defined()) {
            values_[name] = value;
        }
    }
    const auto regions = output_regions(loaded.pipeline);
    const std::vector<Func> outputs = loaded.pipeline.outputs();
    for (size_t f = 0; f < outputs.size(); f++) {
        for (const auto &buffer : outputs[f].output_buffers()) {
            const Parameter p = buffer.parameter();
            buffers.push_back(p);
            outputs_.insert(p.name());
            Sizes &sizes = known_[p.name()];
            for (size_t d = 0; d < regions[f].size(); d++) {
                sizes.min.emplace_back(regions[f][d].first);
                sizes.extent.emplace_back(regions[f][d].second);
            }
        }
    }
    for (const Parameter &p : buffers) {
        Sizes &sizes = known_[p.name()];
        const auto dimensions = static_cast<size_t>(p.dimensions());
        sizes.min.resize(dimensions);
        sizes.extent.resize(dimensions);
        sizes.stride.resize(dimensions);
    }
    // Constraints may speak of any other buffer, whatever their order.
    for (bool more = true; more;) {
        more = false;
        for (const Parameter &p : buffers) {
            more = learn(p, known_[p.name()]) || more;
        }
    }
}

std::optional<int> Shapes::number(const Expr &e) const {
    const Expr known = e.defined() ? Internal::simplify(Internal::substitute(values_, e)) : e;
    const auto value = known.defined() ? Internal::as_const_int(known) : std::nullopt;
    return value ? std::make_optional(static_cast<int>(*value)) : std::nullopt;
}

/** Whether there was something new in what the buffer's constraints and estimates say. */
bool Shapes::learn(const Parameter &p, Sizes &sizes) {
    bool more = false;
    const auto set = [&](const char *what, int d, std::optional<int> &to, const std::optional<int> &value) {
        Expr &name = values_[p.name() + "." + what + "." + std::to_string(d)];
        if (value && (!name.defined() || to != value)) {
            to = value;
            name = Expr(*value);
            more = true;
        }
    };
    for (int d = 0; d < p.dimensions(); d++) {
        const auto first = [&](const Expr &constraint, std::optional<int> known, const Expr &estimate) {
            return constraint.defined() ? number(constraint) : known ? known : number(estimate);
        };
        std::optional<int> &extent = sizes.extent[d], &min = sizes.min[d];
        const Expr estimate = p.min_constraint_estimate(d);
        set("extent", d, extent, first(p.extent_constraint(d), extent, p.extent_constraint_estimate(d)));
        set("min", d, min, first(p.min_constraint(d), min, estimate.defined() ? estimate : Expr(0)));
        set("stride", d, sizes.stride[d], number(p.stride_constraint(d)));
    }
    const auto all = [](const std::vector<std::optional<int>> &numbers) {
        return std::all_of(numbers.begin(), numbers.end(), [](const auto &n) { return n.has_value(); });
    };
    bool told = all(sizes.extent) && all(sizes.min);
    for (int d = 0; d < p.dimensions(); d++) {
        told = told && (sizes.stride[d] || !p.stride_constraint(d).defined());
    }
    for (int d = 0; told && d < p.dimensions(); d++) {
        if (!sizes.stride[d]) {
            set("stride", d, sizes.stride[d], stride_around(p, sizes.stride, sizes.extent));
        }
    }
    return more;
}

Buffer<> Shapes::buffer(const Parameter &of) const {
    const auto found = known_.find(of.name());
    if (found == known_.end()) {
        return Buffer<>();
    }
    const Sizes &sizes = found->second;
    std::vector<halide_dimension_t> shape;
    for (int d = 0; d < of.dimensions(); d++) {
        if (!sizes.extent[d] || !sizes.stride[d] || !sizes.min[d]) {
            return Buffer<>();
        }
        const std::string where = " along dimension " + std::to_string(d);
        if (*sizes.stride[d] < 0) {
            refuse(of, "has the stride " + std::to_string(*sizes.stride[d]) + where);
        } else if (*sizes.extent[d] < 0) {
            refuse(of, "has " + std::to_string(*sizes.extent[d]) + " points" + where);
        }
        shape.emplace_back(*sizes.min[d], *sizes.extent[d], *sizes.stride[d]);
    }
    if (outputs_.count(of.name()) && overlaps(shape)) {
        refuse(of, "has strides by which several of its values lie in one place");
    }
    Buffer<> buffer = zeroed(of.type(), shape);
    if (reinterpret_cast<uintptr_t>(buffer.data()) % static_cast<uintptr_t>(of.host_alignment()) != 0) {
        refuse(of, "is to begin at a multiple of " + std::to_string(of.host_alignment()) + " bytes");
    }
    return buffer;
}

bool is_constrained(const Parameter &buffer) {
    for (int d = 0; d < buffer.dimensions(); d++) {
        const Expr stride = buffer.stride_constraint(d);
        const bool dense = d == 0 && stride.defined() && Internal::is_const_one(stride);
        if (buffer.min_constraint(d).defined() || buffer.extent_constraint(d).defined() ||
            (stride.defined() && !dense)) {
            return true;
        }
    }
    return false;
}

Buffer<> buffer_like(const Buffer<> &other) {
    std::vector<halide_dimension_t> shape;
    for (int d = 0; d < other.dimensions(); d++) {
        shape.emplace_back(other.dim(d).min(), other.dim(d).extent(), other.dim(d).stride());
    }
    return zeroed(other.type(), shape);
}

}  // namespace eutectic
