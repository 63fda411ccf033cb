// Heads of causal attention whose queries and keys are turned by their positions (Su et al., "RoFormer",
// arXiv:2104.09864): the elements j and j + d / 2 of position t as a complex number times
// cosine(j, t) + i sine(j, t).

#include "autodiff/not_differentiable.h"
#include "autodiff/register.h"
#include "generators/models/models.h"

using namespace Halide;

namespace eutectic::models {

class RotaryAttention : public Generator<RotaryAttention> {
public:
    GeneratorParam<Type> type{"type", Float(32)};
    GeneratorParam<int> positions{"positions", 256};
    GeneratorParam<int> heads{"heads", 4};
    GeneratorParam<int> d{"d", 64, 2, 1 << 20};  // even

    Input<Buffer<void, 3>> q{"q"};            // (d, positions, heads), from 0 as all
    Input<Buffer<void, 3>> k{"k"};            // (d, positions, heads)
    Input<Buffer<void, 3>> v{"v"};            // (d, positions, heads)
    Input<Buffer<void, 2>> cosine{"cosine"};  // (d, positions), both halves of d the same
    Input<Buffer<void, 2>> sine{"sine"};      // (d, positions)
    Output<Buffer<void, 3>> y{"y"};           // (d, positions, heads)

    void configure() {
        for (Input<Buffer<void, 3>> *input : {&q, &k, &v}) {
            input->set_type(type);
        }
        cosine.set_type(type);
        sine.set_type(type);
        y.set_type(type);
    }

    void generate() {
        const Var i("i"), j("j"), h("h");
        not_differentiable(cosine);
        not_differentiable(sine);
        const RDom inner(0, q.dim(0).extent(), "r"), keys(0, k.dim(1).extent(), "t");
        y(j, i, h) = causal_heads(turned(q, "turned_q"), turned(k, "turned_k"), v, inner, keys)(j, i, h);

        q.set_estimates({{0, d}, {0, positions}, {0, heads}});
        k.set_estimates({{0, d}, {0, positions}, {0, heads}});
        v.set_estimates({{0, d}, {0, positions}, {0, heads}});
        cosine.set_estimates({{0, d}, {0, positions}});
        sine.set_estimates({{0, d}, {0, positions}});
        y.set_estimates({{0, d}, {0, positions}, {0, heads}});
    }

private:
    Func turned(const Func &x, const std::string &name) {
        const Var i("i"), j("j"), h("h");
        const int half = d / 2;
        Func out(name);
        out(j, i, h) =
            x(j, i, h) * cosine(j, i) +
            select(j < half, -x(min(j + half, d - 1), i, h), x(max(j - half, 0), i, h)) * sine(j, i);
        return out;
    }
};

}  // namespace eutectic::models

EUTECTIC_REGISTER_DIFFERENTIABLE(eutectic::models::RotaryAttention, rotary_attention);
