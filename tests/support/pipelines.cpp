#include "tests/support/pipelines.h"

#include "graph/read/build.h"
#include "schedules/rewrites/made_rewrite.h"

namespace eutectic::test {

using namespace Halide;

Graph graph_of(const std::vector<Func> &outputs) {
    std::vector<Internal::Function> functions;
    for (const Func &f : outputs) {
        functions.push_back(f.function());
    }
    for (auto &[name, function] : Internal::build_environment(functions)) {
        function.lock_loop_levels();
    }
    return build_graph(functions, pattern_finders());
}

ImageParam image(const std::string &name, const Table<DimId, int> &extents, Type type) {
    ImageParam p(type, static_cast<int>(extents.size()), name);
    for (const DimId d : extents.ids()) {
        p.dim(d).set_estimate(0, extents[d]);
    }
    return p;
}

void estimate(Func f, const Table<DimId, int> &extents) {
    for (const DimId d : extents.ids()) {
        f.set_estimate(f.args()[d], 0, extents[d]);
    }
}

}  // namespace eutectic::test
