// NAME.args.json: what is said of a serialized pipeline's arguments.

#include "schedules/hlpipe/sidecar.h"
#include "tests/fuzz/parsers/parser.h"

void eutectic::fuzz::parse_input(const std::string &input) {
    parse_sidecar(input, "pipeline.args.json");
}
