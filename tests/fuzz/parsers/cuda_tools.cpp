// What the CUDA toolkit's programs print: ptxas -v and nvdisasm.

#include "schedules/gpu/ptxas.h"
#include "schedules/gpu/sass.h"
#include "tests/fuzz/parsers/parser.h"

void eutectic::fuzz::parse_input(const std::string &input) {
    parse_ptxas(input);
    parse_sass(input);
}
