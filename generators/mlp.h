#pragma once

// The layers that `mlp` and `mlp_loss` share: x, then w1, b1, w2, b2, …; relu between them, none after the
// last.

#include "generators/ops.h"

namespace eutectic {

template<class Derived>
class MlpBase : public Halide::Generator<Derived> {
    using Base = Halide::Generator<Derived>;
    friend Derived;
    MlpBase() = default;

public:
    template<typename T>
    using GeneratorParam = Halide::GeneratorParam<T>;
    template<typename T>
    using Input = Halide::GeneratorInput<T>;
    using AnyBuffer = Halide::Buffer<void>;

    GeneratorParam<Halide::Type> type{"type", Halide::Float(32)};
    GeneratorParam<int> batch{"batch", 128};
    GeneratorParam<std::string> widths{"widths", "64,256,128,10"};

    Input<Halide::Buffer<void, 2>> x{"x"};  // (widths[0], batch)

protected:
    /// Adds w1, b1, w2, b2, …: w_l is (widths[l], widths[l - 1]), b_l is (widths[l]). Called by
    /// configure().
    void add_layers() {
        sizes_ = parse_widths(this->name(), widths);
        x.set_type(type);
        for (size_t l = 1; l < sizes_.size(); l++) {
            weights_.push_back(Base::template add_input<AnyBuffer>("w" + std::to_string(l), type, 2));
            biases_.push_back(Base::template add_input<AnyBuffer>("b" + std::to_string(l), type, 1));
        }
    }

    /// Defines `logits`, (widths.back(), batch), and the Funcs before it.
    void define_logits(Halide::Func logits) {
        Halide::Var i("i"), j("j");
        Halide::Func h = x;
        Halide::Expr first = x.dim(0).min(), width = x.dim(0).extent();
        for (size_t l = 0; l < weights_.size(); l++) {
            Input<AnyBuffer> &w = *weights_[l], &b = *biases_[l];
            const std::string number = std::to_string(l + 1);
            Halide::RDom r(first, width, "r" + number);
            Halide::Func matmul("matmul" + number);
            matmul(j, i) = Halide::cast(type, 0);
            matmul(j, i) += h(r, i) * w(j, r);
            if (l + 1 == weights_.size()) {
                logits(j, i) = matmul(j, i) + b(j);
            } else {
                Halide::Func z("z" + number), next("h" + number);
                z(j, i) = matmul(j, i) + b(j);
                next(j, i) = relu(z(j, i));
                h = next;
                first = weights_[l + 1]->dim(1).min();
                width = weights_[l + 1]->dim(1).extent();
            }
        }
    }

    void set_layer_estimates() {
        x.set_estimates({{0, sizes_[0]}, {0, batch}});
        for (size_t l = 1; l < sizes_.size(); l++) {
            weights_[l - 1]->set_estimates({{0, sizes_[l]}, {0, sizes_[l - 1]}});
            biases_[l - 1]->set_estimates({{0, sizes_[l]}});
        }
    }

    std::vector<int> sizes_;
    std::vector<Input<AnyBuffer> *> weights_, biases_;
};

}  // namespace eutectic
