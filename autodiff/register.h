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

// NAME_PART, for use within namespace halide_register_generator, where NAME is registered.
#define EUTECTIC_REGISTER_PART(NAME, PART, WHICH, RULES)                                                \
    const Halide::Internal::RegisterGenerator reg_##NAME##_##PART(                                      \
        #NAME "_" #PART, [](const Halide::GeneratorContext &c) {                                        \
            return eutectic::make_gradient_generator(#NAME "_" #PART, eutectic::GradientPart::WHICH, c, \
                                                     NAME##_ns::factory, RULES);                        \
        });

#define EUTECTIC_REGISTER_DIFFERENTIABLE(CLASS, NAME) \
    EUTECTIC_REGISTER_DIFFERENTIABLE_WITH(CLASS, NAME, eutectic::default_rules())

#define EUTECTIC_REGISTER_DIFFERENTIABLE_WITH(CLASS, NAME, RULES) \
    HALIDE_REGISTER_GENERATOR(CLASS, NAME)                        \
    namespace halide_register_generator {                         \
    namespace {                                                   \
    EUTECTIC_REGISTER_PART(NAME, forward, forward, RULES)         \
    EUTECTIC_REGISTER_PART(NAME, backward, backward, RULES)       \
    EUTECTIC_REGISTER_PART(NAME, gradient, joint, RULES)          \
    EUTECTIC_REGISTER_PART(NAME, tangent, tangent, RULES)         \
    EUTECTIC_REGISTER_PART(NAME, hvp, hvp, RULES)                 \
    EUTECTIC_REGISTER_PART(NAME, batched, batched, RULES)         \
    }                                                             \
    }

#define EUTECTIC_REGISTER_BATCHED(CLASS, NAME)                                \
    HALIDE_REGISTER_GENERATOR(CLASS, NAME)                                    \
    namespace halide_register_generator {                                     \
    namespace {                                                               \
    EUTECTIC_REGISTER_PART(NAME, batched, batched, eutectic::default_rules()) \
    }                                                                         \
    }
