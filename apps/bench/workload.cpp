#include "apps/bench/workload.h"

#include "apps/bench/element_types.h"
#include "apps/bench/held_bytes.h"
#include "apps/support/random.h"

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <stdexcept>

namespace eutectic::bench {

namespace {

/// Of kernel number `index` of a library; nullptr if it has no such kernel.
void *symbol(void *library, int index, const char *suffix) {
    return dlsym(library, ("kernel_" + std::to_string(index) + suffix).c_str());
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
    tensor.as<T>().for_each_value([&](T &value) {
        value = static_cast<T>(static_cast<int64_t>(low) + static_cast<int64_t>(random.below(count)));
    });
}

struct Known {
    halide_type_t type;
    const char *name;  // numpy's
};

const Known known_types[] = {{halide_type_of<float>(), "float32"},   {halide_type_of<double>(), "float64"},
                             {halide_type_of<int8_t>(), "int8"},     {halide_type_of<int16_t>(), "int16"},
                             {halide_type_of<uint16_t>(), "uint16"}, {halide_type_of<int32_t>(), "int32"},
                             {halide_type_of<uint32_t>(), "uint32"}, {halide_type_of<uint8_t>(), "uint8"},
                             {halide_type_of<int64_t>(), "int64"},   {halide_type_of<uint64_t>(), "uint64"},
                             {halide_type_of<bool>(), "bool"}};

/// The value of a scalar argument.
nlohmann::json value_of(halide_type_t type, const halide_scalar_value_t &scalar, const std::string &name) {
    return with_type(type, name, [&](auto kind) {
        std::memcpy(&kind, &scalar, sizeof kind);
        return nlohmann::json(kind);
    });
}

/// A zeroed tensor of an argument's estimates, or of what the row says instead: then from 0.
Tensor row_tensor(const Row &row, const Argument &argument) {
    const auto own = row.extents.find(argument.name);
    const std::vector<int> &extents_of = own == row.extents.end() ? argument.extents : own->second;
    const auto pitch_of = row.pitches.find(argument.name);
    const int pitch = pitch_of == row.pitches.end() ? 0 : pitch_of->second;
    if (pitch == 0) {
        Tensor tensor = make_tensor(argument, extents_of);
        if (own == row.extents.end()) {
            tensor.set_min(argument.mins);
        }
        return tensor;
    }
    std::vector<int> extents = extents_of;
    if (extents.empty() || pitch < extents[0]) {
        throw std::runtime_error("argument '" + argument.name + "' has rows longer than its pitch of " +
                                 std::to_string(pitch));
    }
    extents[0] = pitch;
    Tensor tensor = make_tensor(argument, extents);
    tensor.crop(0, 0, extents_of[0]);
    return tensor;
}

std::string tensor_file(const std::string &folder, const std::string &name) {
    return folder + "/" + name + ".bin";
}

/// Values that were rounded: some that lay between two integers may have become the other one.
template<typename T>
bool rounded_alike(const T *results, const std::vector<T> &reference) {
    constexpr size_t one_in = 100;
    size_t others = 0;
    for (size_t i = 0; i < reference.size(); i++) {
        const T high = std::max(results[i], reference[i]), low = std::min(results[i], reference[i]);
        others += high != low;
        if (high != low && static_cast<T>(low + 1) != high) {
            return false;
        }
    }
    return others * one_in <= reference.size();
}

}  // namespace

Workload::Workload(const Row &row, const std::string &library, const std::string &photograph)
    : rounds_(row.rounds) {
    void *handle = library_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        throw std::runtime_error(dlerror());
    }
    if (!row.photographs.empty()) {
        photograph_ = std::make_unique<Photograph>(photograph);
    }
    pitches_ = row.pitches;
    for (int i = 0; symbol(handle, i, "_argv"); i++) {
        const auto call = reinterpret_cast<Kernel::Call>(symbol(handle, i, "_argv"));
        const auto metadata =
            reinterpret_cast<const halide_filter_metadata_t *(*)()>(symbol(handle, i, "_metadata"));
        bind(row, Kernel(call, metadata()));
    }
    if (kernels_.empty()) {
        throw std::runtime_error("the library " + library + " has no kernel");
    }
}

Tensor Workload::draw(const Row &row, const Argument &input) const {
    const auto exposure = row.photographs.find(input.name);
    if (exposure != row.photographs.end()) {
        Tensor tensor = row_tensor(row, input);
        photograph_->fill(tensor, exposure->second);
        return tensor;
    }
    const auto range = row.ranges.find(input.name);
    const bool floating = input.type.code == halide_type_float;
    if (range == row.ranges.end() && !floating) {
        throw std::runtime_error("row " + row.name + " gives no range for the integers of input '" +
                                 input.name + "'");
    }
    const auto [low, high] = range == row.ranges.end() ? std::pair(-0.5, 0.5) : range->second;
    Tensor tensor = row_tensor(row, input);
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
            scalar_values_[argument.name] = value_of(argument.type, *argument.scalar, argument.name);
            values.set_scalar(argument.name, &scalars_[argument.name]);
            continue;
        }
        if (argument.is_output()) {
            tensors_.insert_or_assign(argument.name, row_tensor(row, argument));
            outputs_.insert(argument.name);
        } else if (tensors_.count(argument.name)) {
            outputs_.erase(argument.name);
        } else {
            tensors_.emplace(argument.name, draw(row, argument));
            tensors_.at(argument.name).set_host_dirty();
            inputs_.insert(argument.name);
        }
        values.set(argument.name, tensors_.at(argument.name));
    }
    kernels_.push_back({kernel, kernel.bind(values)});
}

