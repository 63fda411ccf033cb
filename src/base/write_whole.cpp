#include "base/write_whole.h"

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "base/user_error.h"

namespace eutectic {

void write_whole(const std::string &what, const std::string &path, const std::string &content) {
    std::error_code none;  // a path that cannot be looked at cannot be written either
    const bool in_place = std::filesystem::exists(path, none) && !std::filesystem::is_regular_file(path, none);
    const std::string partial = in_place ? path : path + ".partial";
    std::ofstream file(partial, std::ios::binary);
    file << content;
    file.close();
    const bool written = static_cast<bool>(file);
    if (!written || (!in_place && std::rename(partial.c_str(), path.c_str()) != 0)) {
        if (!in_place) {
            std::remove(partial.c_str());
        }
        throw UserError("The " + what + " cannot be written to " + path + ": check that its folder exists, is writable and has room.");
    }
}

}  // namespace eutectic
