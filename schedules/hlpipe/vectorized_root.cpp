#include "schedules/hlpipe/vectorized_root.h"

#include <algorithm>
#include <vector>

#include "graph/read/outputs.h"

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

namespace {

/** Is it the Func through which a pipeline reads an input? Halide inlines those. */
bool stands_for_input(const Function &f) {
    if (!f.has_pure_definition() || !f.updates().empty() || f.outputs() != 1) {
        return false;
    }
    const Call *call = f.values()[0].as<Call>();
    return call && call->call_type == Call::Image &&
           std::all_of(call->args.begin(), call->args.end(),
                       [](const Expr &e) { return e.as<Variable>() != nullptr; });
}

std::vector<Function> computed(const Pipeline &pipeline) {
    std::vector<Function> result;
    for (const auto &[name, f] : build_environment(output_functions(pipeline))) {
        if (!stands_for_input(f)) {
            result.push_back(f);
        }
    }
    return result;
}

}  // namespace

int count_funcs(const Pipeline &pipeline) {
    return static_cast<int>(computed(pipeline).size());
}

void vectorized_root(const Pipeline &pipeline, const Target &target) {
    for (const Function &function : computed(pipeline)) {
        Func f(function);
        f.compute_root();
        if (function.has_extern_definition() || f.args().empty()) {
            continue;
        }
        const Var innermost = f.args()[0];
        const int lanes = target.natural_vector_size(function.output_types()[0]);
        f.vectorize(innermost, lanes);
        for (int u = 0; u < f.num_update_definitions(); u++) {
            const Variable *written = f.update_args(u)[0].as<Variable>();
            if (written && written->name == innermost.name()) {
                f.update(u).vectorize(innermost, lanes);
            } else {
                f.update(u).unscheduled();
            }
        }
    }
}

}  // namespace eutectic
