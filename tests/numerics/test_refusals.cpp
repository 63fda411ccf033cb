// What a kernel does with buffers that are wrong: it returns an error, touches nothing and goes on living.

#include "tests/numerics/evaluate.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace {

using namespace eutectic;
using namespace eutectic::numerics;

/// A kernel's arguments, any of which may be spoilt before the call.
class Arguments {
public:
    Arguments(const Subject &subject, const Kernel &kernel, const Sizes &sizes)
        : kernel_(kernel), scalars_(kernel.arguments().size()) {
        const auto residuals = residual_ranges(subject, sizes);
        for (size_t i = 0; i < kernel.arguments().size(); i++) {
            const Argument &argument = kernel.arguments()[i];
            if (argument.is_scalar()) {
                scalars_[i] = scalar_value(subject, argument);
                tensors_.emplace_back(halide_type_of<float>(), std::vector<Range>{},
                                      GuardedTensor::Place::middle, 0);
                continue;
            }
            tensors_.emplace_back(argument.type, ranges_of(subject, argument.name, sizes, residuals),
                                  GuardedTensor::Place::middle, 3);
            if (argument.is_output()) {
                tensors_[i].fill(0xFF);
            } else {
                draw(subject, argument.name, sizes, Numbers::exact, tensors_[i]);
            }
        }
    }

    GuardedTensor &operator[](size_t i) {
        return tensors_[i];
    }

    /// With argument `spoilt` replaced by `by`. Returns the error or an empty text.
    std::string run(size_t spoilt, halide_buffer_t *by) {
        std::vector<void *> pointers;
        before_.clear();
        for (size_t i = 0; i < tensors_.size(); i++) {
            void *pointer =
                kernel_.arguments()[i].is_scalar() ? static_cast<void *>(&scalars_[i]) : tensors_[i].raw();
            pointers.push_back(i == spoilt ? by : pointer);
            before_.push_back(tensors_[i].bytes());
        }
        return call(kernel_, pointers);
    }

    /// What a bounds query of `kernel` says of these shapes: does every input hold what the outputs need, and
    /// do the outputs agree?
    bool fits(const Kernel &kernel, size_t spoilt, const halide_buffer_t &by) {
        std::vector<halide_buffer_t> buffers(tensors_.size());
        std::vector<std::vector<halide_dimension_t>> dims(tensors_.size());
        std::vector<void *> pointers;
        for (size_t i = 0; i < tensors_.size(); i++) {
            const halide_buffer_t &shape = i == spoilt ? by : *tensors_[i].raw();
            dims[i].assign(shape.dim, shape.dim + shape.dimensions);
            dims[i].emplace_back();
            buffers[i] = shape;
            buffers[i].host = nullptr;
            buffers[i].dim = dims[i].data();
        }
        for (const Argument &argument : kernel.arguments()) {
            const size_t i = index_of(argument.name);
            buffers[i].type = argument.type;
            pointers.push_back(argument.is_scalar() ? static_cast<void *>(&scalars_[i]) : &buffers[i]);
        }
        REQUIRE(call(kernel, pointers) == "");
        for (size_t i = 0; i < tensors_.size(); i++) {
            const halide_buffer_t &shape = i == spoilt ? by : *tensors_[i].raw();
            for (int d = 0; d < shape.dimensions && !kernel_.arguments()[i].is_scalar(); d++) {
                const halide_dimension_t given = shape.dim[d], needed = dims[i][d];
                const bool held =
                    needed.min >= given.min && needed.min + needed.extent <= given.min + given.extent;
                // The query makes the tensors of one tuple equal: the others are not as the caller has them.
                const bool same = needed.min == given.min && needed.extent == given.extent;
                if (!held || (kernel_.arguments()[i].is_output() && !same)) {
                    return false;
                }
            }
        }
        return true;
    }

    void check_guards() const {
        for (const GuardedTensor &tensor : tensors_) {
            CHECK(tensor.damage().value_or("whole") == "whole");
        }
    }
    void check_untouched() const {
        check_guards();
        for (size_t i = 0; i < tensors_.size(); i++) {
            CHECK(tensors_[i].bytes() == before_[i]);
        }
    }

private:
    /// Kernels have what is kept in other places.
    size_t index_of(const std::string &name) const {
        const std::vector<Argument> &all = kernel_.arguments();
        const auto found =
            std::find_if(all.begin(), all.end(), [&](const Argument &a) { return a.name == name; });
        REQUIRE(found != all.end());
        return static_cast<size_t>(found - all.begin());
    }

