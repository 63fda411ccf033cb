#include "tests/support/golden.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace eutectic::test {

std::string read_file(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    INFO(path);
    REQUIRE(file);
    std::ostringstream content;
    content << file.rdbuf();
    return content.str();
}

void check_golden(const std::string &name, const std::string &text) {
    const std::string path = std::string(EUTECTIC_GOLDEN_FOLDER) + "/" + name;
    const char *update = std::getenv("EUTECTIC_UPDATE_GOLDEN");
    if (update && std::string(update) == "1") {
        std::ofstream(path, std::ios::binary) << text;
        MESSAGE("wrote " << path);
        return;
    }
    INFO("to accept the new text: EUTECTIC_UPDATE_GOLDEN=1 and the same test; then read the difference");
    CHECK(read_file(path) == text);
}

}  // namespace eutectic::test
