#include "base/write_whole.h"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "base/user_error.h"

namespace eutectic {

namespace {

/** A path that cannot be looked at cannot be written either. */
bool in_place(const std::string &path) {
    std::error_code none;
    return std::filesystem::exists(path, none) && !std::filesystem::is_regular_file(path, none);
}

/** Beside `path`, and nobody else's: a forward and its backward, compiled at once, write the same header. */
std::string partial_of(const std::string &path) {
    static std::atomic<unsigned> files{0};
    return path + "." + std::to_string(::getpid()) + "." + std::to_string(files++) + ".partial";
}

[[noreturn]] void refuse(const std::string &what, const std::string &path) {
    throw UserError("The " + what + " cannot be written to " + path +
                    ": check that its folder exists, is writable and has room.");
}

}  // namespace

void write_whole(const std::string &what, const std::string &path, const std::string &content) {
    const bool special = in_place(path);
    const std::string partial = special ? path : partial_of(path);
    std::ofstream file(partial, std::ios::binary);
    file << content;
    file.close();
    const bool written = static_cast<bool>(file);
    if (!written || (!special && std::rename(partial.c_str(), path.c_str()) != 0)) {
        if (!special) {
            std::remove(partial.c_str());
        }
        refuse(what, path);
    }
}

void require_writable(const std::string &what, const std::string &path) {
    const bool special = in_place(path);
    const std::string partial = special ? path : partial_of(path);
    const bool opened = std::ofstream(partial, std::ios::binary | std::ios::app).is_open();
    if (!special) {
        std::remove(partial.c_str());
    }
    if (!opened) {
        refuse(what, path);
    }
}

}  // namespace eutectic
