#include "apps/digits/data.h"

#include "base/user_error.h"

#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>

namespace eutectic::digits {

namespace {

const std::string expected_line =
    "expected 64 pixels of 0 to 16 and a label of 0 to 9, 65 comma-separated integers";

std::string where(const std::string &name, int64_t line) {
    return "'" + name + "', line " + std::to_string(line) + ": " + expected_line;
}

/// What the file says, fit to stand in a message: short and printable.
std::string quoted(std::string_view field) {
    std::string text(field.substr(0, 20));
    std::replace_if(text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    return "'" + text + (field.size() > 20 ? "…'" : "'");
}

/// The whole file, unpacked if it is gzip (zlib hands plain text through).
std::string read_text(const std::string &path) {
    if (!std::filesystem::is_regular_file(path)) {
        throw UserError("'" + path + "': " + expected_line +
                        " on every line, but there is no such file; name one with --data FILE.");
    }
    const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
    if (!file) {
        throw UserError("'" + path + "': " + expected_line +
                        " on every line, but the file cannot be opened for reading.");
    }
    std::string text;
    std::vector<char> chunk(1 << 16);
    int got = 0;
    while ((got = gzread(file.get(), chunk.data(), static_cast<unsigned>(chunk.size()))) > 0) {
        text.append(chunk.data(), static_cast<size_t>(got));
    }
    // A stream that breaks off early only shows in gzerror, with everything before it delivered.
    int status = Z_OK;
    const std::string reason = gzerror(file.get(), &status);
    if (got < 0 || status < 0) {
        const auto line = 1 + std::count(text.begin(), text.end(), '\n');
        const std::string what = status == Z_BUF_ERROR ? "it breaks off" : reason;
        throw UserError(where(path, line) + ", but the gzip data is damaged there (" + what +
                        "); fetch the file again.");
    }
    return text;
}

/// One integer of a line; `lowest` and `highest` are what the file may hold there.
int parse_field(std::string_view field, int lowest, int highest, const std::string &place) {
    int value = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    const bool whole = error == std::errc() && end == field.data() + field.size();
    if (!whole) {
        throw UserError(place + ", but found " + quoted(field) + ".");
    }
    if (value < lowest || value > highest) {
        throw UserError(place + ", but found " + quoted(field) + " where " + std::to_string(lowest) + " to " +
                        std::to_string(highest) + " belongs.");
    }
    return value;
}

void parse_line(std::string_view line, const std::string &place, Digits &out) {
    const auto fields = 1 + std::count(line.begin(), line.end(), ',');
    if (line.empty() || fields != pixels + 1) {
        throw UserError(
            place + ", but found " +
            (line.empty() ? "an empty line" : std::to_string(fields) + (fields == 1 ? " field" : " fields")) +
            ".");
    }
    for (int i = 0; i <= pixels; i++) {
        const std::string_view field = line.substr(0, line.find(','));
        line.remove_prefix(std::min(line.size(), field.size() + 1));
        if (i < pixels) {
            out.images.push_back(static_cast<float>(parse_field(field, 0, darkest, place)) / darkest);
        } else {
            out.labels.push_back(parse_field(field, 0, classes - 1, place));
        }
    }
}

}  // namespace

Digits parse_digits(std::string_view text, const std::string &name) {
    Digits digits;
    int64_t number = 0;
    while (!text.empty()) {
        number++;
        std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        if (!line.empty() && line.back() == '\r') {
            line.remove_suffix(1);
        }
        parse_line(line, where(name, number), digits);
    }
    if (digits.count() < 2) {
        throw UserError(
            where(name, number + 1) +
            ", but the file ends there; it takes two lines at least, one to train and one to test.");
    }
    return digits;
}

Digits read_digits(const std::string &path) {
    return parse_digits(read_text(path), path);
}

std::string default_data_path() {
    namespace fs = std::filesystem;
    std::error_code unknown;
    const fs::path folder = fs::read_symlink("/proc/self/exe", unknown).parent_path();
    const fs::path shared = (folder / ".." / "share" / "eutectic" / "digits.csv.gz").lexically_normal();
    const fs::path local = folder / "digits.csv.gz";
    return fs::exists(local) && !fs::exists(shared) ? local.string() : shared.string();
}

}  // namespace eutectic::digits
