// The data of apps/digits: lines of numbers, plain or packed.

#include "apps/digits/data.h"
#include "tests/fuzz/parsers/parser.h"

void eutectic::fuzz::parse_input(const std::string &input) {
    digits::read_digits(file_with(input));
}
