#include "apps/digits/training.h"

#include "apps/digits/evaluation.h"

#include <utility>

namespace eutectic::digits {

/// The buffers of a step that depend on the number of samples.
struct Trainer::Workspace {
    Floats images;
    Halide::Runtime::Buffer<int32_t> labels;
    Floats loss = Floats::make_scalar(), upstream = Floats::make_scalar();
    std::vector<Tensor> residuals;
    std::vector<void *> forward, backward, joint;  // bound arguments

    explicit Workspace(int batch) : images(pixels, batch), labels(batch) {
        upstream() = 1.0f;  // d loss / d loss
        upstream.set_host_dirty();
    }
    ~Workspace() {
        forget_device(loss);
        for (Tensor &residual : residuals) {
            forget_device(residual);
        }
    }
};

/// Where Adam writes a parameter and its moments, which then change places with the old ones: a kernel may
/// compute the elements of a ragged end twice, so it must not write over what it reads.
struct Trainer::Updated {
    Floats value, first_moment, second_moment;

    explicit Updated(const Parameter &parameter)
        : value(Floats::make_with_shape_of(parameter.value)),
          first_moment(Floats::make_with_shape_of(parameter.value)),
          second_moment(Floats::make_with_shape_of(parameter.value)) {
    }
    Updated(Updated &&) = default;
    void take_place_of(Parameter &parameter) {
        std::swap(parameter.value, value);
        std::swap(parameter.first_moment, first_moment);
        std::swap(parameter.second_moment, second_moment);
    }
    ~Updated() {
        for (Floats *tensor : {&value, &first_moment, &second_moment}) {
            forget_device(*tensor);
        }
    }
};

namespace {

/// A residual's extents for a batch: its last dimension counts samples, as x's does, if its estimate is the
/// planned batch.
std::vector<int> residual_extents(const Argument &residual, int batch) {
    std::vector<int> extents = residual.extents;
    if (!extents.empty() && extents.back() == planned_batch) {
        extents.back() = batch;
    }
    return extents;
}

/// All elements of a tensor in one dimension, in the same memory on the host and on the device.
class Flat {
public:
    explicit Flat(Floats &tensor)
        : tensor_(*tensor.raw_buffer()),
          dim_(0, static_cast<int>(tensor.number_of_elements()), 1),
          buffer_(tensor_) {
        buffer_.dimensions = 1;
        buffer_.dim = &dim_;
    }
    // The call may have brought the tensor to the device.
    ~Flat() {
        tensor_.device = buffer_.device;
        tensor_.device_interface = buffer_.device_interface;
        tensor_.flags = buffer_.flags;
    }
    Flat(const Flat &) = delete;
    Flat &operator=(const Flat &) = delete;

    operator halide_buffer_t &() {
        return buffer_;
    }

private:
    halide_buffer_t &tensor_;
    halide_dimension_t dim_;
    halide_buffer_t buffer_;
};

}  // namespace

Trainer::Trainer(Network &network, const Digits &data, StepKernels kernels)
    : network_(network), data_(data), kernels_(std::move(kernels)) {
    for (const Parameter &parameter : network_.parameters) {
        updated_.emplace_back(parameter);
    }
}

Trainer::~Trainer() = default;

Trainer::Workspace &Trainer::workspace(int batch) {
    std::unique_ptr<Workspace> &kept = workspaces_[batch];
    if (kept) {
        return *kept;
    }
    kept = std::make_unique<Workspace>(batch);
    Values values;
    values.set("x", kept->images);
    values.set("labels", kept->labels);
    values.set("loss", kept->loss);
    values.set("d_loss", kept->upstream);
    for (Parameter &parameter : network_.parameters) {
        values.set(parameter.name, parameter.value);
        values.set("d_" + parameter.name, parameter.gradient);
    }
    kept->residuals.reserve(
        kernels_.forward.arguments().size());  // `values` refers to them: they must not move
    for (const Argument &argument : kernels_.forward.arguments()) {
        if (argument.is_output() && argument.name != "loss") {
            kept->residuals.push_back(make_tensor(argument, residual_extents(argument, batch)));
            values.set(argument.name, kept->residuals.back());
        }
    }
    kept->forward = kernels_.forward.bind(values);
    kept->backward = kernels_.backward.bind(values);
    if (kernels_.joint) {
        bind_joint(*kept);
    }
    return *kept;
}

/// What is swapped after a step stays where it is bound: tensors change their memory, not their places.
void Trainer::bind_joint(Workspace &work) {
    Values values;
    values.set("x", work.images);
    values.set("labels", work.labels);
    values.set("loss", work.loss);
    for (size_t i = 0; i < updated_.size(); i++) {
        Parameter &parameter = network_.parameters[i];
        values.set(parameter.name, parameter.value);
        values.set(parameter.name + "_m", parameter.first_moment);
        values.set(parameter.name + "_v", parameter.second_moment);
        values.set(parameter.name + "_p_next", updated_[i].value);
        values.set(parameter.name + "_m_next", updated_[i].first_moment);
        values.set(parameter.name + "_v_next", updated_[i].second_moment);
    }
    values.set_scalar("lr", &adam_.rate);
    values.set_scalar("beta1", &adam_.beta1);
    values.set_scalar("beta2", &adam_.beta2);
    values.set_scalar("epsilon", &adam_.epsilon);
    values.set_scalar("step", &network_.steps);
    work.joint = kernels_.joint->bind(values);
}

float Trainer::differentiate(const std::vector<int> &lines) {
    Workspace &work = workspace(static_cast<int>(lines.size()));
    gather(data_, lines, work.images, &work.labels);
    kernels_.forward.run(work.forward);
    kernels_.backward.run(work.backward);
    to_host(work.loss);
    return work.loss();
}

void Trainer::update(Parameter &parameter, Updated &updated) {
    {
        Flat value(parameter.value), gradient(parameter.gradient), first(parameter.first_moment),
            second(parameter.second_moment);
        Flat new_value(updated.value), new_first(updated.first_moment), new_second(updated.second_moment);
        Values values;
        values.set("p", value);
        values.set("m", first);
        values.set("v", second);
        values.set("g", gradient);
        values.set("out.0", new_value);
        values.set("out.1", new_first);
        values.set("out.2", new_second);
        values.set_scalar("lr", &adam_.rate);
        values.set_scalar("beta1", &adam_.beta1);
        values.set_scalar("beta2", &adam_.beta2);
        values.set_scalar("epsilon", &adam_.epsilon);
        values.set_scalar("step", &network_.steps);
        kernels_.adam.run(values);
    }
    updated.take_place_of(parameter);
}

float Trainer::step(const std::vector<int> &lines) {
    if (kernels_.joint) {
        Workspace &work = workspace(static_cast<int>(lines.size()));
        gather(data_, lines, work.images, &work.labels);
        network_.steps++;
        kernels_.joint->run(work.joint);
        for (size_t i = 0; i < updated_.size(); i++) {
            updated_[i].take_place_of(network_.parameters[i]);
        }
        return work.loss();
    }
    const float loss = differentiate(lines);
    network_.steps++;
    for (size_t i = 0; i < updated_.size(); i++) {
        update(network_.parameters[i], updated_[i]);
    }
    return loss;
}

}  // namespace eutectic::digits
