#include "schedules/target.h"

#include "base/user_error.h"

namespace eutectic {

using namespace Halide;

TargetDescription describe(const Target &target) {
    if (target.has_gpu_feature()) {
        throw UserError("The target " + target.to_string() + " asks for GPU kernels, which Eutectic does not schedule yet: use a CPU target.");
    }
    TargetDescription d;
    d.arch = target.arch == Target::X86 ? "x86" : target.arch == Target::ARM ? "arm"
                                              : target.arch == Target::RISCV ? "riscv"
                                                                             : "other";
    d.vector_bits = target.natural_vector_size<float>() * 32;
    d.fused_multiply_add = target.arch != Target::X86 || target.has_feature(Target::FMA);
    return d;
}

}  // namespace eutectic
