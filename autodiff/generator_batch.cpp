#include "autodiff/generator_batch.h"

#include "autodiff/batch.h"

#include "base/user_error.h"

#include <sstream>

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

const std::vector<std::string> batch_first{"batch", "differentiate"}, batch_last{"differentiate", "batch"};

constexpr int default_size = 8;  // of NAME_batched, to be looked at

int positive_number(const std::string &name, const std::string &value) {
    const bool digits = !value.empty() && value.size() < 10 &&
                        value.find_first_not_of("0123456789") == std::string::npos && std::stoi(value) > 0;
    if (!digits) {
        throw UserError(name + "=" + value + " is no number of examples; give 1 and more.");
    }
    return std::stoi(value);
}

}  // namespace

std::vector<std::string> split_names(const std::string &text) {
    std::vector<std::string> names;
    std::istringstream stream(text);
    for (std::string name; std::getline(stream, name, ',');) {
        names.push_back(name);
    }
    return names;
}

bool GeneratorBatch::take(const std::string &name, const std::string &value) {
    if (name == "batched") {
        size_ = positive_number(name, value);
    } else if (name == "batched_over") {
        over_ = split_names(value);
    } else if (name == "transforms") {
        transforms_ = split_names(value);
        if (transforms_ != batch_first && transforms_ != batch_last) {
            throw UserError("transforms=" + value +
                            " is no order of what is done to the pipeline; write batch,differentiate or "
                            "differentiate,batch.");
        }
    } else {
        return false;
    }
    return true;
}

bool GeneratorBatch::is_last() const {
    return transforms_ == batch_last;
}

void GeneratorBatch::check(const std::string &name, GradientPart part) const {
    if (size_ == 0 && !over_.empty()) {
        throw UserError("batched_over was given to " + name +
                        " without batched, the number of examples to plan for; give both.");
    }
    if (is_last() && (part == GradientPart::forward || part == GradientPart::backward)) {
        throw UserError(
            "transforms=differentiate,batch was given to " + name +
            ", whose two kernels agree on what is kept for one example; take _gradient, which keeps "
            "nothing.");
    }
}

void GeneratorBatch::apply(std::vector<Parameter> &inputs, std::vector<NamedOutput> &outputs,
                           std::vector<AbstractGenerator::ArgInfo> &infos) const {
    std::vector<std::string> over = over_;
    for (const Parameter &p : size_ == 0 ? inputs : std::vector<Parameter>()) {
        if (p.is_buffer()) {
            over.push_back(p.name());
        }
    }
    const Batched result = batch(inputs, outputs, over, size_ == 0 ? default_size : size_);
    inputs = result.inputs;
    outputs = result.outputs;
    for (AbstractGenerator::ArgInfo &info : infos) {
        for (const Parameter &p : inputs) {
            if (info.dir == ArgInfoDirection::Input && info.name == p.name() && p.is_buffer()) {
                info.kind = ArgInfoKind::Buffer;
                info.dimensions = p.dimensions();
            }
        }
        for (const NamedOutput &output : outputs) {
            if (info.dir == ArgInfoDirection::Output && info.name == output.name) {
                info.dimensions = output.func.dimensions();
            }
        }
    }
}

}  // namespace eutectic
