// y(j, t) = table(j, t) + sum of rows(j, i) over all i with indices(i) = t: rows added into a table, in their
// order. Indices outside of the table are clamped to it.

#include "autodiff/register.h"

#include <Halide.h>

using namespace Halide;

namespace eutectic {

class ScatterAdd : public Generator<ScatterAdd> {
public:
    GeneratorParam<Type> type{"type", Float(32)};
    GeneratorParam<int> width{"width", 512};
    GeneratorParam<int> vocabulary{"vocabulary", 8192};
    GeneratorParam<int> count{"count", 2048};

    Input<Buffer<void, 2>> table{"table"};         // (width, vocabulary)
    Input<Buffer<int32_t, 1>> indices{"indices"};  // (count)
    Input<Buffer<void, 2>> rows{"rows"};           // (width, count)
    Output<Buffer<void, 2>> y{"y"};                // (width, vocabulary)

    void configure() {
        table.set_type(type);
        rows.set_type(type);
        y.set_type(type);
    }

    void generate() {
        Var j("j"), t("t");
        const RDom i(indices.dim(0).min(), indices.dim(0).extent(), "i");
        y(j, t) = table(j, t);
        y(j, clamp(indices(i), table.dim(1).min(), table.dim(1).max())) += rows(j, i);

        table.set_estimates({{0, width}, {0, vocabulary}});
        indices.set_estimates({{0, count}});
        rows.set_estimates({{0, width}, {0, count}});
        y.set_estimates({{0, width}, {0, vocabulary}});
    }
};

}  // namespace eutectic

EUTECTIC_REGISTER_DIFFERENTIABLE(eutectic::ScatterAdd, scatter_add);
