#include "autodiff/checkpoint.h"

#include <algorithm>

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

// A trace tag is the one text that a Func carries for others: it stays with copies of the Func, and has no
// effect unless the Func is traced.
const std::string tag = "eutectic.checkpoint";

}  // namespace

Func checkpoint(Func func) {
    if (!is_checkpoint(func.function())) {
        func.add_trace_tag(tag);
    }
    return func;
}

bool is_checkpoint(const Function &f) {
    const std::vector<std::string> &tags = f.get_trace_tags();
    return std::find(tags.begin(), tags.end(), tag) != tags.end();
}

}  // namespace eutectic
