// A block of a GPT (Radford et al., "Language models are unsupervised multitask learners", 2019):
//     z = x + heads(layernorm(x)) w_out + b_out,  y = z + gelu(layernorm(z) w_up + b_up) w_down + b_down
// where heads are causal attention, each on its own `width / heads` columns of the products with w_q, w_k and
// w_v. The keys have no bias: what it would add to all scores of a query, their softmax does not see.

#include "autodiff/register.h"
#include "generators/models/models.h"

using namespace Halide;

namespace eutectic::models {

class GptBlock : public Generator<GptBlock> {
    using Matrix = Input<Buffer<void, 2>>;
    using Vector = Input<Buffer<void, 1>>;

public:
    GeneratorParam<Type> type{"type", Float(32)};
    GeneratorParam<int> positions{"positions", 128};
    GeneratorParam<int> width{"width", 128};
    GeneratorParam<int> heads{"heads", 4, 1, 1 << 20};  // a divisor of the width
    GeneratorParam<int> hidden{"hidden", 512};
    GeneratorParam<float> epsilon{"epsilon", 1e-5f};

    // All from 0.
    Matrix x{"x"};                              // (width, positions)
    Vector scale1{"scale1"}, bias1{"bias1"};    // (width)
    Matrix w_q{"w_q"}, w_k{"w_k"}, w_v{"w_v"};  // (width, width)
    Vector b_q{"b_q"}, b_v{"b_v"};              // (width)
    Matrix w_out{"w_out"};                      // (width, width)
    Vector b_out{"b_out"};                      // (width)
    Vector scale2{"scale2"}, bias2{"bias2"};    // (width)
    Matrix w_up{"w_up"};                        // (hidden, width)
    Vector b_up{"b_up"};                        // (hidden)
    Matrix w_down{"w_down"};                    // (width, hidden)
    Vector b_down{"b_down"};                    // (width)
    Output<Buffer<void, 2>> y{"y"};             // (width, positions)

    void configure() {
        for (Matrix *matrix : {&x, &w_q, &w_k, &w_v, &w_out, &w_up, &w_down}) {
            matrix->set_type(type);
        }
        for (Vector *vector : {&scale1, &bias1, &b_q, &b_v, &b_out, &scale2, &bias2, &b_up, &b_down}) {
            vector->set_type(type);
        }
        y.set_type(type);
    }

    void generate() {
        const RDom columns(0, x.dim(0).extent(), "c"), units(0, w_down.dim(1).extent(), "u"),
            inner(0, int(width) / int(heads), "r"), all(0, x.dim(1).extent(), "t");
        const Func normed = layernorm(x, columns, scale1, bias1, epsilon);
        const Func mixed =
            causal_heads(by_heads(biased(normed, w_q, b_q, columns, "q"), "heads_q"),
                         by_heads(matmul(normed, w_k, columns), "heads_k"),
                         by_heads(biased(normed, w_v, b_v, columns, "v"), "heads_v"), inner, all);
        Func merged("merged"), z("z"), up("up"), wide("wide");
        const int size = int(width) / int(heads);
        merged(j, i) = mixed(j % size, i, j / size);
        z(j, i) = x(j, i) + matmul(merged, w_out, columns)(j, i) + b_out(j);
        up(j, i) = matmul(layernorm(z, columns, scale2, bias2, epsilon), w_up, columns)(j, i) + b_up(j);
        wide(j, i) = gelu(up(j, i));
        y(j, i) = z(j, i) + matmul(wide, w_down, units)(j, i) + b_down(j);
        set_estimates();
    }

private:
    /// x w + b.
    Func biased(const Func &x, Matrix &w, Vector &b, const RDom &columns, const std::string &name) {
        Func out("projected_" + name);
        out(j, i) = matmul(x, w, columns)(j, i) + b(j);
        return out;
    }

    /// (j, i, h): column j of head h.
    Func by_heads(const Func &projected, const std::string &name) {
        const Var h("h");
        const int size = int(width) / int(heads);
        Func out(name);
        out(j, i, h) = projected(h * size + j, i);
        return out;
    }

    void set_estimates() {
        x.set_estimates({{0, width}, {0, positions}});
        for (Matrix *matrix : {&w_q, &w_k, &w_v, &w_out}) {
            matrix->set_estimates({{0, width}, {0, width}});
        }
        for (Vector *vector : {&scale1, &bias1, &b_q, &b_v, &b_out, &scale2, &bias2, &b_down}) {
            vector->set_estimates({{0, width}});
        }
        w_up.set_estimates({{0, hidden}, {0, width}});
        b_up.set_estimates({{0, hidden}});
        w_down.set_estimates({{0, width}, {0, hidden}});
        y.set_estimates({{0, width}, {0, positions}});
    }

    const Var i{"i"}, j{"j"};
};

}  // namespace eutectic::models

EUTECTIC_REGISTER_DIFFERENTIABLE(eutectic::models::GptBlock, gpt_block);
