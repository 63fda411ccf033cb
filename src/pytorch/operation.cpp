#include "pytorch/operation.h"

#include <algorithm>

#include <ATen/Functions.h>
#include <ATen/TensorUtils.h>

namespace eutectic::pytorch {
namespace {

// Sizes whose plans are kept: more than a program has in turn, and less than memory to speak of.
constexpr size_t most_plans = 64;

std::vector<c10::IValue> taken(torch::jit::Stack &stack, size_t count) {
    const auto from = stack.end() - static_cast<std::ptrdiff_t>(count);
    std::vector<c10::IValue> values(std::make_move_iterator(from), std::make_move_iterator(stack.end()));
    stack.erase(from, stack.end());
    return values;
}

at::TensorOptions options_like(const std::vector<c10::IValue> &values) {
    for (const c10::IValue &value : values) {
        if (value.isTensor()) {
            return value.toTensor().options();
        }
    }
    return {};
}

/// A new one on the CPU.
at::Tensor empty(const std::vector<int64_t> &sizes, c10::ScalarType type) {
    return at::empty(sizes, at::TensorOptions().dtype(type));
}

/// A new one without values, where `options` are.
at::Tensor fake_empty(c10::SymIntArrayRef sizes, c10::ScalarType type, const at::TensorOptions &options) {
    return at::empty_symint(sizes, options.dtype(type));
}

template<typename Sizes>
std::optional<std::vector<int64_t>> numbers_of(const Sizes &sizes) {
    std::vector<int64_t> numbers;
    for (const c10::SymInt &size : sizes) {
        const auto number = size.maybe_as_int();
        if (!number) {
            return std::nullopt;
        }
        numbers.push_back(*number);
    }
    return numbers;
}

/// What sizes may follow from: those of a tensor, a number that is no real one.
void note(const std::string &name, const c10::IValue &value, Known &known) {
    if (value.isTensor()) {
        known.set_sizes(name, value.toTensor().sym_sizes());
    } else if (!value.isDouble()) {
        known.set_number(name, value.isBool() ? c10::SymInt(value.toBool()) : value.toSymInt());
    }
}

std::vector<c10::SymInt> values_of(const std::vector<Size> &sizes) {
    std::vector<c10::SymInt> values;
    for (size_t d = sizes.size(); d-- > 0;) {
        values.push_back(sizes[d].value());
    }
    return values;
}

}  // namespace

Operation::Operation(const Pair &pair)
    : pair_(pair),
      operation_("eutectic::" + pair.name),
      made_(pair.outputs),
      forward_(pair, pair.forward, pair.forward_metadata(), pair.forward_arguments),
      backward_(pair, pair.backward, pair.backward_metadata(), pair.backward_arguments, pair.unread) {
    made_.insert(made_.end(), pair.residuals.begin(), pair.residuals.end());
    for (const std::string &name : pair.inputs) {
        if (is_tensor(name)) {
            tensors_.push_back(name);
        }
    }
    for (const std::string &name : pair.backward_arguments) {
        const bool given = std::any_of(pair.gradients.begin(), pair.gradients.end(),
                                       [&](const std::string &of) { return name == "d_" + of; });
        const bool is_read = std::find(pair.unread.begin(), pair.unread.end(), name) == pair.unread.end();
        if (!given && is_read) {
            read_by_backward_.push_back(name);
        }
    }
}

const Argument &Operation::argument(const std::string &name) const {
    const auto found = std::find_if(pair_.arguments.begin(), pair_.arguments.end(),
                                    [&](const Argument &argument) { return argument.name == name; });
    TORCH_INTERNAL_ASSERT(found != pair_.arguments.end(), name);
    return *found;
}

bool Operation::is_tensor(const std::string &name) const {
    const auto &gradients = pair_.gradients;
    return argument(name).dimensions != is_number ||
           std::find(gradients.begin(), gradients.end(), name) != gradients.end();
}

Known Operation::known(const std::vector<c10::IValue> &values) const {
    Known known;
    for (size_t i = 0; i < values.size(); i++) {
        const std::string &name = pair_.inputs[i];
        const Argument &wanted = argument(name);
        if (values[i].isTensor()) {
            const at::Tensor &tensor = values[i].toTensor();
            const int dimensions = std::max(0, wanted.dimensions);
            const at::TensorArg given(tensor, name.c_str(), static_cast<int>(i) + 1);
            if (tensor.dim() != dimensions) {
                at::checkDim(operation_.c_str(), given, dimensions);
            }
            at::checkScalarType(operation_.c_str(), given, wanted.type);
        }
        note(name, values[i], known);
    }
    return known;
}

std::vector<std::vector<c10::SymInt>> Operation::made_sizes(Known &known) const {
    std::vector<std::vector<c10::SymInt>> result;
    for (const Made &made : made_) {
        result.push_back(values_of(made.extents(known)));
        known.set_sizes(made.name, result.back());  // what is kept may have the sizes of an output
    }
    return result;
}

Begins Operation::begins(const Known &known) const {
    Begins begins;
    for (const Made &made : pair_.residuals) {
        if (made.mins) {
            begins[made.name] = *numbers_of(values_of(made.mins(known)));
        }
    }
    return begins;
}

std::shared_ptr<const Operation::Plan> Operation::plan(const std::vector<c10::IValue> &values) const {
    std::vector<int64_t> key;
    for (const c10::IValue &value : values) {
        if (value.isTensor()) {
            const at::IntArrayRef sizes = value.toTensor().sizes();
            key.insert(key.end(), sizes.begin(), sizes.end());
            key.push_back(static_cast<int64_t>(value.toTensor().scalar_type()));
            key.push_back(-static_cast<int64_t>(sizes.size()));
        } else if (value.isDouble()) {
            key.push_back(c10::bit_cast<int64_t>(value.toDouble()));
        } else {
            key.push_back(value.isBool() ? static_cast<int64_t>(value.toBool()) : value.toInt());
        }
    }
    {
        const std::lock_guard<std::mutex> lock(planning_);
        const auto found = plans_.find(key);
        if (found != plans_.end()) {
            return found->second;
        }
    }
    Known known = this->known(values);
    auto plan = std::make_shared<Plan>();
    for (const auto &sizes : made_sizes(known)) {
        plan->sizes.push_back(*numbers_of(sizes));
    }
    plan->begins = begins(known);
    check_fit(known, *plan, values);
    const std::lock_guard<std::mutex> lock(planning_);
    if (plans_.size() >= most_plans) {
        plans_.clear();
    }
    return plans_[key] = plan;
}

/// An error where an input is smaller than what is read of it, or has a size that the operation never asks
/// for: as much is read, however large it is, so that the rest is not what a window or a step leaves over.
void Operation::check_fit(const Known &known, const Plan &plan,
                          const std::vector<c10::IValue> &values) const {
    std::map<std::string, std::vector<int64_t>> sizes;
    Values numbers;
    for (size_t i = 0; i < values.size(); i++) {
        if (values[i].isTensor()) {
            sizes[pair_.inputs[i]] = *numbers_of(known.sizes(pair_.inputs[i]));
            numbers[pair_.inputs[i]] =
                0.0;  // its value, where it is a number with a gradient: sizes do not follow from those
        } else {
            numbers[pair_.inputs[i]] = values[i];
        }
    }
    for (size_t i = 0; i < made_.size(); i++) {
        sizes[made_[i].name] = plan.sizes[i];
    }
    const auto needed = forward_.needed(sizes, numbers, plan.begins);
    for (size_t i = 0; i < values.size(); i++) {
        const std::string &name = pair_.inputs[i];
        const auto ranges = needed.find(name);
        for (size_t d = 0; ranges != needed.end() && d < ranges->second.size(); d++) {
            const auto [first, size] = ranges->second[d];
            const int64_t end = first + size, there = sizes[name][d];
            bool wrong = first < 0 || end > there;
            if (!wrong && end < there) {
                Known larger = known;
                auto more = sizes;
                more[name][d] *= 2;
                std::vector<c10::SymInt> doubled(more[name].begin(), more[name].end());
                larger.set_sizes(name, doubled);
                const auto made = made_sizes(larger);
                for (size_t m = 0; m < made_.size(); m++) {
                    more[made_[m].name] = *numbers_of(made[m]);
                }
                const auto [more_first, more_size] =
                    forward_.needed(more, numbers, begins(larger)).at(name)[d];
                wrong = more_first + more_size == end;
            }
            if (size > 0 && wrong) {
                const at::TensorArg given(values[i].toTensor(), name.c_str(), static_cast<int>(i) + 1);
                at::checkSize(operation_.c_str(), given, static_cast<int64_t>(d), end);
            }
        }
    }
}

Values Operation::values(const std::vector<std::string> &names, const std::vector<c10::IValue> &given) const {
    Values values;
    for (size_t i = 0; i < names.size(); i++) {
        const c10::IValue &value = given[i];
        if (!value.isTensor()) {
            values[names[i]] = value;
        } else if (argument(names[i]).dimensions == is_number) {
            values[names[i]] = value.toTensor().item<double>();
        } else {
            values[names[i]] = as_taken(value.toTensor());
        }
    }
    return values;
}

void Operation::forward(torch::jit::Stack &stack, bool fake) const {
    const std::vector<c10::IValue> given = taken(stack, pair_.inputs.size());
    if (fake) {
        Known known = this->known(given);
        const auto sizes = made_sizes(known);
        const bool concrete = std::all_of(tensors_.begin(), tensors_.end(), [&](const std::string &name) {
            return numbers_of(known.sizes(name)).has_value();
        });
        const bool counted =
            std::all_of(given.begin(), given.end(), [](const c10::IValue &v) { return !v.isSymInt(); });
        if (concrete && counted) {
            (void)plan(given);
        }
        const at::TensorOptions options = options_like(given);
        for (size_t i = 0; i < made_.size(); i++) {
            stack.emplace_back(fake_empty(sizes[i], argument(made_[i].name).type, options));
        }
        return;
    }
    const auto plan = this->plan(given);
    Values values = this->values(pair_.inputs, given);
    for (size_t i = 0; i < made_.size(); i++) {
        values[made_[i].name] = empty(plan->sizes[i], argument(made_[i].name).type);
    }
    forward_.run(values, plan->begins);
    for (const Made &made : made_) {
        stack.push_back(values[made.name]);
    }
}

void Operation::backward(torch::jit::Stack &stack, bool fake) const {
    const std::vector<c10::IValue> given = taken(stack, read_by_backward_.size() + tensors_.size());
    std::map<std::string, std::vector<c10::SymInt>> sizes;
    for (size_t i = 0; i < tensors_.size(); i++) {
        sizes[tensors_[i]] = given[read_by_backward_.size() + i].toSymIntVector();
    }
    if (fake) {
        for (const std::string &name : pair_.gradients) {
            stack.emplace_back(fake_empty(sizes.at(name), argument(name).type, options_like(given)));
        }
        return;
    }
    Values values = this->values(read_by_backward_, given);
    Known known;
    for (size_t i = 0; i < read_by_backward_.size(); i++) {
        note(read_by_backward_[i], given[i], known);
    }
    for (const auto &[name, of] : sizes) {
        known.set_sizes(name, of);
    }
    for (const std::string &name : pair_.gradients) {
        values["d_" + name] = empty(*numbers_of(sizes.at(name)), argument(name).type);
    }
    backward_.run(values, begins(known));
    for (const std::string &name : pair_.gradients) {
        stack.push_back(values["d_" + name]);
    }
}

}  // namespace eutectic::pytorch