void Workload::run() {
    for (Bound &bound : kernels_) {
        bound.kernel.run(bound.arguments);
    }
    wait();
}

void Workload::wait() {
    for (auto &[name, tensor] : tensors_) {
        if (tensor.device_dirty()) {
            if (tensor.device_sync() != 0) {
                throw std::runtime_error("the device did not finish");
            }
            return;  // that was all of its work
        }
    }
}

/// A dense copy.
Tensor Workload::on_host(const std::string &name) {
    Tensor &tensor = tensors_.at(name);
    if (tensor.copy_to_host() != 0) {
        throw std::runtime_error("'" + name + "' could not be copied from the device");
    }
    return tensor.copy();
}

void Workload::run(size_t kernel) {
    kernels_[kernel].kernel.run(kernels_[kernel].arguments);
    wait();
}

size_t Workload::most_held_bytes() {
    return bench::most_held_bytes(library_, [this] { run(); });
}

size_t Workload::points() const {
    size_t sum = 0;
    for (const std::string &name : outputs_) {
        sum += tensors_.at(name).number_of_elements();
    }
    return sum;
}

size_t Workload::bytes(size_t kernel) const {
    size_t sum = 0;
    for (const Argument &argument : kernels_[kernel].kernel.arguments()) {
        sum += argument.is_scalar() ? 0 : tensors_.at(argument.name).size_in_bytes();
    }
    return sum;
}

nlohmann::json Workload::describe(const std::string &name) const {
    const Tensor &tensor = tensors_.at(name);
    nlohmann::json described = {{"name", name}, {"extents", nlohmann::json::array()}};
    for (int d = 0; d < tensor.dimensions(); d++) {
        described["extents"].push_back(tensor.dim(d).extent());
    }
    for (const Known &known : known_types) {
        if (known.type == tensor.type()) {
            described["type"] = known.name;
        }
    }
    if (const auto pitch = pitches_.find(name); pitch != pitches_.end()) {
        described["pitch"] = pitch->second;
    }
    return described;
}

void Workload::write(const std::string &folder) {
    std::filesystem::create_directories(folder);
    std::filesystem::remove(folder + "/tensors.json");  // it is written last: where it is, all is
    nlohmann::json index = {{"inputs", nlohmann::json::array()},
                            {"outputs", nlohmann::json::array()},
                            {"scalars", scalar_values_}};
    const auto put = [&](const char *list, const std::string &name) {
        const Tensor dense = on_host(name);
        index[list].push_back(describe(name));
        std::ofstream file(tensor_file(folder, name), std::ios::binary);
        file.write(static_cast<const char *>(dense.data()),
                   static_cast<std::streamsize>(dense.size_in_bytes()));
        if (!file.flush()) {
            throw std::runtime_error("cannot write " + tensor_file(folder, name));
        }
    };
    for (const std::string &name : inputs_) {
        put("inputs", name);
    }
    for (const std::string &name : outputs_) {
        put("outputs", name);
    }
    std::ofstream file(folder + "/tensors.json");
    file << index.dump(2) << "\n";
    if (!file.flush()) {
        throw std::runtime_error("cannot write " + folder + "/tensors.json");
    }
}

double Workload::difference(const std::string &folder) {
    std::ifstream file(folder + "/tensors.json");
    double worst = 0;
    for (const nlohmann::json &output : nlohmann::json::parse(file).at("outputs")) {
        worst = std::max(worst, difference(folder, output.at("name")));
    }
    return worst;
}

double Workload::difference(const std::string &folder, const std::string &output) {
    if (!tensors_.count(output)) {
        return std::numeric_limits<double>::infinity();
    }
    const Tensor dense = on_host(output);
    std::ifstream file(tensor_file(folder, output), std::ios::binary);
    return with_type(dense.type(), output, [&](auto kind) {
        using T = decltype(kind);
        std::vector<T> reference(dense.number_of_elements());
        const auto bytes = static_cast<std::streamsize>(reference.size() * sizeof(T));
        file.read(reinterpret_cast<char *>(reference.data()), bytes);
        if (file.gcount() != bytes || file.peek() != std::ifstream::traits_type::eof()) {
            return std::numeric_limits<double>::infinity();  // a tensor of another shape, or none
        }
        const auto *results = static_cast<const T *>(dense.data());
        if constexpr (std::is_integral_v<T>) {
            if (rounds_ && rounded_alike(results, reference)) {
                return 0.0;
            }
        }
        return largest_difference(results, reference.data(), reference.size());
    });
}

template<typename T>
double largest_difference(const T *results, const T *reference, size_t count) {
    double largest = std::numeric_limits<float>::min(), difference = 0;
    for (size_t i = 0; i < count; i++) {
        const auto right = static_cast<double>(reference[i]);
        largest = std::max(largest, std::abs(right));
        const double d = std::abs(static_cast<double>(results[i]) - right);
        difference =
            d <= difference ? difference : (std::isnan(d) ? std::numeric_limits<double>::infinity() : d);
    }
    return difference / largest;
}

template double largest_difference(const float *, const float *, size_t);
template double largest_difference(const double *, const double *, size_t);

}  // namespace eutectic::bench
