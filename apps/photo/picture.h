#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace eutectic::photo {

/// Eight bits a colour: red, green, blue of a pixel side by side, row after row from the top.
struct Picture {
    int columns = 0, rows = 0;
    std::vector<uint8_t> colours = {};  ///< 3 * columns * rows
};

/// Files with more pixels are refused: their planes of floats would not fit the kernels' 32-bit indices with
/// room to spare, and a header that claims them is mostly made up.
constexpr int64_t most_pixels = int64_t{1} << 26;

/// A file in one of the formats below, told by its first bytes. Throws UserError, one sentence, for what
/// cannot be read, is damaged, or is not 8 bits of gray or of red, green and blue.
Picture read_picture(const std::string &path);

/// In the format that the name ends in, whole or not at all. Throws UserError.
void write_picture(const std::string &path, const Picture &picture);

/// Throws what write_picture() would for a name that ends in no format of this build, or for a place that
/// cannot be written to.
void require_picture_writable(const std::string &path);

}  // namespace eutectic::photo
