#pragma once

/// A pair as operations of PyTorch, differentiable once, with shapes for torch.compile:
///
///     eutectic::NAME(inputs) -> outputs                      what callers call
///     eutectic::NAME_forward(inputs) -> outputs, residuals   differentiated by the next
///     eutectic::NAME_backward(...) -> gradients
///
/// Tensors are on the CPU, of the types that the pair was compiled for; one whose last dimension has a stride
/// is copied, others are read and written where they are. What does not fit is said in ATen's words, as a
/// c10::Error (RuntimeError in Python). A number that has a gradient is a tensor of no dimensions; others are
/// numbers.

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <ATen/core/stack.h>
#include <torch/library.h>

#include "pytorch/call.h"
#include "pytorch/pair.h"

namespace eutectic::pytorch {

/// Registers all three with `library`, which is of the namespace eutectic.
void register_pair(torch::Library &library, const Pair &pair);

/// What both directions of a pair do with what is on PyTorch's stack: takes their inputs off, and puts what
/// they make there. `fake`: the latter without values, and with sizes that may be symbols.
class Operation {
public:
    explicit Operation(const Pair &pair);

    void forward(torch::jit::Stack &stack, bool fake) const;
    void backward(torch::jit::Stack &stack, bool fake) const;

    const Pair &pair() const {
        return pair_;
    }
    const Argument &argument(const std::string &name) const;
    bool is_tensor(const std::string &name) const;

    /// Outputs, then residuals: what the forward makes.
    const std::vector<Made> &made() const {
        return made_;
    }
    /// Inputs that are tensors.
    const std::vector<std::string> &tensors() const {
        return tensors_;
    }
    /// What the backward reads. On its stack, the sizes of all tensors among the inputs follow.
    const std::vector<std::string> &read_by_backward() const {
        return read_by_backward_;
    }

private:
    /// What follows from sizes and numbers, kept for the next call with the same ones.
    struct Plan {
        std::vector<std::vector<int64_t>> sizes;  ///< of made()
        Begins begins;
    };

    /// The inputs among `values`. What is wrong with a tensor is said as ATen says it.
    Known known(const std::vector<c10::IValue> &values) const;
    std::vector<std::vector<c10::SymInt>> made_sizes(Known &known) const;
    Begins begins(const Known &known) const;
    std::shared_ptr<const Plan> plan(const std::vector<c10::IValue> &values) const;
    void check_fit(const Known &known, const Plan &plan, const std::vector<c10::IValue> &values) const;
    Values values(const std::vector<std::string> &names, const std::vector<c10::IValue> &given) const;

    Pair pair_;
    std::string operation_;
    std::vector<Made> made_;
    std::vector<std::string> tensors_, read_by_backward_;
    Call forward_, backward_;
    mutable std::mutex planning_;
    mutable std::map<std::vector<int64_t>, std::shared_ptr<const Plan>> plans_;
};

}  // namespace eutectic::pytorch
