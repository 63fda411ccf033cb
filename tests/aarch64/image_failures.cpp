#include "tests/aarch64/image_failures.h"

#include "apps/support/random.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <optional>
#include <stdexcept>

namespace eutectic::test {

namespace {

using numerics::Failures;
using numerics::GuardedTensor;

bool is_float(halide_type_t type) {
    return type.code == halide_type_float;
}

/// Of those types that scalar inputs of images have.
halide_scalar_value_t scalar(const Argument &argument, double number) {
    halide_scalar_value_t value{};
    if (argument.type == halide_type_of<float>()) {
        value.u.f32 = static_cast<float>(number);
    } else if (is_float(argument.type)) {
        throw std::logic_error("scalar '" + argument.name + "' is of a type that no image generator had");
    } else {
        value.u.i64 =
            static_cast<int64_t>(number);  // little-endian: its first bytes are the smaller integers
    }
    return value;
}

/// Values follow from the input's name alone.
void draw(const Subject &subject, const std::string &name, GuardedTensor &tensor) {
    const auto range = range_of(subject, name, is_float(tensor.type()));
    Random random(std::hash<std::string>()(name));
    tensor.set([&] {
        const double at = range.first + (range.second - range.first) * (1 + random.symmetric()) / 2;
        return is_float(tensor.type()) ? at : std::trunc(at);
    });
}

/// Runs the kernel on `threads` threads; its only output, or nothing if it fails.
std::optional<GuardedTensor> run(const Subject &subject, const Kernel &kernel, const Size &size, int threads,
                                 Failures &failures) {
    halide_set_num_threads(threads);
    std::deque<GuardedTensor> tensors;
    std::deque<halide_scalar_value_t> scalars;
    std::vector<void *> pointers;
    size_t output = 0;
    for (const Argument &argument : kernel.arguments()) {
        if (argument.is_scalar()) {
            scalars.push_back(scalar(argument, subject.scalars.at(argument.name)));
            pointers.push_back(&scalars.back());
            continue;
        }
        std::vector<numerics::Range> ranges;
        for (const int extent : extents_of(subject, argument.name, argument.dimensions, size)) {
            ranges.push_back({0, extent});
        }
        tensors.emplace_back(argument.type, ranges, GuardedTensor::Place::middle, 3);
        if (argument.is_output()) {
            output = tensors.size() - 1;
            tensors.back().fill(0xFF);
        } else {
            draw(subject, argument.name, tensors.back());
        }
        pointers.push_back(tensors.back().raw());
    }
    const std::string error = numerics::call(kernel, pointers);
    if (!error.empty()) {
        failures.push_back(kernel.name() + " failed: " + error);
        return std::nullopt;
    }
    for (const GuardedTensor &tensor : tensors) {
        if (const auto damage = tensor.damage()) {
            failures.push_back(kernel.name() + ": " + *damage);
        }
    }
    return std::move(tensors[output]);
}

void compare(const GuardedTensor &planned, const GuardedTensor &unfused, double tolerance,
             Failures &failures) {
    const std::vector<double> got = planned.values(), right = unfused.values();
    double largest = 0;
    for (const double v : right) {
        largest = std::max(largest, std::abs(v));
    }
    const double allowed = is_float(planned.type()) ? tolerance * largest : 0;
    for (size_t i = 0; i < right.size(); i++) {
        const bool same = got[i] == right[i] || (std::isnan(got[i]) && std::isnan(right[i]));
        if (!same && !(std::abs(got[i] - right[i]) <= allowed)) {
            failures.push_back(planned.where(i) + " is " + std::to_string(got[i]) + ", but " +
                               std::to_string(right[i]) + " in the unfused program; they may differ by " +
                               std::to_string(allowed));
            return;
        }
    }
}

}  // namespace

Failures image_failures(const Subject &subject, const Kernel &planned, const Kernel &unfused,
                        const Size &size) {
    Failures failures;
    const auto right = run(subject, unfused, size, 1, failures);
    const auto two = run(subject, planned, size, 2, failures), one = run(subject, planned, size, 1, failures);
    if (right && two && one) {
        compare(*two, *right, subject.tolerance, failures);
        if (two->bytes() != one->bytes()) {
            failures.push_back("one thread gives other bits than two");
        }
    }
    return failures;
}

}  // namespace eutectic::test
