// A selective state-space model (Gu and Dao, "Mamba", arXiv:2312.00752), of each channel j:
//     h_t(s) = exp(delta_t a(s)) h_(t-1)(s) + delta_t b_t(s) x_t,  y_t = sum over s of c_t(s) h_t(s) + d x_t

#include "autodiff/register.h"
#include "generators/models/models.h"

using namespace Halide;

namespace eutectic::models {

class SelectiveScan : public Generator<SelectiveScan> {
public:
    GeneratorParam<Type> type{"type", Float(32)};
    GeneratorParam<int> batch{"batch", 4};
    GeneratorParam<int> steps{"steps", 64};
    GeneratorParam<int> channels{"channels", 128};
    GeneratorParam<int> states{"states", 16};

    Input<Buffer<void, 3>> x{"x"};          // (channels, steps, batch)
    Input<Buffer<void, 3>> delta{"delta"};  // (channels, steps, batch)
    Input<Buffer<void, 2>> a{"a"};          // (states, channels)
    Input<Buffer<void, 3>> b{"b"};          // (states, steps, batch)
    Input<Buffer<void, 3>> c{"c"};          // (states, steps, batch)
    Input<Buffer<void, 1>> d{"d"};          // (channels)
    Output<Buffer<void, 3>> y{"y"};         // (channels, steps, batch)

    void configure() {
        for (Input<Buffer<void, 3>> *input : {&x, &delta, &b, &c}) {
            input->set_type(type);
        }
        a.set_type(type);
        d.set_type(type);
        y.set_type(type);
    }

    void generate() {
        const Var s("s"), j("j"), t("t"), n("n");
        const RDom later(x.dim(1).min() + 1, x.dim(1).extent() - 1, "t"),
            all_states(a.dim(0).min(), a.dim(0).extent(), "r");
        Func decay("decay"), h("h"), mixed("mixed");
        decay(s, j, t, n) = exp(delta(j, t, n) * a(s, j));
        h(s, j, t, n) = delta(j, t, n) * b(s, t, n) * x(j, t, n);
        h(s, j, later, n) += decay(s, j, later, n) * h(s, j, later - 1, n);
        mixed(j, t, n) = cast(type, 0);
        mixed(j, t, n) += c(all_states, t, n) * h(all_states, j, t, n);
        y(j, t, n) = mixed(j, t, n) + d(j) * x(j, t, n);

        x.set_estimates({{0, channels}, {0, steps}, {0, batch}});
        delta.set_estimates({{0, channels}, {0, steps}, {0, batch}});
        a.set_estimates({{0, states}, {0, channels}});
        b.set_estimates({{0, states}, {0, steps}, {0, batch}});
        c.set_estimates({{0, states}, {0, steps}, {0, batch}});
        d.set_estimates({{0, channels}});
        y.set_estimates({{0, channels}, {0, steps}, {0, batch}});
    }
};

}  // namespace eutectic::models

EUTECTIC_REGISTER_DIFFERENTIABLE(eutectic::models::SelectiveScan, selective_scan);
