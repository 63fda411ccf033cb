// Files of --gpu.

#include "machine/gpu_fields.h"
#include "tests/fuzz/parsers/parser.h"

void eutectic::fuzz::parse_input(const std::string &input) {
    const Gpu read = parse_gpu(input, "gpu.json");
    parse_gpu(to_json(read), "written.json");
}
