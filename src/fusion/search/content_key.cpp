#include "fusion/search/content_key.h"

namespace eutectic {

void ContentKey::add(const std::optional<BufferDim> &buffer) {
    add(buffer ? buffer->func : no_func);
    add(buffer ? buffer->dim : DimId(-1));
    add(buffer && buffer->from_zero);
}

void ContentKey::add(const DimFlags &flags) {
    add(flags.size());
    for (const bool flag : flags) {
        add(flag);
    }
}

void ContentKey::add(const Extents &values) {
    add(values.size());
    for (const int64_t value : values) {
        add(value);
    }
}

void ContentKey::add(const Dim &dim) {
    add(dim.extent);
    add(dim.reduction);
    add(dim.at_least);
    add(dim.constant);
    add(dim.when);
    add(dim.inside);
    add(dim.first.has_value());
    add(dim.first.value_or(0));
    add(dim.part_of ? std::make_optional(dim.part_of->buffer) : std::nullopt);
    add(dim.part_of ? dim.part_of->per : 0);
}

void ContentKey::add(const Part &part) {
    for (const ExprSummary *body : {&part.body, &part.decided}) {
        for (const double number : {body->flops, body->divisions, body->transcendentals, body->libm_calls,
                                    body->guards, body->operand_bytes}) {
            add(number);
        }
        for (const float count : body->typed) {
            add(static_cast<double>(count));
        }
    }
    add(part.chosen_by);
    add(part.phases);
    add(part.multiply_accumulate);
    add(part.depends);
    add(part.guarded);
}

void ContentKey::add(const Index &index) {
    for (const double scale : index.scale) {
        add(scale);
    }
    add(index.halo);
    add(index.rounding);
    add(index.affine);
    add(index.exact);
    add(index.cut);
    add(index.clamped_dim);
    add(index.clamped_to);
    add(index.wraps);
    add(index.offset.has_value());
    add(index.offset.value_or(0));
}

void ContentKey::add(const std::vector<SomeOf> &iterations) {
    add(iterations.size());
    for (const SomeOf &of : iterations) {
        add(of.dim);
        add(of.share);
        add(of.period);
    }
}

void ContentKey::add(const Load &load) {
    add(load.producer);
    add(load.access.indices.size());
    for (const Index &index : load.access.indices) {
        add(index);
    }
    add(load.bytes_per_point);
    add(load.extents);
    add(load.reread);
    add(load.any_pitch);
    add(load.chosen);
    add(load.packed);
    add(load.interleaving.inner);
    add(load.interleaving.outer);
    add(load.interleaving.step);
    add(load.interleaving.constant);
    add(load.taps);
    add(load.read_at);
}

void ContentKey::add(const StageWork &work) {
    add(work.func);
    add(work.update);
    add(work.dims.size());
    for (const Dim &dim : work.dims) {
        add(dim);
    }
    add(work.parts.size());
    for (const Part &part : work.parts) {
        add(part);
    }
    add(work.loads.size());
    for (const Load &load : work.loads) {
        add(load);
    }
    add(work.stored_bytes);
    add(work.element_bytes);
    add(work.accumulates);
    add(work.scattered_by);
    add(work.stores);
    add(work.taken);
    add(work.stores_packed);
    add(work.library.has_value());
    if (work.library) {
        add(work.library->in_a);
        add(work.library->in_b);
        add(work.library->terms);
        add(work.library->whole);
    }
    add(work.written.has_value());
    if (work.written) {
        add(*work.written);
    }
}

}  // namespace eutectic
