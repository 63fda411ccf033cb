#include "graph_text.h"

#include "tests/support/pipelines.h"

namespace eutectic::test {

std::string text_of(const std::vector<Halide::Func> &outputs) {
    return to_string(graph_of(outputs), false);
}

}  // namespace eutectic::test
