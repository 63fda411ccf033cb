#include "pytorch/call.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <mutex>

#include <ATen/Parallel.h>
#include <HalideRuntime.h>
#include <c10/util/Exception.h>

#include "pair/library_arguments.h"

extern "C" {
// Of the OpenMP library that PyTorch has loaded, among what this library links: threads of another one would
// take the cores from those.
void GOMP_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags)
    __attribute__((weak));
// threads.c
void eutectic_use_openmp(void *parallel);
void eutectic_set_threads(unsigned threads);
}

namespace eutectic::pytorch {
namespace {

// What a kernel says in one of Halide's threads belongs to the call that waits for it: the latest one is
// told.
std::mutex saying;
std::string said;

void keep(void * /*context*/, const char *message) {
    const std::lock_guard<std::mutex> lock(saying);
    said = message;
    while (!said.empty() && said.back() == '\n') {
        said.pop_back();
    }
}

/// Once, for the runtime that this library has.
void start_runtime() {
    static const bool started = [] {
        halide_set_error_handler(keep);
        if (GOMP_parallel != nullptr) {
            eutectic_use_openmp(reinterpret_cast<void *>(GOMP_parallel));
        }
        return true;
    }();
    (void)started;
    const int threads = at::get_num_threads();
    halide_set_num_threads(threads);
    eutectic_set_threads(static_cast<unsigned>(threads));
}

halide_type_t type_of(c10::ScalarType type) {
    switch (type) {
    case c10::ScalarType::Bool: return {halide_type_uint, 1};
    case c10::ScalarType::Byte: return {halide_type_uint, 8};
    case c10::ScalarType::UInt16: return {halide_type_uint, 16};
    case c10::ScalarType::UInt32: return {halide_type_uint, 32};
    case c10::ScalarType::UInt64: return {halide_type_uint, 64};
    case c10::ScalarType::Char: return {halide_type_int, 8};
    case c10::ScalarType::Short: return {halide_type_int, 16};
    case c10::ScalarType::Int: return {halide_type_int, 32};
    case c10::ScalarType::Long: return {halide_type_int, 64};
    case c10::ScalarType::Half: return {halide_type_float, 16};
    case c10::ScalarType::BFloat16: return {halide_type_bfloat, 16};
    case c10::ScalarType::Float: return {halide_type_float, 32};
    default: return {halide_type_float, 64};
    }
}

/// The bytes of a number, as the type has them.
template<typename T>
int64_t bytes_of(T value) {
    int64_t bytes = 0;
    std::memcpy(&bytes, &value, sizeof value);
    return bytes;
}

int64_t number_of(c10::ScalarType type, const c10::IValue &value) {
    const bool is_integer = value.isInt() || value.isBool();
    const int64_t integer =
        is_integer ? (value.isBool() ? static_cast<int64_t>(value.toBool()) : value.toInt()) : 0;
    const double real = is_integer ? static_cast<double>(integer) : value.toDouble();
    switch (type) {
    case c10::ScalarType::Float: return bytes_of(static_cast<float>(real));
    case c10::ScalarType::Double: return bytes_of(real);
    default: return integer;  // narrower ones are its first bytes
    }
}

/// What a function is given: buffers and numbers, and their places in memory in its order.
class Words {
public:
    /// Of `count` that the function takes, those at `places` are given; the others are null.
    Words(const std::vector<size_t> &places, size_t count)
        : places_(places),
          buffers_(places.size()),
          dims_(places.size()),
          numbers_(places.size()),
          words_(count) {
    }

    void set_number(size_t i, int64_t bytes) {
        numbers_[i] = bytes;
        words_[places_[i]] = &numbers_[i];
    }

    /// Sizes, strides and begins with the innermost dimension last.
    void set_buffer(size_t i, const Argument &argument, void *host, c10::IntArrayRef sizes,
                    c10::IntArrayRef strides, const std::vector<int64_t> *begins) {
        halide_buffer_t &buffer = buffers_[i];
        const size_t count = sizes.size();
        TORCH_CHECK(count <= dims_[i].size(), "the tensor ", argument.name, " has more than ",
                    dims_[i].size(), " dimensions");
        for (size_t d = 0; d < count; d++) {
            const size_t at = count - 1 - d;
            const int64_t stride = d == 0 ? 1 : strides[at];  // of a dimension of 1, it is whatever it was
            TORCH_CHECK(fits(sizes[at]) && fits(stride), "The tensor ", argument.name,
                        " has a dimension or a stride beyond 2147483647, the most that a kernel counts to: "
                        "split it.");
            dims_[i][d] = halide_dimension_t(begins != nullptr ? static_cast<int32_t>((*begins)[at]) : 0,
                                             static_cast<int32_t>(sizes[at]), static_cast<int32_t>(stride));
        }
        buffer.host = static_cast<uint8_t *>(host);
        buffer.type = type_of(argument.type);
        buffer.dimensions = static_cast<int32_t>(count);
        buffer.dim = dims_[i].data();
        buffer.flags = halide_buffer_flag_host_dirty;
        words_[places_[i]] = &buffer;
    }

