#include "apps/digits/data.h"
#include "base/user_error.h"

#include <doctest/doctest.h>

#include <string>

using namespace eutectic;
using namespace eutectic::digits;

namespace {

std::string line(int pixel, int label) {
    std::string text;
    for (int i = 0; i < pixels; i++) {
        text += std::to_string(pixel) + ",";
    }
    return text + std::to_string(label);
}

std::string error_of(const std::string &text) {
    try {
        parse_digits(text, "f.csv");
    } catch (const UserError &error) {
        return error.what();
    }
    return "no error";
}

const std::string good = line(16, 9) + "\n" + line(0, 0) + "\n";

}  // namespace

TEST_CASE("pixels are scaled to 0 … 1 and labels kept, whatever ends the lines") {
    for (const std::string &text :
         {good, line(16, 9) + "\r\n" + line(0, 0) + "\r\n", line(16, 9) + "\n" + line(0, 0)}) {
        const Digits digits = parse_digits(text, "f.csv");
        REQUIRE(digits.count() == 2);
        CHECK(digits.images.size() == 2 * pixels);
        CHECK(digits.images.front() == 1.0f);
        CHECK(digits.images.back() == 0.0f);
        CHECK(digits.labels[0] == 9);
        CHECK(digits.labels[1] == 0);
    }
    CHECK(parse_digits(line(4, 1) + "\n" + line(4, 1), "f").images[7] == 0.25f);
}

TEST_CASE("a damaged line is refused by its number, with what was expected and what was found") {
    struct Row {
        std::string third, found;
    };
    const Row rows[] = {
        {"1,2,3", "found 3 fields."},
        {"x", "found 1 field."},
        {line(1, 1) + ",5", "found 66 fields."},
        {"", "found an empty line."},
        {line(17, 1), "found '17' where 0 to 16 belongs."},
        {line(-1, 1), "found '-1' where 0 to 16 belongs."},
        {line(1, 10), "found '10' where 0 to 9 belongs."},
        {"a" + line(1, 1), "found 'a1'."},
        {" " + line(1, 1), "found ' 1'."},
        {"1.5" + line(1, 1).substr(1), "found '1.5'."},
        {"99999999999" + line(1, 1).substr(1), "found '99999999999'."},
        {line(1, 1).substr(2) + ",", "found ''."},
        {std::string("\x01\x02", 2) + line(1, 1), "found '\?\?1'."},
    };
    for (const Row &row : rows) {
        CAPTURE(row.third);
        CHECK(error_of(good + row.third + "\n" + line(1, 1) + "\n") ==
              "'f.csv', line 3: expected 64 pixels of 0 to 16 and a label of 0 to 9, 65 comma-separated "
              "integers, but " +
                  row.found);
    }
}

TEST_CASE("too little to split is refused") {
    CHECK(error_of("").find("line 1: expected") != std::string::npos);
    CHECK(error_of(line(1, 1) + "\n").find("line 2: expected") != std::string::npos);
    CHECK(error_of(good) == "no error");
}
