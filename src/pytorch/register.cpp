#include <algorithm>
#include <cctype>

#include <ATen/Functions.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/autograd/custom_function.h>

#include "pytorch/operation.h"

namespace eutectic::pytorch {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;
using torch::jit::Stack;

using Shared = std::shared_ptr<const Operation>;

std::string returned(size_t count) {
    std::string text = "Tensor";
    for (size_t i = 1; i < count; i++) {
        text += ", Tensor";
    }
    return count == 1 ? text : "(" + text + ")";
}

std::string identifier(std::string name) {
    for (char &c : name) {
        c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    }
    return name;
}

std::string declared(const Operation &operation, const std::vector<std::string> &names) {
    std::string text;
    for (const std::string &name : names) {
        const c10::ScalarType type = operation.argument(name).type;
        const bool is_tensor = operation.argument(name).dimensions != is_number || operation.is_tensor(name);
        text += text.empty() ? "" : ", ";
        text += is_tensor                                                           ? "Tensor"
                : type == c10::ScalarType::Float || type == c10::ScalarType::Double ? "float"
                : type == c10::ScalarType::Bool                                     ? "bool"
                                                                                    : "SymInt";
        text += " " + identifier(name);
    }
    return text;
}

c10::OperatorHandle registered(const std::string &name) {
    return c10::Dispatcher::singleton().findSchemaOrThrow(("eutectic::" + name).c_str(), "");
}

/// The values as a call of the operation NAME returns them.
Stack called(const std::string &name, Stack values) {
    registered(name).callBoxed(values);
    return values;
}

/// Of a tensor of the forward, without its values.
struct Like {
    std::vector<c10::SymInt> sizes;
    at::TensorOptions options;
};

struct Given {
    Shared operation;
    Stack values;
};

/// NAME_forward, whose gradient is NAME_backward.
struct Differentiable : torch::autograd::Function<Differentiable> {
    static variable_list forward(AutogradContext *context, const Given *given, at::TensorList /*tensors*/) {
        const Operation &operation = *given->operation;
        const Pair &pair = operation.pair();
        const Stack made = [&] {
            const at::AutoDispatchBelowADInplaceOrView guard;
            return called(pair.name + "_forward", given->values);
        }();
        std::map<std::string, c10::IValue> values;
        for (size_t i = 0; i < pair.inputs.size(); i++) {
            values[pair.inputs[i]] = given->values[i];
        }
        variable_list results, fixed;
        for (size_t i = 0; i < made.size(); i++) {
            const Made &of = operation.made()[i];
            results.push_back(made[i].toTensor());
            values[of.name] = made[i];
            if (!of.differentiated) {
                fixed.push_back(results.back());
            }
        }
        variable_list saved;
        for (const std::string &name : operation.read_by_backward()) {
            const auto value = values.find(name);
            if (value != values.end() && value->second.isTensor()) {
                saved.push_back(value->second.toTensor());
            } else if (value != values.end()) {
                context->saved_data[name] = value->second;
            }
        }
        for (const std::string &name : operation.tensors()) {
            context->saved_data["sizes_of_" + name] = values[name].toTensor().sym_sizes();
        }
        for (size_t i = 0; i < results.size(); i++) {
            if (operation.made()[i].differentiated) {
                context->saved_data["sizes_of_" + operation.made()[i].name] = results[i].sym_sizes();
            }
        }
        context->saved_data["pair"] = pair.name;
        context->save_for_backward(saved);
        context->mark_non_differentiable(fixed);
        context->set_materialize_grads(false);
        return results;
    }

    static variable_list backward(AutogradContext *context, const variable_list &upstream);
};

std::map<std::string, Shared> &operations() {
    static std::map<std::string, Shared> all;
    return all;
}

variable_list Differentiable::backward(AutogradContext *context, const variable_list &upstream) {
    const Operation &operation = *operations().at(context->saved_data["pair"].toStringRef());
    const Pair &pair = operation.pair();
    variable_list results(1 + operation.tensors().size());  // of Given, which has none, first
    std::map<std::string, at::Tensor> given;
    bool any = false;
    for (size_t i = 0; i < upstream.size(); i++) {
        if (operation.made()[i].differentiated) {
            given["d_" + operation.made()[i].name] = upstream[i];
            any = any || upstream[i].defined();
        }
    }
    if (!any) {
        return results;
    }
    const variable_list saved = context->get_saved_variables();
    size_t next = 0;
    Stack stack;
    for (const std::string &name : operation.read_by_backward()) {
        const auto gradient = given.find(name);
        if (gradient == given.end()) {
            const auto number = context->saved_data.find(name);
            stack.push_back(number != context->saved_data.end() ? number->second
                                                                : c10::IValue(saved[next++]));
        } else if (gradient->second.defined()) {
            stack.emplace_back(gradient->second);
        } else {
            const auto sizes = context->saved_data.at("sizes_of_" + name.substr(2)).toSymIntVector();
            stack.emplace_back(
                at::zeros_symint(sizes, at::TensorOptions().dtype(operation.argument(name).type)));
        }
    }
    for (const std::string &name : operation.tensors()) {
        stack.push_back(context->saved_data.at("sizes_of_" + name));
    }
    const Stack gradients = called(pair.name + "_backward", std::move(stack));
    for (size_t i = 0; i < gradients.size(); i++) {
        const auto &tensors = operation.tensors();
        const auto place = std::find(tensors.begin(), tensors.end(), pair.gradients[i]) - tensors.begin();
        if (context->needs_input_grad(static_cast<size_t>(place))) {
            results[1 + place] = gradients[i].toTensor();
        }
    }
    return results;
}

/// NAME_backward, which is not differentiated again.
struct DifferentiatedOnce : torch::autograd::Function<DifferentiatedOnce> {
    static variable_list forward(AutogradContext * /*context*/, const Given *given,
                                 at::TensorList /*tensors*/) {
        const at::AutoDispatchBelowADInplaceOrView guard;
        variable_list results;
        for (const c10::IValue &made : called(given->operation->pair().name + "_backward", given->values)) {
            results.push_back(made.toTensor());
        }
        return results;
    }

