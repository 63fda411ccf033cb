// The generators of photo: a photograph restored, and how far that is from another one.

#include "apps/photo/restoration.h"
#include "autodiff/not_differentiable.h"
#include "autodiff/register.h"

using namespace Halide;

namespace eutectic::photo {

class Restore : public Restoration<Restore> {
public:
    Output<Buffer<void, 3>> out{"out"};

    void configure() {
        set_input_types();
        out.set_type(type);
    }

    void generate() {
        Var x("x"), y("y"), c("c");
        out(x, y, c) = restored_input()(x, y, c);
        out.set_estimates({{0, width}, {0, height}, {0, 3}});
    }
};

class Loss : public Restoration<Loss> {
public:
    Input<Buffer<void, 3>> wanted{"wanted"};  // of the size of `in`
    Output<Buffer<void, 0>> loss{"loss"};     // the mean of the squared differences

    void configure() {
        set_input_types();
        wanted.set_type(type);
        loss.set_type(type);
    }

    void generate() {
        not_differentiable(in);
        not_differentiable(wanted);
        const Func restored = restored_input();
        const Expr columns = wanted.dim(0).extent(), rows = wanted.dim(1).extent();
        const RDom all(wanted.dim(0).min(), columns, wanted.dim(1).min(), rows, 0, 3, "all");
        const Expr apart = restored(all.x, all.y, all.z) - wanted(all.x, all.y, all.z);
        Func sum("sum");
        sum() = cast(type, 0);
        sum() += apart * apart;
        loss() = sum() / cast(type, 3 * columns * rows);
        wanted.set_estimates({{0, width}, {0, height}, {0, 3}});
    }
};

}  // namespace eutectic::photo

HALIDE_REGISTER_GENERATOR(eutectic::photo::Restore, photo_restore)
EUTECTIC_REGISTER_DIFFERENTIABLE(eutectic::photo::Loss, photo_loss);
