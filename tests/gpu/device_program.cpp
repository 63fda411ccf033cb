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

}  // namespace

std::vector<DeviceCase> row_cases() {
    std::vector<DeviceCase> cases;
    for (const DeviceCase &c : device_cases()) {
        const bool rows = c.parameters.count("cols") > 0 &&
                          c.outputs == std::vector<std::vector<std::string>>{{"c", "r"}} &&
                          c.name != "softmax_xent_backward";
        for (const auto &[columns, lines] : {std::pair("30", "40"), {"4000", "40"}}) {
            if (rows) {
                cases.push_back(c);
                cases.back().name += std::string("_of_") + columns;
                cases.back().parameters["cols"] = columns;
                cases.back().parameters["rows"] = lines;
                cases.back().disable = {"sum_online"};
            }
        }
    }
    return cases;
}

std::vector<DeviceCase> long_row_cases() {
    std::vector<DeviceCase> cases;
    for (const DeviceCase &c : device_cases()) {
        if (c.name == "softmax" || c.name == "log_softmax" || c.name == "softmax_xent") {
            cases.push_back(c);
            cases.back().name += "_of_long_rows";
            cases.back().parameters["cols"] = "65536";
            cases.back().parameters["rows"] = "1024";
            cases.back().kernels = 2;
        }
    }
    return cases;
}

std::vector<DeviceCase> fixed_row_cases(int columns, int rows) {
    std::vector<DeviceCase> cases;
    for (const DeviceCase &c : device_cases()) {
        if (c.name == "softmax" || c.name == "log_softmax" || c.name == "layernorm" || c.name == "rmsnorm" ||
            c.name == "softmax_backward") {
            cases.push_back(c);
            cases.back().name += "_of_fixed_" + std::to_string(columns);
            cases.back().parameters = {
                {"cols", std::to_string(columns)}, {"fixed_cols", "true"}, {"rows", std::to_string(rows)}};
            cases.back().sizes = {
                {{"c", columns}, {"r", 40}}, {{"c", columns}, {"r", 1}}, {{"c", columns}, {"r", 67}}};
        }
    }
    return cases;
}

