#include "tests/gpu/device_program.h"

#include <algorithm>
#include <cstdio>
#include <dlfcn.h>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <stdexcept>

#include "machine/gpu_fields.h"
#include "schedules/directive.h"

namespace eutectic::test {

using namespace Halide;

namespace {

constexpr int border = 3;  // elements on each side of an output
constexpr float untouched = -77;

std::vector<int> shape_of(const std::vector<std::string> &dims, const std::map<std::string, int> &sizes) {
    std::vector<int> shape;
    for (const std::string &d : dims) {
        shape.push_back(sizes.at(d));
    }
    return shape;
}

/** Every Func in memory, as it is defined. */
void all_at_root(const Pipeline &pipeline) {
    std::vector<Internal::Function> outputs;
    for (const Func &f : pipeline.outputs()) {
        outputs.push_back(f.function());
    }
    for (auto &[name, function] : Internal::build_environment(outputs)) {
        Func(function).compute_root();
    }
}

/** A buffer of `shape`, each of whose values is what `next` gives. */
template<typename T>
void set_values(Halide::Parameter &parameter, const std::vector<int> &shape, const std::function<T()> &next) {
    Buffer<T> b(shape);
    b.for_each_value([&](T &v) { v = next(); });
    b.set_host_dirty();
    parameter.set_buffer(b);
}

void set_scalar(Halide::Parameter &parameter, double value) {
    const Type t = parameter.type();
    if (t == Float(32)) {
        parameter.set_scalar<float>(static_cast<float>(value));
    } else if (t == Int(32)) {
        parameter.set_scalar<int32_t>(static_cast<int32_t>(value));
    } else if (t == UInt(32)) {
        parameter.set_scalar<uint32_t>(static_cast<uint32_t>(value));
    } else {
        throw std::logic_error("no scalar of this type is drawn yet");
    }
}

void check_border(const Buffer<float> &around, const Buffer<float> &inside) {
    around.for_each_element([&](const int *at) {
        bool in = true;
        for (int d = 0; d < around.dimensions(); d++) {
            in = in && at[d] >= inside.dim(d).min() && at[d] <= inside.dim(d).max();
        }
        if (!in && around(at) != untouched) {
            throw std::logic_error("a kernel wrote beside its output");
        }
    });
}

std::string written(const Gpu &gpu, const std::string &name) {
    const std::string path = device_code_path(name);
    std::ofstream(path) << to_json(gpu);
    return path;
}

}  // namespace

std::string slow_barriers(double seconds) {
    Gpu gpu = gpu_preset("a100");
    gpu.barrier_seconds = seconds;
    return written(gpu, "slow_barriers.json");
}

std::string slow_launches(double seconds) {
    Gpu gpu = gpu_preset("a100");
    gpu.launch_seconds = seconds;
    return written(gpu, "slow_launches.json");
}

bool has_opencl() {
    using GetPlatformIDs = int (*)(unsigned, void *, unsigned *);
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW);
    const auto get = library ? reinterpret_cast<GetPlatformIDs>(dlsym(library, "clGetPlatformIDs")) : nullptr;
    unsigned platforms = 0;
    const bool has = get && get(0, nullptr, &platforms) == 0 && platforms > 0;
    if (!has) {
        std::puts("Skipped: there is no OpenCL device here.");
    }
    return has;
}

DeviceProgram::DeviceProgram(const DeviceCase &c, const Target &target, const std::string &gpu, bool feedback)
    : case_(c),
      target_(target),
      generator_(Internal::GeneratorRegistry::create(c.generator, GeneratorContext(target))) {
    build();
    if (!target.has_gpu_feature()) {
        all_at_root(pipeline_);
        return;
    }
    Parameters parameters;
    parameters.gpu = gpu;
    parameters.feedback = feedback;
    parameters.disable = c.disable;
    scheduled_ = schedule(pipeline_, target, parameters, true);
}

DeviceProgram::DeviceProgram(const DeviceCase &c, const Target &target,
                             const std::function<FusionPlan(const Graph &, const Machine &)> &plan)
    : case_(c),
      target_(target),
      generator_(Internal::GeneratorRegistry::create(c.generator, GeneratorContext(target))) {
    build();
    scheduled_.graph = read_graph(pipeline_, target, Numerics::fast, false);
    scheduled_.machine = choose_machine(target, Parameters());
    scheduled_.planned.plan = plan(scheduled_.graph, scheduled_.machine);
    const Schedule directives = emit(scheduled_.graph, scheduled_.planned.plan);
    scheduled_.source = print(directives);
    apply(directives, pipeline_);
}

void DeviceProgram::build() {
    for (const auto &[key, value] : case_.parameters) {
        generator_->set_generatorparam_value(key, value);
    }
    generator_->arginfos();  // configures, so that inputs exist
    pipeline_ = generator_->build_pipeline();
}

size_t DeviceProgram::planned_kernels() const {
    size_t n = 0;
    for (const Group &g : scheduled_.planned.plan.groups) {
        n += g.kernels.size();
    }
    return n;
}

