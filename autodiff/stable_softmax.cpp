#include "autodiff/stable_softmax.h"

#include "autodiff/expr_tools.h"
#include "autodiff/logarithms.h"
#include "autodiff/named_logarithms.h"
#include "autodiff/residuals/halide/conditions.h"
#include "autodiff/shifted_sums.h"

using namespace Halide::Internal;

namespace eutectic {

void write_softmaxes_stably(const std::vector<Function> &outputs) {
    for (const Function &f : computing_order(outputs)) {
        if (f.has_pure_definition()) {
            map_definitions(f, with_stable_logarithms);
        }
    }
    shift_sums(outputs);
    name_logarithms(outputs);
}

}  // namespace eutectic