    const Kernel &kernel_;
    std::vector<halide_scalar_value_t> scalars_;
    std::vector<GuardedTensor> tensors_;
    std::vector<std::vector<uint8_t>> before_;
};

template<typename Use>
void for_each_buffer(const Subject &subject, Use use) {
    for (const Kernel &kernel : subject.kernels) {
        for (size_t i = 0; i < kernel.arguments().size(); i++) {
            if (!kernel.arguments()[i].is_scalar()) {
                INFO(kernel.name(), ", ", kernel.arguments()[i].name);
                Arguments arguments(subject, kernel, estimates(subject));
                use(kernel, i, arguments);
            }
        }
    }
}

/// Is it an argument of the forward other than what is kept?
bool is_of_forward(const Kernel &forward, const std::string &name) {
    const std::vector<Argument> &all = forward.arguments();
    return name.rfind("residual_", 0) != 0 &&
           std::any_of(all.begin(), all.end(), [&](const Argument &a) { return a.name == name; });
}

/// The reference's kernel of the same part: the last is the backward, the first answers for both forwards.
const Kernel &reference_of(const Subject &subject, const Kernel &kernel) {
    return &kernel == &subject.kernels.back() ? subject.reference.back() : subject.reference.front();
}

}  // namespace

TEST_CASE("no buffer, another type, another number of dimensions: an error") {
    const Subject s = subject();
    for_each_buffer(s, [&](const Kernel &kernel, size_t i, Arguments &arguments) {
        const bool is_read = arguments.run(i, nullptr) != "";
        if (!is_read) {
            // A backward takes inputs and outputs of the forward that it does not read.
            CHECK(&kernel == &s.kernels.back());
            CHECK(s.has_gradients());
            CHECK_FALSE(kernel.arguments()[i].is_output());
            CHECK(is_of_forward(s.kernels[1], kernel.arguments()[i].name));
            return;
        }
        arguments.check_untouched();

        halide_buffer_t wrong = *arguments[i].raw();
        const halide_type_t half_words = halide_type_of<int16_t>();
        wrong.type = wrong.type == half_words ? halide_type_of<uint16_t>() : half_words;
        CHECK(arguments.run(i, &wrong) != "");
        arguments.check_untouched();

        wrong = *arguments[i].raw();
        std::vector<halide_dimension_t> dims(wrong.dim, wrong.dim + wrong.dimensions);
        dims.emplace_back(0, 1, 1);
        wrong.dim = dims.data();
        wrong.dimensions++;
        CHECK(arguments.run(i, &wrong) != "");
        arguments.check_untouched();
    });
}

TEST_CASE("one point less along any dimension: an error where the others need that point, and in bounds "
          "where they do not") {
    const Subject s = subject();
    int refused = 0;
    for_each_buffer(s, [&](const Kernel &kernel, size_t i, Arguments &arguments) {
        for (size_t d = 0; d < arguments[i].ranges().size(); d++) {
            halide_buffer_t small = *arguments[i].raw();
            std::vector<halide_dimension_t> dims(small.dim, small.dim + small.dimensions);
            dims[d].extent--;
            small.dim = dims.data();
            const std::string error = arguments.run(i, &small);
            const Kernel &reference = reference_of(s, kernel);
            // name has fewer outputs than name_forward, which is the reference for both.
            if (reference.arguments().size() == kernel.arguments().size()) {
                INFO("dimension ", d, ": ", error);
                CHECK((error == "") == arguments.fits(reference, i, small));
            }
            arguments.check_guards();
            if (!error.empty()) {
                arguments.check_untouched();
                refused++;
            }
        }
    });
    // One tensor alone, reduced to a scalar, has any size.
    const std::vector<Argument> &arguments = s.kernels.front().arguments();
    const auto tensors = std::count_if(arguments.begin(), arguments.end(),
                                       [](const Argument &a) { return !a.is_scalar() && a.dimensions > 0; });
    CHECK((refused > 0) == (tensors > 1));
}
