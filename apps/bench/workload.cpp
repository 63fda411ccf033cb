#include "apps/bench/workload.h"

#include "apps/support/random.h"

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace eutectic::bench {

namespace {

void *symbol(void *library, const std::string &name) {
    void *found = dlsym(library, name.c_str());
    if (!found) {
        throw std::runtime_error("the library lacks " + name);
    }
    return found;
}

/// The same numbers for an input of a name, whatever kernel reads it and in which place.
Random random_of(const std::string &name) {
    uint64_t seed = 0;
    for (const char c : name) {
        seed = Random(seed ^ static_cast<unsigned char>(c)).next();
    }
    return Random(seed);
}

template<typename T>
void draw_floats(Tensor &tensor, Random random, double low, double high) {
    tensor.as<T>().for_each_value([&](T &value) {
        value = static_cast<T>((low + high) / 2 + (high - low) / 2 * static_cast<double>(random.symmetric()));
    });
}

template<typename T>
void draw_integers(Tensor &tensor, Random random, double low, double high) {
    const auto count = static_cast<uint64_t>(high - low) + 1;
    tensor.as<T>().for_each_value([&](T &value) { value = static_cast<T>(static_cast<int64_t>(low) + static_cast<int64_t>(random.below(count))); });
}

template<typename T>
std::vector<double> read(const Tensor &tensor) {
    std::vector<double> values;
    values.reserve(tensor.number_of_elements());
    tensor.as<const T>().for_each_value([&](const T &value) { values.push_back(static_cast<double>(value)); });
    return values;
}

/// Calls `use` with a value of the C++ type that a Halide type stands for.
template<typename Use>
auto with_type(halide_type_t type, const std::string &name, Use use) {
    if (type == halide_type_of<float>())
        return use(float());
    if (type == halide_type_of<double>())
        return use(double());
    if (type == halide_type_of<int32_t>())
        return use(int32_t());
    if (type == halide_type_of<uint32_t>())
        return use(uint32_t());
    if (type == halide_type_of<uint8_t>())
        return use(uint8_t());
    if (type == halide_type_of<int64_t>())
        return use(int64_t());
    if (type == halide_type_of<uint64_t>())
        return use(uint64_t());
    throw std::runtime_error("argument '" + name + "' is of a type that the bench does not know");
}

}  // namespace

Workload::Workload(const Row &row, const std::string &library) {
    void *handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        throw std::runtime_error(dlerror());
    }
    for (size_t i = 0; i < row.generators.size(); i++) {
        const std::string name = "kernel_" + std::to_string(i);
        const auto call = reinterpret_cast<Kernel::Call>(symbol(handle, name + "_argv"));
        const auto metadata = reinterpret_cast<const halide_filter_metadata_t *(*)()>(symbol(handle, name + "_metadata"));
        bind(row, Kernel(call, metadata()));
    }
}

Tensor Workload::draw(const Row &row, const Argument &input) const {
    const auto range = row.ranges.find(input.name);
    const bool floating = input.type.code == halide_type_float;
    if (range == row.ranges.end() && !floating) {
        throw std::runtime_error("row " + row.name + " gives no range for the integers of input '" + input.name + "'");
    }
    const auto [low, high] = range == row.ranges.end() ? std::pair(-0.5, 0.5) : range->second;
    Tensor tensor = make_tensor(input, input.extents);
    with_type(input.type, input.name, [&, low = low, high = high](auto kind) {
        using T = decltype(kind);
        if constexpr (std::is_floating_point_v<T>) {
            draw_floats<T>(tensor, random_of(input.name), low, high);
        } else {
            draw_integers<T>(tensor, random_of(input.name), low, high);
        }
    });
    return tensor;
}

void Workload::bind(const Row &row, const Kernel &kernel) {
    Values values;
    for (const Argument &argument : kernel.arguments()) {
        if (argument.is_scalar()) {
            if (!argument.scalar) {
                throw std::runtime_error("scalar '" + argument.name + "' has no estimate");
            }
            scalars_[argument.name] = *argument.scalar;
            values.set_scalar(argument.name, &scalars_[argument.name]);
            continue;
        }
        if (argument.is_output()) {
            tensors_.insert_or_assign(argument.name, make_tensor(argument, argument.extents));
            outputs_.insert(argument.name);
        } else if (tensors_.count(argument.name)) {
            outputs_.erase(argument.name);
        } else {
            tensors_.emplace(argument.name, draw(row, argument));
        }
        values.set(argument.name, tensors_.at(argument.name));
    }
    kernels_.push_back({kernel, kernel.bind(values)});
}

void Workload::run() {
    for (Bound &bound : kernels_) {
        bound.kernel.run(bound.arguments);
    }
}

std::vector<std::vector<double>> Workload::results() const {
    std::vector<std::vector<double>> all;
    for (const std::string &name : outputs_) {
        const Tensor &tensor = tensors_.at(name);
        all.push_back(with_type(tensor.type(), name, [&](auto kind) { return read<decltype(kind)>(tensor); }));
    }
    return all;
}

double largest_difference(const std::vector<std::vector<double>> &results, const std::vector<std::vector<double>> &reference) {
    const double infinite = std::numeric_limits<double>::infinity();
    if (results.size() != reference.size()) {
        return infinite;
    }
    double worst = 0;
    for (size_t i = 0; i < results.size(); i++) {
        if (results[i].size() != reference[i].size()) {
            return infinite;
        }
        double largest = std::numeric_limits<float>::min(), difference = 0;
        for (size_t j = 0; j < results[i].size(); j++) {
            largest = std::max(largest, std::abs(reference[i][j]));
            const double d = std::abs(results[i][j] - reference[i][j]);
            difference = d <= difference ? difference : (std::isnan(d) ? infinite : d);
        }
        worst = std::max(worst, difference / largest);
    }
    return worst;
}

}  // namespace eutectic::bench
