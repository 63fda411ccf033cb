#include "base/regex.h"

#include <doctest/doctest.h>

using namespace eutectic;

TEST_CASE("a pattern fits the whole text, or a part of it, and gives what its parentheses have") {
    const Regex pair("(\\w+)=(\\d+)?");
    Groups groups;
    CHECK(pair.matches("size=12", &groups));
    CHECK(groups == Groups{"size=12", "size", "12"});
    CHECK(pair.matches("size=", &groups));
    CHECK(groups == Groups{"size=", "size", ""});
    CHECK_FALSE(pair.matches("a size=12", &groups));
    CHECK(groups.empty());
    CHECK(pair.found_in("a size=12 b=3", &groups));
    CHECK(groups == Groups{"size=12", "size", "12"});
    CHECK_FALSE(pair.found_in("nothing", &groups));
    CHECK(groups.empty());
    CHECK(pair.found_in("x="));
}

TEST_CASE("a pattern finds all parts, and has others put in their place") {
    const Regex digits("[0-9]+");
    CHECK(digits.all_in("1, 22 and 333") == std::vector<Groups>{{"1"}, {"22"}, {"333"}});
    CHECK(digits.all_in("none").empty());
    CHECK(digits.replace_in("1, 22 and 333", "[$&]") == "[1], [22] and [333]");
    CHECK(digits.replace_in("1, 22 and 333.", [](const Groups &g) { return std::to_string(g[0].size()); }) ==
          "1, 2 and 3.");
    CHECK(digits.replace_in("", "x").empty());
}
