// Files of --graph: generators joined.

#include "apps/eutectic/graph_file.h"
#include "tests/fuzz/parsers/parser.h"

void eutectic::fuzz::parse_input(const std::string &input) {
    read_graph_file(file_with(input));
}
