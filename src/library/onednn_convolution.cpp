// Convolutions by oneDNN: the operand and the result where they lie, the filter in the order that its kernel
// has, which is copied on each call.

#include "library/onednn_convolution.h"

#include <algorithm>
#include <list>
#include <string>

#include <oneapi/dnnl/dnnl.hpp>

namespace eutectic {

namespace {

using dnnl::memory;

/** Everything that oneDNN's kernel depends on. */
using Key = std::vector<int64_t>;

/** Kernels that a thread keeps: those of a network's layers. Making one takes oneDNN some 100 µs. */
constexpr size_t kept_kernels = 32;

dnnl::engine &engine() {
    static dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    return cpu;
}

memory::desc strided(const memory::dims &extents, memory::dims strides) {
    for (size_t d = 0; d < extents.size(); d++) {
        strides[d] = extents[d] == 1 ? std::max<int64_t>(strides[d], 1) : strides[d];
    }
    return {extents, memory::data_type::f32, strides};
}

/** One shape in one layout. */
class Kernel {
public:
    explicit Kernel(const StridedConvolution<float> &c) {
        const Spatial &u = c.spatial[0], &v = c.spatial[1];
        const Plain image = c.images.empty() ? Plain() : c.images.front();
        const auto reach = [](const Spatial &s) {
            return s.scale * (s.points - 1) + s.step * (s.taps - 1) + 1;
        };
        const memory::dims from = {image.extent, c.channels.extent, reach(v), reach(u)},
                           filter = {c.columns.extent, c.channels.extent, v.taps, u.taps},
                           to = {image.extent, c.columns.extent, v.points, u.points};
        from_ = strided(from, {image.a, c.channels.a, v.a, u.a});
        filter_ = strided(filter, {c.columns.b, c.channels.b, v.b, u.b});
        to_ = strided(to, {image.c, c.columns.c, v.c, u.c});
        const memory::desc any(filter, memory::data_type::f32, memory::format_tag::any);
        const dnnl::convolution_forward::desc what(
            dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct, from_, any, to_,
            {v.scale, u.scale}, {v.step - 1, u.step - 1}, {0, 0}, {0, 0});
        const dnnl::convolution_forward::primitive_desc chosen(what, engine(), true);
        // The one for any layout is a plain loop; that by its own products does what windows.cpp does.
        fast_ = chosen && std::string(chosen.impl_info_str()).rfind("jit:", 0) == 0;
        if (fast_) {
            convolve_ = dnnl::convolution_forward(chosen);
            ordered_ = memory(chosen.weights_desc(), engine());
            order_ = dnnl::reorder(memory(filter_, engine(), nullptr), ordered_);
        }
    }

    bool fast() const {
        return fast_;
    }

    void run(const StridedConvolution<float> &c) {
        dnnl::stream stream(engine());
        // oneDNN has no pointers to const; it only reads these.
        memory from(from_, engine(), const_cast<float *>(c.a)),
            filter(filter_, engine(), const_cast<float *>(c.b)), to(to_, engine(), c.c);
        order_.execute(stream, filter, ordered_);
        convolve_.execute(stream, {{DNNL_ARG_SRC, from}, {DNNL_ARG_WEIGHTS, ordered_}, {DNNL_ARG_DST, to}});
        stream.wait();
    }

private:
    bool fast_ = false;
    memory::desc from_, filter_, to_;
    memory ordered_;
    dnnl::reorder order_;
    dnnl::convolution_forward convolve_;
};

Key key_of(const StridedConvolution<float> &c) {
    Key key;
    for (const Spatial &s : c.spatial) {
        key.insert(key.end(), {s.points, s.taps, s.scale, s.step, s.a, s.b, s.c});
    }
    const Plain image = c.images.empty() ? Plain() : c.images.front();
    for (const Plain &p : {c.channels, c.columns, image}) {
        key.insert(key.end(), {p.extent, p.a, p.b, p.c});
    }
    return key;
}

/** This thread's kernel for `c`. */
Kernel &kernel_for(const StridedConvolution<float> &c) {
    thread_local std::list<std::pair<Key, Kernel>> kept;  // the last used first
    const Key key = key_of(c);
    auto found =
        std::find_if(kept.begin(), kept.end(), [&](const auto &entry) { return entry.first == key; });
    if (found == kept.end()) {
        if (kept.size() >= kept_kernels) {
            kept.pop_back();
        }
        kept.emplace_front(key, Kernel(c));
    } else {
        kept.splice(kept.begin(), kept, found);
    }
    return kept.front().second;
}

}  // namespace

bool convolve_by_onednn(const StridedConvolution<float> &c) {
    const auto is_none = [](int64_t extent) { return extent <= 0; };
    if (c.images.size() > 1 || is_none(c.channels.extent) || is_none(c.spatial[0].taps) ||
        is_none(c.spatial[1].taps)) {
        return false;
    }
    try {
        Kernel &kernel = kernel_for(c);
        if (kernel.fast()) {
            kernel.run(c);
        }
        return kernel.fast();
    } catch (const dnnl::error &) {
        return false;  // a layout or a size that it refuses
    }
}

}  // namespace eutectic
