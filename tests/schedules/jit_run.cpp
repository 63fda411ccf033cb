#include "tests/schedules/jit_run.h"

#include <algorithm>
#include <random>
#include <stdexcept>

namespace eutectic::test {

using namespace Halide;

namespace {

/** Floats in [-1, 1), integers in [0, 100): in the range of every type. */
void fill(Buffer<> buffer, uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto set = [&](auto sample) {
        using T = decltype(sample(0));
        if (buffer.number_of_elements() > 0) {  // one of none has no memory
            buffer.as<T>().for_each_value([&](T &v) { v = sample(random()); });
        }
    };
    const Type t = buffer.type();
    if (t == Float(32)) {
        set([](uint64_t r) { return static_cast<float>(r >> 40) * 0x1p-23f - 1; });
    } else if (t == Float(64)) {
        set([](uint64_t r) { return static_cast<double>(r >> 11) * 0x1p-52 - 1; });
    } else if (t == Int(32)) {
        set([](uint64_t r) { return static_cast<int32_t>(r % 100); });
    } else if (t == Int(8)) {
        set([](uint64_t r) { return static_cast<int8_t>(r % 100); });
    } else if (t == Int(16)) {
        set([](uint64_t r) { return static_cast<int16_t>(r % 100); });
    } else if (t == UInt(8)) {
        set([](uint64_t r) { return static_cast<uint8_t>(r % 100); });
    } else if (t == UInt(16)) {
        set([](uint64_t r) { return static_cast<uint16_t>(r % 100); });
    } else if (t == UInt(32)) {
        set([](uint64_t r) { return static_cast<uint32_t>(r % 100); });
    } else {
        throw std::logic_error("no values for this type");
    }
}

constexpr int border = 3;  // elements on each side of an output

/** Larger than the outputs, filled. */
std::vector<Buffer<>> around_outputs(const Program &program, const Sizes &sizes) {
    std::vector<Buffer<>> buffers;
    for (size_t i = 0; i < program.outputs.size(); i++) {
        for (const Type &t : program.outputs[i].types()) {
            std::vector<int> extents = sizes.outputs[i];
            std::vector<int> mins(extents.size(), 0);
            const std::vector<int> &from = sizes.own_mins.empty() ? sizes.mins : sizes.own_mins[i];
            for (size_t d = 0; d < extents.size(); d++) {
                extents[d] += 2 * border;
                mins[d] = (from.empty() ? 0 : from[d]) - border;
            }
            Buffer<> b(t, extents);
            b.set_min(mins);
            fill(b, 12345);  // what a kernel forgets to write is seen
            buffers.push_back(b);
        }
    }
    return buffers;
}

Buffer<> inside(const Buffer<> &around) {
    Buffer<> b = around;
    for (int d = 0; d < b.dimensions(); d++) {
        b = b.cropped(d, b.dim(d).min() + border,
                      b.dim(d).extent() - 2 * border);  // crop() would change `around`
    }
    return b;
}

/** Did anything beside the output change? */
void check_border(const Buffer<> &around) {
    Buffer<> before = around.copy();
    fill(before, 12345);
    Buffer<> now = around.copy();
    inside(now).copy_from(inside(before));
    if (values(now) != values(before)) {
        throw std::logic_error("a kernel wrote beside its output");
    }
}

}  // namespace

std::vector<double> values(const Buffer<> &buffer) {
    std::vector<double> result;
    const auto copy = [&](auto typed) {
        typed.for_each_value([&](auto v) { result.push_back(static_cast<double>(v)); });
    };
    const Type t = buffer.type();
    if (t == Float(32)) {
        copy(buffer.as<const float>());
    } else if (t == Float(64)) {
        copy(buffer.as<const double>());
    } else if (t == Int(32)) {
        copy(buffer.as<const int32_t>());
    } else if (t == Int(8)) {
        copy(buffer.as<const int8_t>());
    } else if (t == Int(16)) {
        copy(buffer.as<const int16_t>());
    } else if (t == UInt(8)) {
        copy(buffer.as<const uint8_t>());
    } else if (t == UInt(16)) {
        copy(buffer.as<const uint16_t>());
    } else if (t == UInt(32)) {
        copy(buffer.as<const uint32_t>());
    } else {
        throw std::logic_error("no comparison for this type");
    }
    return result;
}

void compute_all_at_root(const Program &program) {
    std::vector<Internal::Function> functions;
    for (const Func &f : program.outputs) {
        functions.push_back(f.function());
    }
    for (auto &[name, function] : Internal::build_environment(functions)) {
        function.lock_loop_levels();
        if (function.schedule().compute_level().is_inlined()) {
            Func(function).compute_root();
        }
    }
}

Compiled::Compiled(const Program &program, const Target &target)
    : program_(program), pipeline_(program.outputs), target_(target) {
    pipeline_.set_jit_externs(program.externs);
}

std::vector<Buffer<>> Compiled::run(const Sizes &sizes) {
    for (size_t i = 0; i < program_.inputs.size(); i++) {
        Buffer<> in(program_.inputs[i].type(), sizes.inputs[i]);
        fill(in, i + 1);
        in.set_host_dirty();
        program_.inputs[i].set(in);
    }
    const std::vector<Buffer<>> around = around_outputs(program_, sizes);
    std::vector<Buffer<>> outputs;
    for (const Buffer<> &b : around) {
        outputs.push_back(inside(b));
    }
    pipeline_.realize(Realization(outputs), target_);
    for (Buffer<> &b : outputs) {
        b.copy_to_host();
    }
    std::for_each(around.begin(), around.end(), check_border);
    return outputs;
}

}  // namespace eutectic::test