namespace {

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
    scheduled_.graph = read_graph(pipeline_, target);
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
        for (const StageNest &s : g.nests) {
            n += s.nest.shared == 0 && !s.nest.whole.empty() ? 1 : 0;
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

const std::vector<DeviceCase> &device_cases() {
    static const std::vector<DeviceCase> cases = [] {
        const std::vector<std::map<std::string, int>> lines = {
            {{"n", 3000}}, {{"n", 1}}, {{"n", 31}}, {{"n", 1025}}};
        const std::vector<std::map<std::string, int>> rows = {
            {{"c", 250}, {"r", 40}}, {{"c", 1}, {"r", 1}},   {{"c", 5}, {"r", 3}},
            {{"c", 1031}, {"r", 2}}, {{"c", 33}, {"r", 67}}, {{"c", 13001}, {"r", 2}}};
        const std::vector<std::string> x = {"c", "r"}, line = {"n"}, c = {"c"}, r = {"r"}, none = {};
        const std::map<std::string, std::string> n = {{"n", "3000"}}, rc = {{"rows", "40"}, {"cols", "250"}};
        const std::map<std::string, std::string>
            mkn = {{"m", "48"}, {"k", "96"}, {"n", "80"}, {"activation", "relu"}},
            gelu = {{"m", "48"}, {"k", "96"}, {"n", "80"}, {"activation", "gelu"}};
        const std::map<std::string, std::string> large = {
            {"m", "256"}, {"k", "64"}, {"n", "256"}, {"epilogue", "none"}};
        const std::vector<std::map<std::string, int>> products = {{{"m", 48}, {"k", 96}, {"n", 80}},
                                                                  {{"m", 1}, {"k", 1}, {"n", 1}},
                                                                  {{"m", 3}, {"k", 5}, {"n", 7}},
                                                                  {{"m", 67}, {"k", 33}, {"n", 130}},
                                                                  {{"m", 130}, {"k", 9}, {"n", 257}}};
        // Large estimates: products whose blocks share their operands in memory.
        const std::map<std::string, std::string> shared = {
            {"m", "2048"}, {"k", "2048"}, {"n", "2048"}, {"epilogue", "bias_relu"}};
        const std::map<std::string, std::string> turned = {{"m", "2048"},           {"k", "2048"},
                                                           {"n", "2048"},           {"epilogue", "none"},
                                                           {"transpose_a", "true"}, {"transpose_b", "true"}};
        const std::vector<std::map<std::string, int>> tiles = {{{"m", 130}, {"k", 70}, {"n", 257}},
                                                               {{"m", 128}, {"k", 32}, {"n", 128}},
                                                               {{"m", 1}, {"k", 1}, {"n", 1}},
                                                               {{"m", 67}, {"k", 33}, {"n", 130}}};
        const std::map<std::string, std::string> linear = {
            {"m", "48"}, {"k", "96"}, {"n", "80"}, {"activation", "none"}};
        const std::vector<std::map<std::string, int>> long_sums = {{{"m", 64}, {"k", 2048}, {"n", 64}},
                                                                   {{"m", 1}, {"k", 1}, {"n", 1}},
                                                                   {{"m", 3}, {"k", 2100}, {"n", 5}},
                                                                   {{"m", 67}, {"k", 1031}, {"n", 130}}};
        const std::vector<std::map<std::string, int>> network = {
            {{"m", 24}, {"i", 12}, {"h", 33}, {"k", 20}, {"c", 10}},
            {{"m", 7}, {"i", 12}, {"h", 33}, {"k", 20}, {"c", 10}}};
        const std::vector<std::map<std::string, int>> heads = {{{"m", 64}, {"n", 80}, {"d", 32}},
                                                               {{"m", 1}, {"n", 1}, {"d", 1}},
                                                               {{"m", 5}, {"n", 37}, {"d", 7}},
                                                               {{"m", 67}, {"n", 130}, {"d", 65}}};
        // Convolutions with more than three dims of blocks; of a stride too, whose gradient by x is of six.
        const std::map<std::string, std::string> conv = {{"batch", "2"},
                                                         {"width", "9"},
                                                         {"height", "6"},
                                                         {"channels_in", "32"},
                                                         {"channels_out", "32"}},
                                                 stride = {{"batch", "2"},         {"width", "9"},
                                                           {"height", "6"},        {"channels_in", "32"},
                                                           {"channels_out", "32"}, {"stride", "2"}};
        const std::vector<std::string> image = {"i", "xw", "xh", "b"}, filter = {"o", "i", "ku", "kv"},
                                       result = {"o", "w", "h", "b"}, bits = {"o8", "w", "h", "b"};
        const std::vector<std::map<std::string, int>> images = {{{"i", 5},
                                                                 {"xw", 9},
                                                                 {"xh", 6},
                                                                 {"w", 9},
                                                                 {"h", 6},
                                                                 {"b", 2},
                                                                 {"o", 16},
                                                                 {"o8", 2},
                                                                 {"ku", 3},
                                                                 {"kv", 3}},
                                                                {{"i", 1},
                                                                 {"xw", 1},
                                                                 {"xh", 1},
                                                                 {"w", 1},
                                                                 {"h", 1},
                                                                 {"b", 1},
                                                                 {"o", 1},
                                                                 {"o8", 1},
                                                                 {"ku", 3},
                                                                 {"kv", 3}},
                                                                {{"i", 7},
                                                                 {"xw", 4},
                                                                 {"xh", 11},
                                                                 {"w", 4},
                                                                 {"h", 11},
                                                                 {"b", 3},
                                                                 {"o", 9},
                                                                 {"o8", 2},
                                                                 {"ku", 3},
                                                                 {"kv", 3}}};
        const std::vector<std::map<std::string, int>> strided = {{{"i", 5},
                                                                  {"xw", 9},
                                                                  {"xh", 6},
                                                                  {"w", 5},
                                                                  {"h", 3},
                                                                  {"b", 2},
                                                                  {"o", 16},
                                                                  {"o8", 2},
                                                                  {"ku", 3},
                                                                  {"kv", 3}},
                                                                 {{"i", 3},
                                                                  {"xw", 7},
                                                                  {"xh", 4},
                                                                  {"w", 4},
                                                                  {"h", 2},
                                                                  {"b", 1},
                                                                  {"o", 9},
                                                                  {"o8", 2},
                                                                  {"ku", 3},
                                                                  {"kv", 3}}};
        return std::vector<DeviceCase>{
            {"log1pexp", "log1pexp", n, {{"x", line}}, {line}, lines, 1},
            {"gelu", "gelu", n, {{"x", line}}, {line}, lines, 1},
            {"pointwise_chain", "pointwise_chain", n, {{"x", line}}, {line}, lines, 1},
            {"adam",
             "adam",
             n,
             {{"p", line},
              {"m", line},
              {"v", line},
              {"g", line},
              {"lr", none},
              {"beta1", none},
              {"beta2", none},
              {"epsilon", none},
              {"step", none}},
             {line, line, line},
             lines,
             1,
             true},
            {"softmax", "softmax", rc, {{"x", x}}, {x}, rows, 1},
            {"log_softmax", "log_softmax", rc, {{"x", x}}, {x}, rows, 1},
            {"layernorm", "layernorm", rc, {{"x", x}, {"scale", c}, {"bias", c}}, {x}, rows, 1},
            {"rmsnorm", "rmsnorm", rc, {{"x", x}, {"scale", c}}, {x}, rows, 1},
            {"softmax_xent", "softmax_xent", rc, {{"x", x}, {"labels", r}}, {none}, rows, 2},
            {"sum_exp", "sum_exp", n, {{"x", line}}, {none}, lines, 1},
            {"dense_relu",
             "dense",
             mkn,
             {{"x", {"k", "m"}}, {"w", {"n", "k"}}, {"b", {"n"}}},
             {{"n", "m"}},
             products,
             1},
            {"dense_gelu",
             "dense",
             gelu,
             {{"x", {"k", "m"}}, {"w", {"n", "k"}}, {"b", {"n"}}},
             {{"n", "m"}},
             products,
             1},
            {"matmul", "matmul", large, {{"a", {"k", "m"}}, {"b", {"n", "k"}}}, {{"n", "m"}}, products, 1},
            {"matmul_shared",
             "matmul",
             shared,
             {{"a", {"k", "m"}}, {"b", {"n", "k"}}, {"bias", {"n"}}},
             {{"n", "m"}},
             tiles,
             1},
            {"matmul_turned",
             "matmul",
             turned,
             {{"a", {"m", "k"}}, {"b", {"k", "n"}}},
             {{"n", "m"}},
             tiles,
             1},
            {"batched_shared",
             "batched_matmul",
             {{"batch", "16"}, {"m", "512"}, {"k", "512"}, {"n", "512"}},
             {{"a", {"k", "m", "s"}}, {"b", {"n", "k", "s"}}},
             {{"n", "m", "s"}},
             {{{"s", 2}, {"m", 130}, {"k", 40}, {"n", 129}},
              {{"s", 1}, {"m", 1}, {"k", 1}, {"n", 1}},
              {{"s", 3}, {"m", 67}, {"k", 33}, {"n", 130}}},
             1},
            {"matmul_split",
             "matmul",
             {{"m", "64"}, {"k", "8192"}, {"n", "64"}, {"epilogue", "none"}},
             {{"a", {"k", "m"}}, {"b", {"n", "k"}}},
             {{"n", "m"}},
             long_sums,
             2},
            {"dense_split",
             "dense",
             {{"m", "64"}, {"k", "8192"}, {"n", "64"}, {"activation", "relu"}},
             {{"x", {"k", "m"}}, {"w", {"n", "k"}}, {"b", {"n"}}},
             {{"n", "m"}},
             long_sums,
             2},
            {"dense_backward_split",
             "dense_backward",
             {{"m", "16384"}, {"k", "48"}, {"n", "80"}, {"activation", "none"}},
             {{"x", {"k", "m"}}, {"w", {"n", "k"}}, {"d_y", {"n", "m"}}},
             {{"k", "m"}, {"n", "k"}, {"n"}},
             {{{"m", 3000}, {"k", 48}, {"n", 80}},
              {{"m", 1}, {"k", 1}, {"n", 1}},
              {{"m", 2049}, {"k", 5}, {"n", 37}}},
             0},
            {"attention",
             "attention",
             {{"queries", "64"}, {"keys", "80"}, {"d", "32"}},
             {{"q", {"d", "m"}}, {"k", {"d", "n"}}, {"v", {"d", "n"}}},
             {{"d", "m"}},
             heads,
             0},
            {"attention_causal",
             "attention",
             {{"queries", "512"}, {"keys", "512"}, {"d", "64"}, {"causal", "true"}},
             {{"q", {"d", "m"}}, {"k", {"d", "n"}}, {"v", {"d", "n"}}},
             {{"d", "m"}},
             heads,
             2},
            {"dense_backward",
             "dense_backward",
             linear,
             {{"x", {"k", "m"}}, {"w", {"n", "k"}}, {"d_y", {"n", "m"}}},
             {{"k", "m"}, {"n", "k"}, {"n"}},
             products,
             0},
            // Several outputs, each with sizes of its own, over which the tiles of one kernel go.
            {"dense_gradient_shared",
             "dense_gradient",
             {{"m", "2048"}, {"k", "2048"}, {"n", "2048"}, {"activation", "relu"}},
             {{"x", {"k", "m"}}, {"w", {"n", "k"}}, {"b", {"n"}}, {"d_y", {"n", "m"}}},
             {{"n", "m"}, {"k", "m"}, {"n", "k"}, {"n"}},
             tiles,
             0},
            {"bottleneck_shared",
             "bottleneck",
             {},
             {{"x", image},
              {"w1", {"h", "i"}},
              {"b1", {"h"}},
              {"w2", {"h", "h", "ku", "kv"}},
              {"b2", {"h"}},
              {"w3", {"i", "h"}},
              {"b3", {"i"}}},
             {image},
             {{{"i", 70}, {"xw", 9}, {"xh", 6}, {"b", 2}, {"h", 33}, {"ku", 3}, {"kv", 3}},
              {{"i", 1}, {"xw", 1}, {"xh", 1}, {"b", 1}, {"h", 1}, {"ku", 3}, {"kv", 3}}},
             0},
            {"softmax_backward", "softmax_backward", rc, {{"y", x}, {"d_y", x}}, {x}, rows, 1},
            {"softmax_xent_backward",
             "softmax_xent_backward",
             rc,
             {{"x", x}, {"labels", r}, {"residual_lse", r}, {"d_loss", none}},
             {x},
             rows,
             1},
            {"layernorm_backward",
             "layernorm_backward",
             rc,
             {{"x", x},
              {"scale", c},
              {"residual_mean", r},
              {"residual_variance", r},
              {"residual_inverse_deviation", r},
              {"d_y", x}},
             {x, c, c},
             rows,
             0,
             true},
            {"mlp_loss_backward",
             "mlp_loss_backward",
             {{"batch", "24"}, {"widths", "12,33,20,10"}},
             {{"x", {"i", "m"}},
              {"w1", {"h", "i"}},
              {"w2", {"k", "h"}},
              {"w3", {"c", "k"}},
              {"labels", {"m"}},
              {"residual_h1", {"h", "m"}},
              {"residual_h2", {"k", "m"}},
              {"residual_logits", {"c", "m"}},
              {"residual_lse", {"m"}},
              {"d_loss", none}},
             {{"i", "m"}, {"h", "i"}, {"h"}, {"k", "h"}, {"k"}, {"c", "k"}, {"c"}},
             network,
             9},
            {"conv2d_backward",
             "conv2d_backward",
             conv,
             {{"x", image}, {"w", filter}, {"d_y", result}, {"residual_mask", bits}},
             {image, filter, {"o"}},
             images,
             0},
            {"conv2d_stride_backward",
             "conv2d_backward",
             stride,
             {{"x", image}, {"w", filter}, {"d_y", result}, {"residual_mask", bits}},
             {image, filter, {"o"}},
             strided,
             0},
            {"sum_exp_chunks",
             "sum_exp",
             {{"n", "3000000"}},
             {{"x", line}},
             {none},
             {{{"n", 100003}}, {{"n", 1}}, {{"n", 1031}}},
             2},
        };
    }();
    return cases;
}

}  // namespace eutectic::test
