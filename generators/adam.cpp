// One step of Adam (Kingma and Ba, arXiv:1412.6980, algorithm 1) over a flat parameter and its two moments:
//     m' = beta1 m + (1 - beta1) g,   v' = beta2 v + (1 - beta2) g^2,
//     p' = p - lr (m' / (1 - beta1^step)) / (sqrt(v' / (1 - beta2^step)) + epsilon),   step = 1, 2, …
// `out` is the tuple (p', m', v'); with separate=true there are three outputs instead, `p_next`, `m_next` and
// `v_next`. Each element reads and writes its own position only, so p, m and v may be the outputs' memory.

#include "autodiff/register.h"

#include <Halide.h>

using namespace Halide;

namespace eutectic {

class Adam : public Generator<Adam> {
    using Scalar = Input<Expr>;
    using Vector = Input<Buffer<void>>;

public:
    GeneratorParam<Type> type{"type", Float(32)};
    GeneratorParam<int> n{"n", 65536};
    GeneratorParam<bool> separate{"separate", false};

    Input<Buffer<void, 1>> p{"p"};  // parameter, (n)
    Input<Buffer<void, 1>> m{"m"};  // first moment, (n)
    Input<Buffer<void, 1>> v{"v"};  // second moment, (n)
    Input<Buffer<void, 1>> g{"g"};  // gradient, (n)

    void configure() {
        for (Input<Buffer<void, 1>> *vector : {&p, &m, &v, &g}) {
            vector->set_type(type);
        }
        lr_ = add_input<Expr>("lr", type);
        beta1_ = add_input<Expr>("beta1", type);
        beta2_ = add_input<Expr>("beta2", type);
        epsilon_ = add_input<Expr>("epsilon", type);
        step_ = add_input<int32_t>("step");
        if (!separate) {
            outputs_ = {add_output<Func>("out", std::vector<Type>{type, type, type}, 1)};
            return;
        }
        for (const char *name : {"p_next", "m_next", "v_next"}) {
            outputs_.push_back(add_output<Func>(name, type, 1));
        }
    }

    void generate() {
        Var j("j");
        const Expr one = cast(type, 1), lr = *lr_, beta1 = *beta1_, beta2 = *beta2_, epsilon = *epsilon_;
        const Expr step = cast(type, *step_);
        const Expr m_new = beta1 * m(j) + (one - beta1) * g(j);
        const Expr v_new = beta2 * v(j) + (one - beta2) * (g(j) * g(j));
        const Expr m_hat = m_new / (one - pow(beta1, step));
        const Expr v_hat = v_new / (one - pow(beta2, step));
        const std::vector<Expr> next = {p(j) - lr * m_hat / (sqrt(v_hat) + epsilon), m_new, v_new};
        if (separate) {
            for (size_t i = 0; i < next.size(); i++) {
                (*outputs_[i])(j) = next[i];
            }
        } else {
            (*outputs_[0])(j) = Tuple(next);
        }

        for (Input<Buffer<void, 1>> *vector : {&p, &m, &v, &g}) {
            vector->set_estimates({{0, n}});
        }
        lr_->set_estimate(cast(type, Expr(0.001)));
        beta1_->set_estimate(cast(type, Expr(0.9)));
        beta2_->set_estimate(cast(type, Expr(0.999)));
        epsilon_->set_estimate(cast(type, Expr(1e-8)));
        step_->set_estimate(1);
        for (Output<Func> *output : outputs_) {
            output->set_estimates({{0, n}});
        }
    }

private:
    Scalar *lr_ = nullptr, *beta1_ = nullptr, *beta2_ = nullptr, *epsilon_ = nullptr;
    Input<int32_t> *step_ = nullptr;
    std::vector<Output<Func> *> outputs_;
};

}  // namespace eutectic

EUTECTIC_REGISTER_DIFFERENTIABLE(eutectic::Adam, adam);
