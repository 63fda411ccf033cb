// Files of --pin: decisions about the Funcs of a layer.

#include "fusion/plan/pins.h"
#include "tests/fuzz/parsers/parser.h"
#include "tests/support/graphs.h"

void eutectic::fuzz::parse_input(const std::string &input) {
    static const Graph graph = test::dense(8, 8, 8);
    const Pins pins = parse_pins(input, "pins.json", graph);
    parse_pins(to_text(graph, pins), "written.json", graph);  // what is read can be written, and read again
}
