// Parameters that apps/photo has learned.

#include "apps/photo/parameters.h"
#include "tests/fuzz/parsers/parser.h"

void eutectic::fuzz::parse_input(const std::string &input) {
    photo::read_parameters(file_with(input));
}
