#include <algorithm>
#include <sstream>

#include "base/user_error.h"
#include "machine/calibration.h"
#include "machine/gpu_fields.h"
#include "machine/processors.h"

namespace eutectic {

int Machine::lanes(int bytes_per_element) const {
    const int n = vector_bits / 8 / (bytes_per_element > 0 ? bytes_per_element : 1);
    return n > 1 ? n : 1;
}

bool Machine::masks(int bytes_per_element) const {
    return vector_bits >= 512 || (vector_bits == 256 && bytes_per_element >= 4);
}

Machine machine_from_target(const TargetDescription &target, int parallelism) {
    return machine_of(*family_of(target).front(), target, parallelism);
}

std::string to_string(const Machine &m) {
    std::ostringstream s;
    s.precision(10);
    for (const MachineField &f : machine_fields()) {
        s << (&f == &machine_fields().front() ? "" : ", ") << f.key << " " << f.get(m);
    }
    if (m.dots.any()) {
        s << ", dots " << m.dots.pairs << " " << m.dots.mixed_quads << " " << m.dots.equal_quads;
    }
    if (m.arena) {
        s << ", arena";
    }
    if (m.library) {
        s << ", library: " << to_string(*m.library);
    }
    s << to_string(m.experiment);
    return m.gpu ? s.str() + ", gpu: " + to_string(*m.gpu) : s.str();
}

Machine with_gpu(Machine m, const TargetDescription &target, const std::string &gpu) {
    if (target.gpu.empty()) {
        if (!gpu.empty()) {
            throw UserError("The GPU " + gpu +
                            " was asked for, but the target has no kernels for one: add -cuda or -opencl to "
                            "the target, or leave the GPU out.");
        }
        return m;
    }
    m.gpu = choose_gpu(gpu.empty() ? default_gpu : gpu);
    m.gpu->warp_shuffles = m.gpu->device_addresses = m.gpu->any_shared_atomics = target.gpu == "cuda";
    if (target.gpu == "cuda") {
        m.gpu->registers_per_thread = std::min(m.gpu->registers_per_thread, m.gpu->cuda_runtime_registers);
    }
    m.name += ", " + target.gpu + " on " + m.gpu->name;
    return m;
}

Machine with_arena(Machine m) {
    m.arena = true;
    return m;
}

}  // namespace eutectic
