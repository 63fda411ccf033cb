#include "apps/photo/orientation.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace eutectic::photo {

namespace {

/// Numbers of a TIFF header and its first directory, which the segment holds after "Exif\0\0". Beyond the end
/// there are zeros.
class Tiff {
public:
    Tiff(const uint8_t *bytes, size_t size) : bytes_(bytes), size_(size), little_(at(0) == 'I') {
    }
    uint32_t number(size_t place, size_t bytes) const {
        uint32_t value = 0;
        for (size_t i = 0; i < bytes; i++) {
            value = value << 8 | at(place + (little_ ? bytes - 1 - i : i));
        }
        return value;
    }

private:
    uint8_t at(size_t place) const {
        return place < size_ ? bytes_[place] : 0;
    }

    const uint8_t *bytes_;
    size_t size_;
    bool little_;
};

}  // namespace

int orientation_in(const uint8_t *bytes, size_t size) {
    constexpr char name[] = "Exif\0";  // and a second zero, the literal's own
    constexpr uint32_t orientation_tag = 274, entry_bytes = 12;
    if (size < sizeof name || std::memcmp(bytes, name, sizeof name) != 0) {
        return 1;
    }
    const Tiff tiff(bytes + sizeof name, size - sizeof name);
    const size_t directory = tiff.number(4, 4), entries = tiff.number(directory, 2);
    for (size_t i = 0; i < entries; i++) {
        const size_t entry = directory + 2 + i * entry_bytes;
        if (tiff.number(entry, 2) == orientation_tag) {
            const uint32_t value = tiff.number(entry + 8, 2);
            return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
        }
    }
    return 1;
}

Picture upright(Picture picture, int orientation) {
    if (orientation == 1) {
        return picture;
    }
    // Which corner of the file's rows is the upper left one, and whether they are columns.
    const bool columns = orientation >= 5;
    const bool from_right = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
    const bool from_below = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
    Picture result = picture;
    if (columns) {
        std::swap(result.columns, result.rows);
    }
    uint8_t *out = result.colours.data();
    for (int y = 0; y < result.rows; y++) {
        for (int x = 0; x < result.columns; x++) {
            const int across = columns ? y : x, down = columns ? x : y;
            const int64_t column = from_right ? picture.columns - 1 - across : across;
            const int64_t row = from_below ? picture.rows - 1 - down : down;
            out = std::copy_n(&picture.colours[static_cast<size_t>(3 * (row * picture.columns + column))], 3,
                              out);
        }
    }
    return result;
}

}  // namespace eutectic::photo
