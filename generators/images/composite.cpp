// Layers put over each other, the first undermost, each with its alpha; layers that are switched off do not
// count. 8 bits a colour.

#include "generators/images/images.h"

using namespace Halide;

namespace eutectic::images {

class Composite : public Generator<Composite> {
public:
    GeneratorParam<int> width{"width", 1536};
    GeneratorParam<int> height{"height", 1024};
    GeneratorParam<int> layers{"layers", 4, 1, 64};

    Input<Buffer<uint8_t, 4>> in{"in"};        // (columns, rows, 3 colours and alpha, layers)
    Input<Buffer<uint8_t, 1>> shown{"shown"};  // (layers), 0: switched off
    Output<Buffer<uint8_t, 3>> out{"out"};     // (columns, rows, 3 colours)

    void generate() {
        Func over("over");
        RDom layer(0, layers, "layer");
        layer.where(shown(layer) != 0);
        const auto share = [](const Expr &value) { return cast<float>(value) / 255.0f; };
        const Expr alpha = share(in(x, y, 3, layer));
        over(x, y, c) = Tuple(0.0f, 0.0f);  // the colour times its alpha, and alpha
        over(x, y, c) = Tuple(over(x, y, c)[0] * (1.0f - alpha) + share(in(x, y, c, layer)) * alpha,
                              over(x, y, c)[1] * (1.0f - alpha) + alpha);
        out(x, y, c) = to_byte(255.0f * over(x, y, c)[0] / max(over(x, y, c)[1], 1.0f / 512));

        in.set_estimates({{0, width}, {0, height}, {0, 4}, {0, layers}});
        shown.set_estimates({{0, layers}});
        out.set_estimates({{0, width}, {0, height}, {0, 3}});
    }
};

}  // namespace eutectic::images

HALIDE_REGISTER_GENERATOR(eutectic::images::Composite, composite)
