// y(j, i) = table(j, indices(i)): rows of a table, gathered. Indices outside of the table are clamped to it.

#include "autodiff/register.h"

#include <Halide.h>

using namespace Halide;

namespace eutectic {

class Embedding : public Generator<Embedding> {
public:
    GeneratorParam<Type> type{"type", Float(32)};
    GeneratorParam<int> width{"width", 512};
    GeneratorParam<int> vocabulary{"vocabulary", 32000};
    GeneratorParam<int> count{"count", 2048};

    Input<Buffer<void, 2>> table{"table"};         // (width, vocabulary)
    Input<Buffer<int32_t, 1>> indices{"indices"};  // (count)
    Output<Buffer<void, 2>> y{"y"};                // (width, count)

    void configure() {
        table.set_type(type);
        y.set_type(type);
    }

    void generate() {
        Var i("i"), j("j");
        y(j, i) = table(j, clamp(indices(i), table.dim(1).min(), table.dim(1).max()));

        table.set_estimates({{0, width}, {0, vocabulary}});
        indices.set_estimates({{0, count}});
        y.set_estimates({{0, width}, {0, count}});
    }
};

}  // namespace eutectic

EUTECTIC_REGISTER_DIFFERENTIABLE(eutectic::Embedding, embedding);
