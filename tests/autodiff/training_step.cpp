#include "training_step.h"

#include "schedules/autoschedule.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <stdexcept>

using namespace Halide;

namespace eutectic::test {

namespace {

std::atomic<Bytes> allocated{0}, most{0};

// Each block keeps its size in front of itself, at the alignment that Halide asks of halide_malloc.
constexpr size_t header = 128;

void *counted_malloc(JITUserContext *, size_t bytes) {
    void *block = std::aligned_alloc(header, (bytes + 2 * header - 1) / header * header);
    if (!block) {
        return nullptr;
    }
    *static_cast<size_t *>(block) = bytes;
    const Bytes now = allocated += static_cast<Bytes>(bytes);
    for (Bytes seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
    }
    return static_cast<char *>(block) + header;
}

void counted_free(JITUserContext *, void *pointer) {
    if (pointer) {
        char *block = static_cast<char *>(pointer) - header;
        allocated -= static_cast<Bytes>(*reinterpret_cast<size_t *>(block));
        std::free(block);
    }
}

Buffer<> buffer_of(const Network &network, const std::string &name, const Type &type) {
    std::vector<int> extents;
    for (const Extent &e : network.shapes.at(name)) {
        extents.push_back(e.extent);
    }
    Buffer<> buffer(type, extents);
    Buffer<float> floats = buffer;
    int n = 0;
    floats.for_each_value([&](float &v) { v = static_cast<float>((n++ * 37) % 101 - 50) / 500; });
    return buffer;
}

Pipeline scheduled(const std::vector<Func> &outputs, int threads) {
    Pipeline pipeline(outputs);
    Parameters parameters;
    parameters.parallelism = threads;
    const Target target = get_jit_target_from_environment();
    autoschedule(pipeline, target, parameters);
    pipeline.jit_handlers().custom_malloc = counted_malloc;
    pipeline.jit_handlers().custom_free = counted_free;
    pipeline.compile_jit(target);
    return pipeline;
}

}  // namespace

TrainingStep::TrainingStep(const Network &network, int threads)
    : network_(network), differentiated_(differentiate(network_.subject.problem)) {
    const DifferentiationProblem &problem = network_.subject.problem;
    std::vector<Func> forward, backward;
    for (Parameter p : problem.inputs) {
        if (p.is_buffer()) {
            p.set_buffer(buffer_of(network_, p.name(), p.type()));
        } else {
            p.set_scalar<uint32_t>(7);
        }
    }
    for (const NamedOutput &output : problem.outputs) {
        forward.push_back(output.func);
        forward_.outputs.push_back(buffer_of(network_, output.name, output.func.types()[0]));
    }
    for (ImageParam &p : differentiated_.outputs) {
        p.set(forward_.outputs[0]);
    }
    for (ImageParam &p : differentiated_.upstream) {
        p.set(buffer_of(network_, p.name().substr(2), p.type()));
    }
    for (ResidualTensor &r : differentiated_.residuals) {
        Buffer<> buffer(r.backward.type(), std::vector<int>(r.info.shape.begin(), r.info.shape.end()));
        std::vector<int> mins;  // a padded tensor begins before 0
        for (int d = 0; d < r.backward.dimensions(); d++) {
            mins.push_back(static_cast<int>(*Internal::as_const_int(r.backward.dim(d).min_estimate())));
        }
        buffer.set_min(mins);
        forward.push_back(r.forward);
        forward_.outputs.push_back(buffer);
        r.backward.set(buffer);
        measured_.residuals += static_cast<Bytes>(buffer.size_in_bytes());
    }
    for (const NamedOutput &g : differentiated_.gradients) {
        backward.push_back(g.func);
        backward_.outputs.push_back(buffer_of(network_, g.name.substr(2), g.func.types()[0]));
    }
    forward_.pipeline = scheduled(forward, threads);
    backward_.pipeline = scheduled(backward, threads);
}

void TrainingStep::run() {
    run(forward_, measured_.forward_peak, measured_.forward_seconds);
    run(backward_, measured_.backward_peak, measured_.backward_seconds);
}

void TrainingStep::run(Pass &pass, Bytes &peak, double &seconds) {
    Realization realization(pass.outputs);
    allocated = most = 0;
    const auto start = std::chrono::steady_clock::now();
    pass.pipeline.realize(realization);
    seconds =
        std::min(seconds, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    peak = std::max<Bytes>(peak, most);
    if (allocated != 0) {
        throw std::logic_error("not everything that was allocated was freed");
    }
}

}  // namespace eutectic::test
