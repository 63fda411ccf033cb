// Machine files: what eutectic calibrate writes.

#include "machine/calibration.h"
#include "tests/fuzz/parsers/parser.h"

void eutectic::fuzz::parse_input(const std::string &input) {
    const Calibration read = parse_calibration(input, "machine.json");
    parse_calibration(to_json(read), "written.json");
}
