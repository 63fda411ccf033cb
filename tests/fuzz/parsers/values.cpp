// --input NAME=TEXT, and the arrays of numpy's that it may name.

#include "apps/eutectic/values.h"
#include "apps/eutectic/npy.h"
#include "tests/fuzz/parsers/parser.h"

void eutectic::fuzz::parse_input(const std::string &input) {
    if (input.rfind("\x93NUMPY", 0) == 0) {
        static const Halide::Buffer<> needed(Halide::Float(32), {3, 2});
        read_npy(file_with(input, ".npy"), "x", needed);
    } else if (input.find('\0') == std::string::npos) {  // no argument of a program has one
        parse_source("x", input);
    }
}
