#include "apps/photo/picture.h"

#include "apps/photo/format.h"
#include "base/user_error.h"
#include "base/write_whole.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace eutectic::photo {

namespace {

struct Format {
    const char *name, *library;
    std::string first_bytes;
    std::vector<std::string> endings;
    Picture (*decode)(const std::string &bytes);  ///< null where the library was not found
    std::string (*encode)(const Picture &picture);
};

const std::vector<Format> &formats() {
    static const std::vector<Format> all = {
#ifdef EUTECTIC_PHOTO_PNG
        {"PNG", "libpng", "\x89PNG\r\n\x1a\n", {".png"}, decode_png, encode_png},
#else
        {"PNG", "libpng", "\x89PNG\r\n\x1a\n", {".png"}, nullptr, nullptr},
#endif
#ifdef EUTECTIC_PHOTO_JPEG
        {"JPEG", "libjpeg", "\xff\xd8\xff", {".jpg", ".jpeg"}, decode_jpeg, encode_jpeg},
#else
        {"JPEG", "libjpeg", "\xff\xd8\xff", {".jpg", ".jpeg"}, nullptr, nullptr},
#endif
    };
    return all;
}

[[noreturn]] void refuse(const std::string &path, const std::string &what) {
    throw UserError("'" + path + "': " + what + ".");
}

void require_library(const Format &format, const std::string &path) {
    if (!format.decode) {
        refuse(path, "photo was built where " + std::string(format.library) + " was not found and has no " +
                         format.name +
                         "; install its development files and build again, or name another format");
    }
}

constexpr uintmax_t most_bytes = uintmax_t{1} << 30;

std::string read_bytes(const std::string &path) {
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(path, error);
    if (!std::filesystem::exists(status)) {
        refuse(path, error && error != std::errc::no_such_file_or_directory
                         ? "the file cannot be looked at (" + error.message() + ")"
                         : "there is no such file");
    }
    if (!std::filesystem::is_regular_file(status)) {
        refuse(path, std::filesystem::is_directory(status) ? "this is a folder; name a picture in it"
                                                           : "this is no file of its own; name a picture");
    }
    const uintmax_t size = std::filesystem::file_size(path, error);
    if (error || size > most_bytes) {
        refuse(path, "the file is larger than a picture that photo takes; make it smaller first");
    }
    std::ifstream file(path, std::ios::binary);
    std::string bytes(static_cast<size_t>(size), '\0');
    if (!file || !file.read(bytes.data(), static_cast<std::streamsize>(size))) {
        refuse(path, "the file cannot be read (" + std::string(std::strerror(errno)) + ")");
    }
    return bytes;
}

const Format &format_of_name(const std::string &path) {
    std::string ending = std::filesystem::path(path).extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    for (const Format &format : formats()) {
        if (std::count(format.endings.begin(), format.endings.end(), ending)) {
            require_library(format, path);
            return format;
        }
    }
    refuse(path, "a picture's name ends in its format; let it end in .png or .jpg");
}

}  // namespace

void require_size(int64_t columns, int64_t rows) {
    const std::string size = std::to_string(columns) + " x " + std::to_string(rows);
    if (columns < 1 || rows < 1) {
        throw BadPicture("a picture of " + size + " pixels has none");
    }
    if (rows > most_pixels / columns) {
        throw BadPicture("a picture of " + size + " pixels has more than the " + std::to_string(most_pixels) +
                         " that photo takes; make it smaller first");
    }
}

Picture read_picture(const std::string &path) {
    const std::string bytes = read_bytes(path);
    for (const Format &format : formats()) {
        if (bytes.compare(0, format.first_bytes.size(), format.first_bytes) == 0) {
            require_library(format, path);
            try {
                return format.decode(bytes);
            } catch (const BadPicture &bad) {
                refuse(path, bad.what());
            } catch (const std::bad_alloc &) {
                refuse(path, "there is no memory for a picture of this size");
            }
        }
    }
    refuse(path, bytes.empty() ? "the file is empty; name a PNG or JPEG picture"
                               : "this is neither a PNG nor a JPEG picture");
}

void write_picture(const std::string &path, const Picture &picture) {
    const Format &format = format_of_name(path);
    try {
        write_whole("picture", path, format.encode(picture));
    } catch (const BadPicture &bad) {
        refuse(path, bad.what());
    }
}

void require_picture_writable(const std::string &path) {
    format_of_name(path);
    require_writable("picture", path);
}

}  // namespace eutectic::photo
