// Reports of pairs, which eutectic torch reads.

#include "autodiff/contract/torch_source.h"
#include "tests/fuzz/parsers/parser.h"

void eutectic::fuzz::parse_input(const std::string &input) {
    torch_source(input, "pair.report.json");
}
