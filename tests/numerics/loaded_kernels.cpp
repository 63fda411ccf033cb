#include "tests/numerics/loaded_kernels.h"

#include <dlfcn.h>

#include <stdexcept>

namespace eutectic::numerics {

LoadedKernels::LoadedKernels(const std::string &path) : library_(dlopen(path.c_str(), RTLD_NOW)) {
    if (!library_) {
        throw std::runtime_error(dlerror());
    }
}

Kernel LoadedKernels::kernel(const std::string &name) const {
    const auto call = reinterpret_cast<Kernel::Call>(symbol(name + "_argv"));
    const auto metadata = reinterpret_cast<const halide_filter_metadata_t *(*)()>(symbol(name + "_metadata"));
    return Kernel(call, metadata());
}

void *LoadedKernels::symbol(const std::string &name) const {
    void *found = dlsym(library_, name.c_str());
    if (!found) {
        throw std::runtime_error(dlerror());
    }
    return found;
}

}  // namespace eutectic::numerics
