#pragma once

// EUTECTIC_REGISTER_DIFFERENTIABLE(CLASS, NAME), at global scope, registers seven generators from one
// Halide::Generator<> class: NAME (as HALIDE_REGISTER_GENERATOR does), NAME_forward, NAME_backward,
// NAME_gradient, both passes in one pipeline, NAME_tangent, values with tangents, NAME_hvp, gradients with
// tangents, and NAME_batched, NAME for a batch of examples (see autodiff/generator.h). With
// EUTECTIC_REGISTER_DIFFERENTIABLE_WITH(CLASS, NAME, RULES), their derivative rules are RULES, an
// eutectic::RuleList, instead of eutectic::default_rules().
//
// EUTECTIC_REGISTER_BATCHED(CLASS, NAME) registers NAME and NAME_batched alone.

#include "autodiff/generator.h"

#define EUTECTIC_REGISTER_DIFFERENTIABLE(CLASS, NAME) \
    EUTECTIC_REGISTER_DIFFERENTIABLE_WITH(CLASS, NAME, eutectic::default_rules())

#define EUTECTIC_REGISTER_DIFFERENTIABLE_WITH(CLASS, NAME, RULES)                                            \
    HALIDE_REGISTER_GENERATOR(CLASS, NAME)                                                                   \
    namespace halide_register_generator {                                                                    \
    namespace {                                                                                              \
    const Halide::Internal::RegisterGenerator                                                                \
        reg_##NAME##_forward(#NAME "_forward", [](const Halide::GeneratorContext &c) {                       \
            return eutectic::make_gradient_generator(#NAME "_forward", eutectic::GradientPart::forward, c,   \
                                                     NAME##_ns::factory, RULES);                             \
        });                                                                                                  \
    const Halide::Internal::RegisterGenerator                                                                \
        reg_##NAME##_backward(#NAME "_backward", [](const Halide::GeneratorContext &c) {                     \
            return eutectic::make_gradient_generator(#NAME "_backward", eutectic::GradientPart::backward, c, \
                                                     NAME##_ns::factory, RULES);                             \
        });                                                                                                  \
    const Halide::Internal::RegisterGenerator                                                                \
        reg_##NAME##_gradient(#NAME "_gradient", [](const Halide::GeneratorContext &c) {                     \
            return eutectic::make_gradient_generator(#NAME "_gradient", eutectic::GradientPart::joint, c,    \
                                                     NAME##_ns::factory, RULES);                             \
        });                                                                                                  \
    const Halide::Internal::RegisterGenerator                                                                \
        reg_##NAME##_tangent(#NAME "_tangent", [](const Halide::GeneratorContext &c) {                       \
            return eutectic::make_gradient_generator(#NAME "_tangent", eutectic::GradientPart::tangent, c,   \
                                                     NAME##_ns::factory, RULES);                             \
        });                                                                                                  \
    const Halide::Internal::RegisterGenerator                                                                \
        reg_##NAME##_hvp(#NAME "_hvp", [](const Halide::GeneratorContext &c) {                               \
            return eutectic::make_gradient_generator(#NAME "_hvp", eutectic::GradientPart::hvp, c,           \
                                                     NAME##_ns::factory, RULES);                             \
        });                                                                                                  \
    const Halide::Internal::RegisterGenerator                                                                \
        reg_##NAME##_batched(#NAME "_batched", [](const Halide::GeneratorContext &c) {                       \
            return eutectic::make_gradient_generator(#NAME "_batched", eutectic::GradientPart::batched, c,   \
                                                     NAME##_ns::factory, RULES);                             \
        });                                                                                                  \
    }                                                                                                        \
    }

#define EUTECTIC_REGISTER_BATCHED(CLASS, NAME)                                                             \
    HALIDE_REGISTER_GENERATOR(CLASS, NAME)                                                                 \
    namespace halide_register_generator {                                                                  \
    namespace {                                                                                            \
    const Halide::Internal::RegisterGenerator                                                              \
        reg_##NAME##_batched(#NAME "_batched", [](const Halide::GeneratorContext &c) {                     \
            return eutectic::make_gradient_generator(#NAME "_batched", eutectic::GradientPart::batched, c, \
                                                     NAME##_ns::factory);                                  \
        });                                                                                                \
    }                                                                                                      \
    }
