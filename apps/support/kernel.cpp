#include "apps/support/kernel.h"

#include <cstring>
#include <stdexcept>

namespace eutectic {

namespace {

Argument read_argument(const halide_filter_argument_t &raw) {
    const halide_scalar_value_t *scalar = raw.scalar_estimate ? raw.scalar_estimate : raw.scalar_def;
    Argument argument{
        raw.name, static_cast<halide_argument_kind_t>(raw.kind), raw.type, raw.dimensions, {}, scalar, {}};
    for (int d = 0; raw.buffer_estimates && d < raw.dimensions; d++) {
        const int64_t *min = raw.buffer_estimates[2 * d], *extent = raw.buffer_estimates[2 * d + 1];
        if (!min || !extent) {
            argument.mins.clear();
            argument.extents.clear();
            break;
        }
        argument.mins.push_back(static_cast<int>(*min));
        argument.extents.push_back(static_cast<int>(*extent));
    }
    return argument;
}

}  // namespace

void *Values::find(const std::string &name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? nullptr : found->second;
}

Kernel::Kernel(Call call, const halide_filter_metadata_t *metadata) : call_(call), name_(metadata->name) {
    for (int i = 0; i < metadata->num_arguments; i++) {
        arguments_.push_back(read_argument(metadata->arguments[i]));
    }
}

const Argument *Kernel::find(const std::string &name) const {
    for (const Argument &argument : arguments_) {
        if (argument.name == name) {
            return &argument;
        }
    }
    return nullptr;
}

std::vector<void *> Kernel::bind(const Values &values) const {
    std::vector<void *> bound;
    for (const Argument &argument : arguments_) {
        bound.push_back(values.find(argument.name));
        if (!bound.back()) {
            throw std::logic_error("kernel " + name_ + " takes an argument '" + argument.name +
                                   "' that was given no value");
        }
    }
    return bound;
}

void Kernel::run(std::vector<void *> &bound) const {
    if (const int status = call_(bound.data())) {
        throw std::runtime_error("kernel " + name_ + " failed with status " + std::to_string(status));
    }
}

void Kernel::run(const Values &values) const {
    std::vector<void *> bound = bind(values);
    run(bound);
}

Tensor make_tensor(const Argument &argument, const std::vector<int> &extents) {
    if (static_cast<int>(extents.size()) != argument.dimensions) {
        throw std::logic_error("argument '" + argument.name + "' has " + std::to_string(argument.dimensions) +
                               " dimensions and was given " + std::to_string(extents.size()) +
                               " extents; its generator must give estimates for all of them");
    }
    Tensor tensor(argument.type, extents);
    std::memset(tensor.data(), 0, tensor.size_in_bytes());
    return tensor;
}

}  // namespace eutectic