    const halide_buffer_t &buffer(size_t i) const {
        return buffers_[i];
    }
    void **words() {
        return words_.data();
    }

private:
    static bool fits(int64_t n) {
        return n <= std::numeric_limits<int32_t>::max();
    }

    const std::vector<size_t> &places_;
    std::vector<halide_buffer_t> buffers_;
    std::vector<std::array<halide_dimension_t, 16>> dims_;
    std::vector<int64_t> numbers_;
    std::vector<void *> words_;
};

std::vector<int64_t> contiguous_strides(const std::vector<int64_t> &sizes) {
    std::vector<int64_t> strides(sizes.size(), 1);
    for (size_t d = sizes.size(); d-- > 1;) {
        strides[d - 1] = strides[d] * std::max<int64_t>(1, sizes[d]);
    }
    return strides;
}

const std::vector<int64_t> *begins_of(const Begins &begins, const std::string &name) {
    const auto found = begins.find(name);
    return found == begins.end() ? nullptr : &found->second;
}

}  // namespace

at::Tensor as_taken(const at::Tensor &tensor) {
    const bool apart = tensor.dim() > 0 && tensor.stride(-1) != 1 && tensor.size(-1) > 1;
    return apart ? tensor.contiguous() : tensor;
}

Call::Call(const Pair &pair, int (*function)(void **), const halide_filter_metadata_t *metadata,
           const std::vector<std::string> &order, const std::vector<std::string> &unread)
    : function_(function), count_(order.size()) {
    std::vector<ExpectedArgument> wanted;
    for (size_t place = 0; place < count_; place++) {
        for (const Argument &argument : pair.arguments) {
            if (argument.name != order[place]) {
                continue;
            }
            wanted.push_back({argument.name.c_str(), type_of(argument.type), argument.dimensions});
            if (std::find(unread.begin(), unread.end(), argument.name) == unread.end()) {
                arguments_.push_back(argument);
                places_.push_back(place);
            }
        }
    }
    refusal_ = other_arguments(metadata->name, *metadata, wanted);
}

void Call::run(const Values &values, const Begins &begins) const {
    static int64_t somewhere = 0;  // of an empty tensor: a null host is a question about sizes
    TORCH_CHECK(refusal_.empty(), refusal_);
    Words words(places_, count_);
    for (size_t i = 0; i < arguments_.size(); i++) {
        const Argument &argument = arguments_[i];
        const c10::IValue &value = values.at(argument.name);
        if (argument.dimensions == is_number) {
            words.set_number(i, number_of(argument.type, value));
            continue;
        }
        const at::Tensor &tensor = value.toTensor();
        void *const host = tensor.data_ptr();
        words.set_buffer(i, argument, host != nullptr ? host : &somewhere, tensor.sizes(), tensor.strides(),
                         begins_of(begins, argument.name));
    }
    start_runtime();
    check(function_(words.words()));
}

std::map<std::string, std::vector<std::pair<int64_t, int64_t>>>
Call::needed(const std::map<std::string, std::vector<int64_t>> &sizes, const Values &numbers,
             const Begins &begins) const {
    TORCH_CHECK(refusal_.empty(), refusal_);
    Words words(places_, count_);
    for (size_t i = 0; i < arguments_.size(); i++) {
        const Argument &argument = arguments_[i];
        if (argument.dimensions == is_number) {
            words.set_number(i, number_of(argument.type, numbers.at(argument.name)));
            continue;
        }
        const std::vector<int64_t> &of = sizes.at(argument.name);
        words.set_buffer(i, argument, nullptr, of, contiguous_strides(of), begins_of(begins, argument.name));
    }
    start_runtime();
    check(function_(words.words()));
    std::map<std::string, std::vector<std::pair<int64_t, int64_t>>> result;
    for (size_t i = 0; i < arguments_.size(); i++) {
        if (arguments_[i].dimensions != is_number) {
            const halide_buffer_t &buffer = words.buffer(i);
            auto &ranges = result[arguments_[i].name];
            for (int d = buffer.dimensions; d-- > 0;) {
                ranges.emplace_back(buffer.dim[d].min, buffer.dim[d].extent);
            }
        }
    }
    return result;
}

void Call::check(int status) const {
    if (status != 0) {
        const std::lock_guard<std::mutex> lock(saying);
        TORCH_CHECK(false, "a kernel failed: ", said);
    }
}

}  // namespace eutectic::pytorch
