// Databases of eutectic tune.

#include "apps/eutectic/tune_database.h"
#include "tests/fuzz/parsers/parser.h"

void eutectic::fuzz::parse_input(const std::string &input) {
    read_tuned(file_with(input, ".db"));
}
