#pragma once

// Rows and outcomes of the bench, for tests of what is made of them.

#include <map>
#include <string>

#include "apps/bench/results.h"
#include "apps/bench/suite.h"

namespace eutectic::test {

bench::Row row_named(const std::string &name);

/** In which all was right, and each contender took so many seconds, in every process. */
bench::Outcome outcome_of(const std::string &row, const std::map<std::string, double> &seconds);

}  // namespace eutectic::test
