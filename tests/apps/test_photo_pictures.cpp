// photo's files: what is written is read back, and no bytes end in anything but a picture or a sentence.

#include "apps/photo/format.h"
#include "apps/photo/orientation.h"
#include "apps/photo/planes.h"
#include "apps/support/random.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

using namespace eutectic;
using namespace eutectic::photo;

namespace {

Picture sample(int columns, int rows) {
    Picture picture{columns, rows};
    for (int y = 0; y < rows; y++) {
        for (int x = 0; x < columns; x++) {
            for (int c = 0; c < 3; c++) {
                picture.colours.push_back(static_cast<uint8_t>(40 + x + 2 * y + 20 * c));
            }
        }
    }
    return picture;
}

struct Codec {
    Picture (*decode)(const std::string &);
    std::string (*encode)(const Picture &);
};

/// Did it end in a picture of a size that there is?
bool is_read(const Codec &codec, const std::string &bytes) {
    try {
        const Picture picture = codec.decode(bytes);
        CHECK(picture.colours.size() == size_t{3} * picture.columns * picture.rows);
        return true;
    } catch (const BadPicture &bad) {
        const std::string sentence = bad.what();
        CHECK(sentence.size() > 20);
        CHECK(sentence.find('\n') == std::string::npos);
        return false;
    }
}

void check_hostile(const Codec &codec) {
    const std::string whole = codec.encode(sample(37, 23));
    CHECK(is_read(codec, whole));
    for (size_t size = 0; size < whole.size(); size++) {
        // Without its last bytes a file may still have every pixel.
        CHECK((!is_read(codec, whole.substr(0, size)) || size + 40 > whole.size()));
    }
    Random random(9);
    int refused = 0;
    for (int i = 0; i < 3000; i++) {
        std::string changed = whole;
        for (int change = 0; change < 1 + i % 4; change++) {
            // Half of them among the first bytes, where sizes and kinds are.
            const uint64_t from = i % 2 ? whole.size() : 200;
            changed[random.below(std::min<uint64_t>(from, whole.size()))] = static_cast<char>(random.next());
        }
        refused += !is_read(codec, changed);
    }
    CHECK(refused > 500);
}

}  // namespace

#ifdef EUTECTIC_PHOTO_PNG
TEST_CASE("a PNG is read back as it was") {
    for (const auto &[columns, rows] : {std::pair(1, 1), std::pair(3, 7), std::pair(50, 40)}) {
        const Picture picture = sample(columns, rows), back = decode_png(encode_png(picture));
        CHECK(back.columns == columns);
        CHECK(back.rows == rows);
        CHECK(back.colours == picture.colours);
    }
}

TEST_CASE("damaged PNGs end in a sentence") {
    check_hostile({decode_png, encode_png});
}
#endif

#ifdef EUTECTIC_PHOTO_JPEG
TEST_CASE("a JPEG is read back about as it was") {
    for (const auto &[columns, rows] : {std::pair(1, 1), std::pair(3, 7), std::pair(50, 40)}) {
        const Picture picture = sample(columns, rows), back = decode_jpeg(encode_jpeg(picture));
        CHECK(back.columns == columns);
        CHECK(back.rows == rows);
        CHECK(psnr(back, picture) > 35);
    }
}

TEST_CASE("damaged JPEGs end in a sentence") {
    check_hostile({decode_jpeg, encode_jpeg});
}
#endif

TEST_CASE("a camera's orientation is read in both orders of bytes, and turned away") {
    const auto segment = [](bool little, uint8_t value) {
        std::string bytes("Exif\0\0", 6);
        const auto add = [&](uint32_t number, int count) {
            for (int i = 0; i < count; i++) {
                bytes += static_cast<char>(number >> 8 * (little ? i : count - 1 - i));
            }
        };
        bytes += little ? "II" : "MM";
        add(42, 2), add(8, 4), add(2, 2);              // the directory's place, and its number of entries
        add(271, 2), add(2, 2), add(4, 4), add(0, 4);  // another one
        add(274, 2), add(3, 2), add(1, 4), add(value, 2), add(0, 2);
        return bytes;
    };
    const auto read = [](const std::string &bytes) {
        return orientation_in(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size());
    };
    for (const bool little : {false, true}) {
        for (uint8_t value = 1; value <= 8; value++) {
            CHECK(read(segment(little, value)) == value);
        }
        CHECK(read(segment(little, 9)) == 1);
        const std::string whole = segment(little, 6);
        for (size_t size = 0; size < whole.size() - 4; size++) {
            CHECK(read(whole.substr(0, size)) == 1);
        }
    }
    CHECK(read("") == 1);
    CHECK(read("http://ns.adobe.com/xap/1.0/") == 1);

    // Red alone: 1 2 3 over 4 5 6, as each orientation stores it.
    const auto grid = [](int columns, std::string reds) {
        Picture picture{columns, static_cast<int>(reds.size()) / columns};
        for (const char red : reds) {
            picture.colours.insert(picture.colours.end(), {static_cast<uint8_t>(red), 0, 0});
        }
        return picture;
    };
    const std::vector<Picture> stored = {grid(3, "123456"), grid(3, "321654"), grid(3, "654321"),
                                         grid(3, "456123"), grid(2, "142536"), grid(2, "362514"),
                                         grid(2, "635241"), grid(2, "415263")};
    for (int orientation = 1; orientation <= 8; orientation++) {
        CAPTURE(orientation);
        const Picture turned = upright(stored[static_cast<size_t>(orientation) - 1], orientation);
        CHECK(turned.columns == 3);
        CHECK(turned.colours == stored[0].colours);
    }
}

TEST_CASE("sizes that cannot be are refused before there is memory for them") {
    require_size(1, 1);
    require_size(8192, 8192);
    CHECK_THROWS_AS(require_size(0, 5), BadPicture);
    CHECK_THROWS_AS(require_size(8192, 8193), BadPicture);
    CHECK_THROWS_WITH(
        require_size(2147483647, 2147483647),
        "a picture of 2147483647 x 2147483647 pixels has more than the 67108864 that photo takes; "
        "make it smaller first");
}

TEST_CASE("what is compared and shown of two pictures") {
    Picture a = sample(4, 2), b = a;
    CHECK(std::isinf(psnr(a, b)));
    b.colours[0] = static_cast<uint8_t>(b.colours[0] + 24);
    CHECK(psnr(a, b) == doctest::Approx(10 * std::log10(255.0 * 255 * 24 / (24 * 24))));
    const Picture d = difference(a, b);
    CHECK(d.colours[0] == 128 - 96);
    CHECK(d.colours[1] == 128);
    const Picture both = beside(a, b);
    CHECK(both.columns == 12);
    CHECK(both.colours.size() == 3 * 12 * 2);
    CHECK(both.colours[3 * 12 + 3 * 8] == b.colours[3 * 4]);
    CHECK(picture_of(planes_of(a)).colours == a.colours);
    Floats planes = planes_of(a);
    planes(0, 0, 0) = -1, planes(1, 0, 0) = 7, planes(2, 0, 0) = NAN;
    const Picture clamped = picture_of(planes);
    CHECK(clamped.colours[0] == 0);
    CHECK(clamped.colours[3] == 255);
    CHECK(clamped.colours[6] == 0);
}
