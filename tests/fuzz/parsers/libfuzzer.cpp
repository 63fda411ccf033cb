// For libFuzzer, which has the main program.

#include <cstddef>
#include <cstdint>

#include "tests/fuzz/parsers/parser.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    eutectic::fuzz::try_input(std::string(reinterpret_cast<const char *>(data), size));
    return 0;
}
