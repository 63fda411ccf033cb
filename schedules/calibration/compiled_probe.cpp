#include "schedules/calibration/compiled_probe.h"

#include <memory>
#include <stdexcept>
#include <string>

namespace eutectic {

using namespace Halide;

void check_status(int status) {
    if (status != 0) {
        throw std::runtime_error("a calibration kernel failed with status " + std::to_string(status));
    }
}

Probe compiled_probe(Pipeline pipeline, const std::vector<Argument> &arguments,
                     const std::vector<Buffer<>> &buffers, const Target &target, double work) {
    struct Compiled {
        Callable callable;
        std::vector<Buffer<>> buffers;
    };
    const auto compiled =
        std::make_shared<Compiled>(Compiled{pipeline.compile_to_callable(arguments, target), buffers});
    const auto run = [compiled] {
        std::vector<Buffer<>> &b = compiled->buffers;
        check_status(b.size() == 1 ? compiled->callable(b[0]) : compiled->callable(b[0], b[1]));
    };
    return {work, run};
}

void keep_in_registers(Func &acc, Func &out, const RDom &r, int lanes, int vectors, const Var *each) {
    const Var x = acc.args()[0], v = acc.args()[1];
    Var once("once"), vi("vi");
    out.bound(x, 0, lanes).bound(v, 0, vectors).vectorize(x);
    if (each == nullptr) {
        out.split(v, once, vi, vectors).unroll(vi);
    } else {
        out.unroll(v);
    }
    acc.compute_at(out, each == nullptr ? once : *each).vectorize(x).unroll(v);
    std::vector<VarOrRVar> order = {x, v, r.x};
    if (r.dimensions() > 1) {
        order.emplace_back(r.y);
    }
    acc.update().reorder(order).vectorize(x).unroll(v);
}

}  // namespace eutectic
