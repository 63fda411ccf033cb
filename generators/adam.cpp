// One step of Adam (Kingma and Ba, arXiv:1412.6980, algorithm 1) over a parameter and its two moments, flat,
// or with dims=2 as `rows` rows of n:
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
    GeneratorParam<int> dims{"dims", 1, 1, 2};
    GeneratorParam<int> rows{"rows", 1};
    GeneratorParam<bool> separate{"separate", false};

    Vector p{"p"};  // parameter, (n) or (n, rows), as the others
    Vector m{"m"};  // first moment
    Vector v{"v"};  // second moment
    Vector g{"g"};  // gradient

    void configure() {
        for (Vector *vector : {&p, &m, &v, &g}) {
            vector->set_type(type);
            vector->set_dimensions(dims);
        }
        lr_ = add_input<Expr>("lr", type);
        beta1_ = add_input<Expr>("beta1", type);
        beta2_ = add_input<Expr>("beta2", type);
        epsilon_ = add_input<Expr>("epsilon", type);
        step_ = add_input<int32_t>("step");
        if (!separate) {
            outputs_ = {add_output<Func>("out", std::vector<Type>{type, type, type}, dims)};
            return;
        }
        for (const char *name : {"p_next", "m_next", "v_next"}) {
            outputs_.push_back(add_output<Func>(name, type, dims));
        }
    }

    void generate() {
        const std::vector<Var> all{Var("j"), Var("i")};
        const std::vector<Var> at(all.begin(), all.begin() + static_cast<int>(dims));
        const std::vector<Expr> here(at.begin(), at.end());
        const Expr one = cast(type, 1), lr = *lr_, beta1 = *beta1_, beta2 = *beta2_, epsilon = *epsilon_;
        const Expr step = cast(type, *step_);
        const Expr m_new = beta1 * m(here) + (one - beta1) * g(here);
        const Expr v_new = beta2 * v(here) + (one - beta2) * (g(here) * g(here));
        const Expr m_hat = m_new / (one - pow(beta1, step));
        const Expr v_hat = v_new / (one - pow(beta2, step));
        const std::vector<Expr> next = {p(here) - lr * m_hat / (sqrt(v_hat) + epsilon), m_new, v_new};
        if (separate) {
            for (size_t i = 0; i < next.size(); i++) {
                (*outputs_[i])(at) = next[i];
            }
        } else {
            (*outputs_[0])(at) = Tuple(next);
        }

        const Region sizes = dims == 1 ? Region{{0, n}} : Region{{0, n}, {0, rows}};
        for (Vector *vector : {&p, &m, &v, &g}) {
            vector->set_estimates(sizes);
        }
        lr_->set_estimate(cast(type, Expr(0.001)));
        beta1_->set_estimate(cast(type, Expr(0.9)));
        beta2_->set_estimate(cast(type, Expr(0.999)));
        epsilon_->set_estimate(cast(type, Expr(1e-8)));
        step_->set_estimate(1);
        for (Output<Func> *output : outputs_) {
            output->set_estimates(sizes);
        }
    }

private:
    Scalar *lr_ = nullptr, *beta1_ = nullptr, *beta2_ = nullptr, *epsilon_ = nullptr;
    Input<int32_t> *step_ = nullptr;
    std::vector<Output<Func> *> outputs_;
};

}  // namespace eutectic

EUTECTIC_REGISTER_DIFFERENTIABLE(eutectic::Adam, adam);
