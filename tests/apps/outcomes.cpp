#include "tests/apps/outcomes.h"

namespace eutectic::test {

using namespace bench;

Row row_named(const std::string &name) {
    Row row;
    row.name = name;
    return row;
}

Outcome outcome_of(const std::string &row, const std::map<std::string, double> &seconds) {
    Outcome outcome;
    outcome.row = row;
    outcome.verified = true;
    for (const auto &[contender, s] : seconds) {
        outcome.times[contender] = {s, s, s, s};
        outcome.processes[contender] = {s, s, s};
    }
    return outcome;
}

}  // namespace eutectic::test
