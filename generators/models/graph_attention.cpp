// A layer of a graph attention network (Velickovic et al., arXiv:1710.10903), one head, on a graph where each
// node i has the neighbours edges(0…, i):
//     h = x w,  score(k, i) = leaky_relu(receiver . h(i) + sender . h(edges(k, i))),
//     y(i) = sum over k of softmax over k of score(k, i) h(edges(k, i))
// Edges outside of the nodes are clamped to them.

#include "autodiff/register.h"
#include "generators/models/models.h"

using namespace Halide;

namespace eutectic::models {

class GraphAttention : public Generator<GraphAttention> {
public:
    GeneratorParam<Type> type{"type", Float(32)};
    GeneratorParam<int> nodes{"nodes", 4096};
    GeneratorParam<int> neighbours{"neighbours", 8};
    GeneratorParam<int> width{"width", 64};
    GeneratorParam<int> features{"features", 64};
    GeneratorParam<float> slope{"slope", 0.2f};

    Input<Buffer<void, 2>> x{"x"};                // (width, nodes)
    Input<Buffer<int32_t, 2>> edges{"edges"};     // (neighbours, nodes)
    Input<Buffer<void, 2>> w{"w"};                // (features, width)
    Input<Buffer<void, 1>> receiver{"receiver"};  // (features)
    Input<Buffer<void, 1>> sender{"sender"};      // (features)
    Output<Buffer<void, 2>> y{"y"};               // (features, nodes)

    void configure() {
        x.set_type(type);
        w.set_type(type);
        receiver.set_type(type);
        sender.set_type(type);
        y.set_type(type);
    }

    void generate() {
        const Var i("i"), j("j"), k("k");
        const RDom columns(x.dim(0).min(), x.dim(0).extent(), "r"),
            units(w.dim(0).min(), w.dim(0).extent(), "s"),
            all(edges.dim(0).min(), edges.dim(0).extent(), "k");
        const auto neighbour = [&](const Expr &number) {
            return clamp(edges(number, i), x.dim(1).min(), x.dim(1).max());
        };
        const Func h = matmul(x, w, columns);
        Func as_receiver("as_receiver"), as_sender("as_sender"), score("score");
        as_receiver(i) = cast(type, 0);
        as_receiver(i) += receiver(units) * h(units, i);
        as_sender(i) = cast(type, 0);
        as_sender(i) += sender(units) * h(units, i);
        const Expr sum = as_receiver(i) + as_sender(neighbour(k));
        score(k, i) = select(sum > 0, sum, cast(type, slope) * sum);
        const Func weight = softmax(score, all);
        y(j, i) = cast(type, 0);
        y(j, i) += weight(all, i) * h(j, neighbour(all));

        x.set_estimates({{0, width}, {0, nodes}});
        edges.set_estimates({{0, neighbours}, {0, nodes}});
        w.set_estimates({{0, features}, {0, width}});
        receiver.set_estimates({{0, features}});
        sender.set_estimates({{0, features}});
        y.set_estimates({{0, features}, {0, nodes}});
    }
};

}  // namespace eutectic::models

EUTECTIC_REGISTER_DIFFERENTIABLE(eutectic::models::GraphAttention, graph_attention);
