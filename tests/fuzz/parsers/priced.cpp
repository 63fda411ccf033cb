// What plans were priced by, as databases and studies keep it.

#include <stdexcept>

#include "cost/stage_json.h"
#include "tests/fuzz/parsers/parser.h"

void eutectic::fuzz::parse_input(const std::string &input) {
    try {
        priced_nests(to_json(priced_nests(input)));
    } catch (const std::runtime_error &) {  // what the header promises of another text
    }
}
