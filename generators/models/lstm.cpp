// The last hidden state of a layer of long short-term memory (Hochreiter and Schmidhuber, 1997), from zero
// states, over a sequence of `steps`:
//     (i, f, g, o) = x_t w + h_(t-1) v + b,  c_t = sigmoid(f) c_(t-1) + sigmoid(i) tanh(g),
//     h_t = sigmoid(o) tanh(c_t)

#include "autodiff/register.h"
#include "generators/models/models.h"

using namespace Halide;

namespace eutectic::models {

class Lstm : public Generator<Lstm> {
public:
    GeneratorParam<Type> type{"type", Float(32)};
    GeneratorParam<int> steps{"steps", 16, 1, 256};
    GeneratorParam<int> batch{"batch", 32};
    GeneratorParam<int> width{"width", 128};
    GeneratorParam<int> hidden{"hidden", 128};

    Input<Buffer<void, 3>> x{"x"};   // (width, batch, steps)
    Input<Buffer<void, 3>> w{"w"};   // (hidden, 4 gates, width)
    Input<Buffer<void, 3>> v{"v"};   // (hidden, 4 gates, hidden)
    Input<Buffer<void, 2>> b{"b"};   // (hidden, 4 gates)
    Output<Buffer<void, 2>> y{"y"};  // (hidden, batch)

    void configure() {
        for (Input<Buffer<void, 3>> *input : {&x, &w, &v}) {
            input->set_type(type);
        }
        b.set_type(type);
        y.set_type(type);
    }

    void generate() {
        const Var j("j"), g("g"), i("i"), t("t");
        const RDom columns(x.dim(0).min(), x.dim(0).extent(), "r"),
            units(v.dim(2).min(), v.dim(2).extent(), "s");
        Func from_x("from_x");
        from_x(j, g, i, t) = cast(type, 0);
        from_x(j, g, i, t) += x(columns, i, t) * w(j, g, columns);
        Func h, c;
        for (int step = 0; step < steps; step++) {
            const std::string number = std::to_string(step);
            Func gates("gates" + number), next_c("c" + number), next_h("h" + number);
            Expr gate = from_x(j, g, i, x.dim(2).min() + step) + b(j, g);
            if (step > 0) {
                Func from_h("from_h" + number);
                from_h(j, g, i) = cast(type, 0);
                from_h(j, g, i) += h(units, i) * v(j, g, units);
                gate = gate + from_h(j, g, i);
            }
            gates(j, g, i) = gate;
            const Expr written = sigmoid(gates(j, 0, i)) * tanh_through_exp(gates(j, 2, i));
            next_c(j, i) = step > 0 ? sigmoid(gates(j, 1, i)) * c(j, i) + written : written;
            next_h(j, i) = sigmoid(gates(j, 3, i)) * tanh_through_exp(next_c(j, i));
            c = next_c;
            h = next_h;
        }
        y(j, i) = h(j, i);

        x.set_estimates({{0, width}, {0, batch}, {0, steps}});
        w.set_estimates({{0, hidden}, {0, 4}, {0, width}});
        v.set_estimates({{0, hidden}, {0, 4}, {0, hidden}});
        b.set_estimates({{0, hidden}, {0, 4}});
        y.set_estimates({{0, hidden}, {0, batch}});
    }
};

}  // namespace eutectic::models

EUTECTIC_REGISTER_DIFFERENTIABLE(eutectic::models::Lstm, lstm);
