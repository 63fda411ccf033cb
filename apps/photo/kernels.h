#pragma once

#include "apps/photo/parameters.h"
#include "apps/photo/planes.h"

#include <memory>

namespace eutectic::photo {

/// The compiled kernels, planned in one way. Every size of a picture will do. What a kernel reports is thrown
/// as std::runtime_error.
class Kernels {
public:
    virtual ~Kernels() = default;

    /// `out`, of in's size: the photograph restored.
    virtual void restore(Floats &in, Parameters &parameters, Floats &out) = 0;

    /// The mean squared difference of the restored photograph from `target`, of in's size, and its
    /// derivatives by every parameter.
    virtual float differentiate(Floats &in, Parameters &parameters, Floats &target,
                                Parameters &gradients) = 0;
};

std::unique_ptr<Kernels> fused_kernels();    ///< as Eutectic plans them
std::unique_ptr<Kernels> unfused_kernels();  ///< every Func in memory, under the same loop policies

/// What kernels compute with from now on; 0: all cores.
void use_threads(int threads);

}  // namespace eutectic::photo
