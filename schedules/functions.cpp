#include "schedules/functions.h"

#include "graph/read/outputs.h"
#include "schedules/rewrites.h"
#include "schedules/target.h"

namespace eutectic {

using namespace Halide;

namespace {

/** May kernels for `target` have the device's approximations? */
bool may_approximate(const Target &target, Numerics numerics, const Parameters &p) {
    return target.has_feature(Target::CUDA) && numerics == Numerics::fast &&
           !p.disables("approximate_functions");
}

/** What the pipeline's author has scheduled may run elsewhere. */
bool has_schedules(const Pipeline &pipeline) {
    for (const auto &[name, function] : Internal::build_environment(locked_outputs(pipeline))) {
        if (function.has_extern_definition() || !function.schedule().compute_level().is_inlined()) {
            return true;
        }
    }
    return false;
}

std::string listed(const std::set<std::string> &functions) {
    std::string names;
    for (const std::string &name : functions) {
        names += (names.empty() ? "" : ", ") + name;
    }
    return names + (functions.size() == 1 ? " is" : " are");
}

}  // namespace

ReplacedFunctions functions_to_replace(const Pipeline &pipeline, const Target &target, Numerics numerics,
                                       const Parameters &p) {
    ReplacedFunctions functions;
    if (may_approximate(target, numerics, p) && !has_schedules(pipeline)) {
        functions.approximate = approximable_functions(pipeline);
    }
    if (!target.has_gpu_feature() && numerics != Numerics::strict && !p.disables("vectorize_functions")) {
        functions.in_vectors = vectorizable_functions(pipeline);
    }
    return functions;
}

std::vector<std::string> sentences_on(const ReplacedFunctions &functions) {
    std::vector<std::string> sentences;
    if (!functions.in_vectors.empty()) {
        sentences.push_back(
            listed(functions.in_vectors) +
            " computed in vectors within 2.2 units in the last place; Halide calls the C library for each "
            "element, or, for pow_f32, is off by up to 206 units (disable=vectorize_functions leaves the "
            "calls)");
    }
    if (!functions.approximate.empty()) {
        sentences.push_back(listed(functions.approximate) +
                            " approximate, by the device's own instructions: exponentials within (2 + |x|) "
                            "2^-22 of themselves, quotients within 2 units in the last place "
                            "(disable=approximate_functions leaves them)");
    }
    return sentences;
}

Machine with_functions(Machine machine, const Target &target, const Parameters &p) {
    if (machine.gpu && may_approximate(target, numerics_of(target, p.numerics), p)) {
        machine.gpu->transcendental_instructions = machine.gpu->approximate_transcendental_instructions;
        machine.gpu->division_instructions = machine.gpu->approximate_division_instructions;
    }
    return machine;
}

}  // namespace eutectic
