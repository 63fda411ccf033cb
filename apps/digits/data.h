#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace eutectic::digits {

constexpr int pixels = 64;   ///< 8×8, row by row
constexpr int classes = 10;  ///< the digits 0 … 9
constexpr int darkest = 16;  ///< the file's pixels are integers 0 … 16

/// Samples in the order of the file's lines.
struct Digits {
    std::vector<float> images;    ///< `pixels` values in 0 … 1 a sample
    std::vector<int32_t> labels;  ///< 0 … classes − 1

    int count() const {
        return static_cast<int>(labels.size());
    }
};

/// Reads a file of lines of 64 pixels and a label, comma separated; plain or gzip.
/// Throws UserError, naming the file, the line and what was expected, if it is missing, damaged, or holds
/// anything else.
Digits read_digits(const std::string &path);

/// The same from text in memory; `name` is what errors call it. Lines may end in CR LF; the last newline may
/// be missing.
Digits parse_digits(std::string_view text, const std::string &name);

/// Where the data lies when no --data is given: share/eutectic/digits.csv.gz beside the folder of this
/// program, as in the build tree, or digits.csv.gz in its own folder. The first that exists, or the first
/// name tried if none does.
std::string default_data_path();

}  // namespace eutectic::digits
