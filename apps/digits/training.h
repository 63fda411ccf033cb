#pragma once

#include "apps/digits/data.h"
#include "apps/digits/kernels.h"
#include "apps/digits/network.h"

#include <map>
#include <memory>
#include <vector>

namespace eutectic::digits {

/// The settings of Adam (D. Kingma, J. Ba, "Adam", 2015).
struct Adam {
    float rate = 1e-3f, beta1 = 0.9f, beta2 = 0.999f, epsilon = 1e-8f;
};

/// Trains a network with a set of kernels. Owns every buffer of a step, so that a step allocates nothing.
class Trainer {
public:
    /// Refers to the network and the data, which must outlive it.
    Trainer(Network &network, const Digits &data, StepKernels kernels);
    ~Trainer();

    /// One update from the samples of these lines: forward, backward, Adam for each parameter. Returns their
    /// mean loss before it. Any number of lines ≥ 1; buffers are kept for each number met.
    float step(const std::vector<int> &lines);

    /// The first two thirds of a step: the loss, and every parameter's gradient in the network. Changes no
    /// parameter.
    float differentiate(const std::vector<int> &lines);

private:
    struct Workspace;
    struct Updated;
    Workspace &workspace(int batch);
    void update(Parameter &parameter, Updated &updated);
    void bind_joint(Workspace &work);

    Network &network_;
    const Digits &data_;
    StepKernels kernels_;
    Adam adam_;
    std::map<int, std::unique_ptr<Workspace>> workspaces_;
    std::vector<Updated> updated_;  // as many as the network has parameters
};

}  // namespace eutectic::digits
