#pragma once

#include "apps/support/kernel.h"

#include <string>

namespace eutectic::numerics {

/// A shared library of kernels, which stays loaded until the program ends. The program has Halide's runtime
/// and exports it.
class LoadedKernels {
public:
    /// Throws std::runtime_error, with the loader's words, if it cannot be loaded.
    explicit LoadedKernels(const std::string &path);

    /// The kernel of that name. Throws std::runtime_error if there is none.
    Kernel kernel(const std::string &name) const;

private:
    void *symbol(const std::string &name) const;

    void *library_;
};

}  // namespace eutectic::numerics
