// Pictures, PNG and JPEG.

#include "apps/photo/picture.h"
#include "tests/fuzz/parsers/parser.h"

void eutectic::fuzz::parse_input(const std::string &input) {
    photo::read_picture(file_with(input));
}