    static variable_list backward(AutogradContext * /*context*/, const variable_list & /*upstream*/) {
        TORCH_CHECK(false,
                    "trying to differentiate twice a function that was marked with @once_differentiable");
    }
};

template<typename Function>
void differentiated(const Shared &operation, Stack *stack, size_t count) {
    Given given{operation, Stack(stack->end() - static_cast<std::ptrdiff_t>(count), stack->end())};
    torch::jit::drop(*stack, count);
    variable_list tensors;
    for (const c10::IValue &value : given.values) {
        if (value.isTensor()) {
            tensors.push_back(value.toTensor());
        }
    }
    for (at::Tensor &made : Function::apply(&given, at::TensorList(tensors))) {
        stack->emplace_back(std::move(made));
    }
}

struct Kernel : c10::OperatorKernel {
    Kernel(Shared operation, std::function<void(const Shared &, Stack *)> run)
        : operation(std::move(operation)), run(std::move(run)) {
    }

    void operator()(const c10::OperatorHandle & /*called*/, c10::DispatchKeySet /*keys*/, Stack *stack) {
        run(operation, stack);
    }

    Shared operation;
    std::function<void(const Shared &, Stack *)> run;
};

}  // namespace

void register_pair(torch::Library &library, const Pair &pair) {
    const auto operation = std::make_shared<const Operation>(pair);
    operations()[pair.name] = operation;
    const std::string forward = pair.name + "_forward", backward = pair.name + "_backward";
    const size_t inputs = pair.inputs.size();
    const size_t read = operation->read_by_backward().size() + operation->tensors().size();

    std::string sizes;
    for (const std::string &name : operation->tensors()) {
        sizes += ", SymInt[] sizes_of_" + identifier(name);
    }
    const std::string taken = declared(*operation, pair.inputs);
    library.def((pair.name + "(" + taken + ") -> " + returned(pair.outputs.size())).c_str());
    library.def((forward + "(" + taken + ") -> " + returned(operation->made().size())).c_str());
    library.def((backward + "(" + declared(*operation, operation->read_by_backward()) + sizes + ") -> " +
                 returned(pair.gradients.size()))
                    .c_str());

    const auto implement = [&](const std::string &name, c10::DispatchKey key,
                               std::function<void(const Shared &, Stack *)> run) {
        auto kernel = std::make_unique<Kernel>(operation, std::move(run));
        library.impl(name.c_str(),
                     torch::dispatch(key, torch::CppFunction::makeFromBoxedKernel(
                                              c10::BoxedKernel::makeFromFunctor(std::move(kernel)))));
    };
    for (const bool fake : {false, true}) {
        const auto key = fake ? c10::DispatchKey::Meta : c10::DispatchKey::CPU;
        implement(forward, key, [fake](const Shared &op, Stack *stack) { op->forward(*stack, fake); });
        implement(backward, key, [fake](const Shared &op, Stack *stack) { op->backward(*stack, fake); });
    }
    implement(forward, c10::DispatchKey::Autograd, [inputs](const Shared &op, Stack *stack) {
        differentiated<Differentiable>(op, stack, inputs);
    });
    implement(backward, c10::DispatchKey::Autograd, [read](const Shared &op, Stack *stack) {
        differentiated<DifferentiatedOnce>(op, stack, read);
    });
    implement(pair.name, c10::DispatchKey::CompositeImplicitAutograd, [](const Shared &op, Stack *stack) {
        registered(op->pair().name + "_forward").callBoxed(stack);
        torch::jit::drop(*stack, op->pair().residuals.size());
    });
}

}  // namespace eutectic::pytorch
