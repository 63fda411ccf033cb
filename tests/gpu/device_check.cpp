// device_check GENERATOR SHAPES [PARAM=VALUE…]: one generator, planned for OpenCL, against the unfused
// program on the CPU at many sizes. SHAPES is a line of tests/numerics/shapes.cpp.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

#include "tests/gpu/device_program.h"
#include "tests/numerics/subject.h"

using namespace eutectic;
using namespace eutectic::test;
using Halide::Target;

namespace {

/** Extents of all sizes that are named; those that follow from others are worked out. */
std::map<std::string, int> all_sizes(const numerics::Shapes &shapes, const numerics::Sizes &free) {
    std::map<std::string, int> sizes;
    for (const auto &[buffer, dims] : shapes.buffers) {
        for (const std::string &d : dims) {
            sizes[d] = numerics::range_of(d, free).extent;
        }
    }
    for (const auto &[name, range] : free) {
        sizes[name] = range.extent;
    }
    return sizes;
}

/** The sizes that the plan is made for. */
numerics::Sizes estimated(const DeviceCase &c, DeviceProgram &program) {
    numerics::Sizes sizes;
    const std::vector<Halide::Func> outputs = program.pipeline().outputs();
    for (size_t i = 0, named = 0; i < outputs.size(); named += outputs[i++].types().size()) {
        const std::vector<std::string> vars = outputs[i].function().args();
        for (const Halide::Internal::Bound &b : outputs[i].function().schedule().estimates()) {
            const auto extent = Halide::Internal::as_const_int(b.extent);
            const size_t d = static_cast<size_t>(std::find(vars.begin(), vars.end(), b.var) - vars.begin());
            if (extent && numerics::is_name(c.outputs[named][d])) {
                sizes[c.outputs[named][d]] = {0, static_cast<int>(*extent)};
            }
        }
    }
    for (const auto &[name, dims] : c.inputs) {
        const Halide::Parameter p = program.generator().input_parameter(name)[0];
        for (size_t d = 0; p.is_buffer() && d < dims.size(); d++) {
            const auto extent = Halide::Internal::as_const_int(p.buffer_constraints()[d].extent_estimate);
            if (numerics::is_name(dims[d]) && extent) {
                sizes[dims[d]] = {0, static_cast<int>(*extent)};
            }
        }
    }
    return sizes;
}

DeviceCase make_case(int argc, char **argv) {
    DeviceCase c;
    c.name = c.generator = argv[1];
    for (int i = 3; i < argc; i++) {
        const std::string p = argv[i];
        c.parameters[p.substr(0, p.find('='))] = p.substr(p.find('=') + 1);
    }
    const numerics::Shapes &shapes = numerics::shapes_of(argv[2]);
    const auto generator = Halide::Internal::GeneratorRegistry::create(
        c.generator, Halide::GeneratorContext(Halide::get_host_target()));
    for (const auto &[key, value] : c.parameters) {
        generator->set_generatorparam_value(key, value);
    }
    for (const auto &arg : generator->arginfos()) {
        if (arg.dir == Halide::Internal::ArgInfoDirection::Input) {
            c.inputs.emplace_back(arg.name, shapes.dims_of(arg.name).value_or(std::vector<std::string>()));
            continue;
        }
        for (size_t t = 0; t < arg.types.size(); t++) {
            c.outputs.push_back(
                *shapes.dims_of(arg.types.size() > 1 ? arg.name + "." + std::to_string(t) : arg.name));
        }
    }
    for (const auto &[name, draw] : shapes.draws) {
        c.draws[name] = {draw.low, draw.high};
    }
    c.indices_into = shapes.indices_into;
    c.scalars = shapes.scalars;
    return c;
}

/** The estimates; 1, 2, 3, a prime, one more and one less, each for every size that may vary. */
std::vector<numerics::Sizes> sizes_to_try(const numerics::Shapes &shapes, const numerics::Sizes &estimates) {
    std::vector<numerics::Sizes> all = {estimates};
    const auto add = [&](const std::function<int(int)> &change) {
        numerics::Sizes sizes = estimates;
        for (auto &[name, range] : sizes) {
            range.extent = shapes.fixed.count(name) ? range.extent : std::max(1, change(range.extent));
        }
        all.push_back(sizes);
    };
    for (const int n : {1, 2, 3, 13}) {
        add([&](int) { return n; });
    }
    add([](int e) { return e + 1; });
    add([](int e) { return e - 1; });
    return all;
}

/** Where the values differ most, in the largest value; -1 where they are not finite. */
double difference(const std::vector<double> &got, const std::vector<double> &expected) {
    double largest = 1e-3, most = 0;
    for (size_t i = 0; i < expected.size(); i++) {
        if (!std::isfinite(got[i]) || !std::isfinite(expected[i])) {
            return -1;
        }
        largest = std::max(largest, std::abs(expected[i]));
        most = std::max(most, std::abs(got[i] - expected[i]));
    }
    return most / largest;
}

}  // namespace

int main(int argc, char **argv) {
    if (argc < 3) {
        std::fputs("usage: device_check GENERATOR SHAPES [PARAM=VALUE...]\n", stderr);
        return 2;
    }
    if (!has_opencl()) {
        return 0;
    }
    const DeviceCase c = make_case(argc, argv);
    const numerics::Shapes &shapes = numerics::shapes_of(argv[2]);
    const Target host = Halide::get_jit_target_from_environment();
    DeviceProgram device(c, host.with_feature(Target::OpenCL)), reference(c, host);
    int wrong = 0;
    for (const numerics::Sizes &sizes : sizes_to_try(shapes, estimated(c, device))) {
        const std::map<std::string, int> named = all_sizes(shapes, sizes);
        const double off = difference(device.run(named, 1), reference.run(named, 1));
        if (off < 0 || off > 2e-5) {
            std::printf("wrong by %g of the largest value at", off);
            for (const auto &[name, range] : sizes) {
                std::printf(" %s=%d", name.c_str(), range.extent);
            }
            std::printf("\n");
            wrong++;
        }
    }
    std::printf("%s: %zu kernels, %d sizes wrong\n", argv[1], device.planned_kernels(), wrong);
    if (wrong > 0) {
        std::printf("%s", device.scheduled().source.c_str());
    }
    return wrong > 0 ? 1 : 0;
}
