// Results of the study of accuracy, packed or not.

#include "apps/accuracy/study_file.h"
#include "tests/fuzz/parsers/parser.h"

void eutectic::fuzz::parse_input(const std::string &input) {
    accuracy::read_study(file_with(input, ".gz"));
}
