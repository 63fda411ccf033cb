#include "autodiff/accumulate.h"

#include "autodiff/estimates.h"

#include "graph/read/boundaries.h"

using namespace Halide;

namespace eutectic {

std::vector<ImageParam> accumulate(std::vector<NamedOutput> &gradients) {
    std::vector<ImageParam> given;
    for (NamedOutput &gradient : gradients) {
        const Func added = gradient.func;
        given.emplace_back(added.types()[0], added.dimensions(), "given_" + gradient.name);
        copy_sizes(added, 0, given.back());
        Func sum("accumulated_" + gradient.name);
        const std::vector<Var> args = added.args();
        const std::vector<Expr> at(args.begin(), args.end());
        sum(args) = given.back()(at) + added(at);
        copy_sizes(given.back().parameter(), sum);
        sum.add_trace_tag(in_place_tag);
        gradient.func = sum;
    }
    return given;
}

}  // namespace eutectic
