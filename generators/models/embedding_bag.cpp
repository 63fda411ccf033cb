// y(j, i) = mean over k of table(j, indices(k, i)): bags of rows of a table, gathered. Indices outside of the
// table are clamped to it.

#include "autodiff/register.h"
#include "generators/models/models.h"

using namespace Halide;

namespace eutectic::models {

class EmbeddingBag : public Generator<EmbeddingBag> {
public:
    GeneratorParam<Type> type{"type", Float(32)};
    GeneratorParam<int> width{"width", 64};
    GeneratorParam<int> vocabulary{"vocabulary", 20000};
    GeneratorParam<int> bags{"bags", 1024};
    GeneratorParam<int> each{"each", 16};  // rows of a bag

    Input<Buffer<void, 2>> table{"table"};         // (width, vocabulary)
    Input<Buffer<int32_t, 2>> indices{"indices"};  // (each, bags)
    Output<Buffer<void, 2>> y{"y"};                // (width, bags)

    void configure() {
        table.set_type(type);
        y.set_type(type);
    }

    void generate() {
        const Var i("i"), j("j");
        const RDom k(indices.dim(0).min(), indices.dim(0).extent(), "k");
        Func sum("sum");
        sum(j, i) = cast(type, 0);
        sum(j, i) += table(j, clamp(indices(k, i), table.dim(1).min(), table.dim(1).max()));
        y(j, i) = sum(j, i) / cast(type, indices.dim(0).extent());

        table.set_estimates({{0, width}, {0, vocabulary}});
        indices.set_estimates({{0, each}, {0, bags}});
        y.set_estimates({{0, width}, {0, bags}});
    }
};

}  // namespace eutectic::models

EUTECTIC_REGISTER_DIFFERENTIABLE(eutectic::models::EmbeddingBag, embedding_bag);
