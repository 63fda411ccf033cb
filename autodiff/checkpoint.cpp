#include "autodiff/checkpoint.h"

#include "autodiff/expr_tools.h"

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

const std::string tag = "eutectic.checkpoint";

}  // namespace

Func checkpoint(Func func) {
    if (!is_checkpoint(func.function())) {
        func.add_trace_tag(tag);
    }
    return func;
}

bool is_checkpoint(const Function &f) {
    return has_trace_tag(f, tag);
}

}  // namespace eutectic
