#pragma once

#include <string>

namespace eutectic::test {

/** Compares `text` with tests/golden/NAME, with doctest. With EUTECTIC_UPDATE_GOLDEN=1 in the environment,
 * writes it there instead. */
void check_golden(const std::string &name, const std::string &text);

/** The whole file; a failed test when it cannot be read. */
std::string read_file(const std::string &path);

}  // namespace eutectic::test
