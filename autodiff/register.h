#pragma once

// EUTECTIC_REGISTER_DIFFERENTIABLE(CLASS, NAME), at global scope, registers three generators from one Halide::Generator<> class: NAME
// (as HALIDE_REGISTER_GENERATOR does), NAME_forward and NAME_backward (see autodiff/generator.h).

#include "autodiff/generator.h"

#define EUTECTIC_REGISTER_DIFFERENTIABLE(CLASS, NAME)                                                                                \
    HALIDE_REGISTER_GENERATOR(CLASS, NAME)                                                                                           \
    namespace halide_register_generator {                                                                                            \
    namespace {                                                                                                                      \
    const Halide::Internal::RegisterGenerator reg_##NAME##_forward(#NAME "_forward", [](const Halide::GeneratorContext &context) {   \
        return eutectic::make_gradient_generator(#NAME "_forward", eutectic::GradientPart::forward, context, NAME##_ns::factory);    \
    });                                                                                                                              \
    const Halide::Internal::RegisterGenerator reg_##NAME##_backward(#NAME "_backward", [](const Halide::GeneratorContext &context) { \
        return eutectic::make_gradient_generator(#NAME "_backward", eutectic::GradientPart::backward, context, NAME##_ns::factory);  \
    });                                                                                                                              \
    }                                                                                                                                \
    }
