// The scheduler's parameters: lines of NAME=VALUE.

#include <map>
#include <sstream>

#include "schedules/autoschedule.h"
#include "tests/fuzz/parsers/parser.h"

void eutectic::fuzz::parse_input(const std::string &input) {
    std::map<std::string, std::string> given;
    std::istringstream lines(input);
    for (std::string line; std::getline(lines, line);) {
        const size_t equals = line.find('=');
        // A file that it names would be opened: what is not in the input is not tried.
        if (equals != std::string::npos && line.find('/') == std::string::npos) {
            given[line.substr(0, equals)] = line.substr(equals + 1);
        }
    }
    parse_parameters(given);
}
