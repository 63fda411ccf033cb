#include "tests/generators/kernel.h"

using namespace Halide;

namespace eutectic::test {

Kernel::Kernel(const std::string &name, const std::map<std::string, std::string> &parameters)
    : generator_(
          Internal::GeneratorRegistry::create(name, GeneratorContext(get_jit_target_from_environment()))) {
    for (const auto &[key, value] : parameters) {
        generator_->set_generatorparam_value(key, value);
    }
    generator_->arginfos();  // configures, so that inputs exist
    pipeline_ = generator_->build_pipeline();
}

int Kernel::funcs() const {
    int count = 0;
    for (const auto &[func, f] : Internal::build_environment({pipeline_.outputs()[0].function()})) {
        count += func.find("_im") == std::string::npos;
    }
    return count;
}

Buffer<int> Kernel::labels(const std::string &name, const Shape &shape, int low, int count) {
    Buffer<int> buffer = make<int>(shape);
    buffer.for_each_value(
        [&](int &v) { v = low + std::uniform_int_distribution<int>(0, count - 1)(engine_); });
    generator_->input_parameter(name)[0].set_buffer(buffer);
    return buffer;
}

}  // namespace eutectic::test