size_t DeviceProgram::kernels_in_code() const {
    size_t n = planned_kernels();
    for (const Group &g : scheduled_.planned.plan.groups) {
        for (const TreeFunc &f : g.tree.funcs()) {
            for (const TreeStage &s : f.stages) {
                n += !f.computed && !s.whole.empty() ? 1 : 0;
            }
        }
    }
    return n;
}

void DeviceProgram::draw(const std::map<std::string, int> &sizes, uint64_t seed) {
    std::mt19937_64 random(seed);
    for (const auto &[name, dims] : case_.inputs) {
        Halide::Parameter parameter = generator_->input_parameter(name)[0];
        if (parameter.is_buffer()) {
            draw(name, shape_of(dims, sizes), sizes, random, parameter);
        } else {
            const auto found = case_.scalars.find(name);
            set_scalar(parameter, found == case_.scalars.end() ? (parameter.type().is_float() ? 0.125 : 3)
                                                               : found->second);
        }
    }
}

void DeviceProgram::draw(const std::string &name, const std::vector<int> &shape,
                         const std::map<std::string, int> &sizes, std::mt19937_64 &random,
                         Halide::Parameter &parameter) const {
    if (shape.size() != static_cast<size_t>(parameter.dimensions())) {
        throw std::logic_error(case_.name + " gives " + name + " another number of dimensions than it has");
    }
    const auto range = case_.draws.find(name);
    if (parameter.type() == Int(32)) {
        const auto into = case_.indices_into.find(name);
        const auto [low, high] =
            range != case_.draws.end()
                ? range->second
                : std::make_pair(0.0, sizes.at(into == case_.indices_into.end() ? "c" : into->second) - 1.0);
        set_values<int32_t>(parameter, shape, [&, first = low, count = high - low + 1] {
            return static_cast<int32_t>(first + static_cast<double>(random() % static_cast<uint64_t>(count)));
        });
    } else if (parameter.type() == UInt(8)) {
        set_values<uint8_t>(parameter, shape, [&] { return static_cast<uint8_t>(random()); });
    } else {
        const auto [low, high] = range != case_.draws.end() ? range->second
                                                            : std::make_pair(case_.positive ? 1.0 : -1.0,
                                                                             case_.positive ? 0.0 : 1.0);
        set_values<float>(parameter, shape, [&, first = low, width = high - low] {
            return static_cast<float>(first + width * (static_cast<double>(random() >> 40) * 0x1p-24));
        });
    }
}

std::vector<double> DeviceProgram::run(const std::map<std::string, int> &sizes, uint64_t seed) {
    draw(sizes, seed);
    std::vector<Buffer<float>> around, inside;
    std::vector<Buffer<>> outputs;
    for (const std::vector<std::string> &dims : case_.outputs) {
        std::vector<int> shape = shape_of(dims, sizes), mins(shape.size(), -border);
        for (int &e : shape) {
            e += 2 * border;
        }
        Buffer<float> b(shape);
        b.set_min(mins);
        b.fill(untouched);
        Buffer<float> in = b;
        for (int d = 0; d < b.dimensions(); d++) {
            in = in.cropped(d, 0, b.dim(d).extent() - 2 * border);
        }
        around.push_back(b);
        inside.push_back(in);
        outputs.emplace_back(in);
    }
    pipeline_.realize(Realization(outputs), target_);
    std::vector<double> all;
    for (size_t i = 0; i < around.size(); i++) {
        inside[i].copy_to_host();
        check_border(around[i], inside[i]);
        inside[i].for_each_value([&](float v) { all.push_back(v); });
    }
    return all;
}

std::string device_code_path(const std::string &name) {
    return std::string(EUTECTIC_DEVICE_CODE) + "/" + name;
}

std::string DeviceProgram::device_code(const std::string &name) {
    const std::string path = device_code_path(name);
    pipeline_.compile_to({{OutputFileType::device_code, path}}, pipeline_.infer_arguments(), "kernel",
                         target_);
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<std::string> DeviceProgram::launched_threads() {
    const std::string path = device_code_path(case_.name + ".stmt"), call = "halide_cuda_run(";
    pipeline_.compile_to({{OutputFileType::stmt, path}}, pipeline_.infer_arguments(), "kernel", target_);
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    std::vector<std::string> threads;
    for (size_t at = text.find(call); at != std::string::npos; at = text.find(call, at + 1)) {
        std::vector<std::string> arguments(1);
        int depth = 0;
        for (size_t i = at + call.size(); i < text.size() && arguments.size() <= 8; i++) {
            depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
            if (text[i] == ',' && depth == 0) {
                arguments.emplace_back();
            } else if (text[i] != ' ') {
                arguments.back() += text[i];
            }
        }
        int64_t product = 1;  // a context, a name, three sizes of the grid, three of a block
        bool constant = true;
        for (size_t a = 5; a < 8; a++) {
            constant = constant && arguments[a].find_first_not_of("0123456789") == std::string::npos;
            product *= constant ? std::stoll(arguments[a]) : 1;
        }
        threads.push_back(constant ? std::to_string(product)
                                   : arguments[5] + " x " + arguments[6] + " x " + arguments[7]);
    }
    return threads;
}

}  // namespace eutectic::test
