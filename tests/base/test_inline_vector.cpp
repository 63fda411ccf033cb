#include <doctest/doctest.h>

#include <numeric>
#include <vector>

#include "base/inline_vector.h"

using namespace eutectic;

namespace {

using Few = InlineVector<int, 3>;

std::vector<int> values(const Few &few) {
    return {few.begin(), few.end()};
}

std::vector<int> counted(size_t n) {
    std::vector<int> all(n);
    std::iota(all.begin(), all.end(), 1);
    return all;
}

}  // namespace

TEST_CASE("as a vector does, in itself and beyond") {
    for (size_t n = 0; n < 9; n++) {
        const std::vector<int> all = counted(n);
        const Few few = all;
        CHECK(few.size() == n);
        CHECK(few.empty() == (n == 0));
        CHECK(values(few) == all);
        CHECK(few == Few(all.begin(), all.end()));
        for (size_t at = 0; at <= n; at++) {
            std::vector<int> longer = all;
            longer.insert(longer.begin() + static_cast<std::ptrdiff_t>(at), -7);
            Few inserted = few;
            CHECK(*inserted.insert(inserted.begin() + at, -7) == -7);
            CHECK(values(inserted) == longer);
            CHECK(inserted != few);
        }
        for (size_t m = 0; m < 9; m++) {  // copies and moves of and onto other lengths
            Few copied = counted(m), moved = counted(m), source = few;
            copied = few;
            moved = std::move(source);
            CHECK(values(copied) == all);
            CHECK(values(moved) == all);
            Few resized = few;
            resized.resize(m, 5);
            std::vector<int> expected = all;
            expected.resize(m, 5);
            CHECK(values(resized) == expected);
            resized.assign(m, 2);
            CHECK(values(resized) == std::vector<int>(m, 2));
        }
        Few source = few;
        const Few taken = std::move(source);
        CHECK(values(taken) == all);
        source = {4};  // what was moved from can be given values again
        source.push_back(5);
        CHECK(values(source) == std::vector<int>{4, 5});
        CHECK_THROWS_AS(Few(few).at(n), std::out_of_range);
    }
}

TEST_CASE("it grows, shrinks and is walked as a vector is, in itself and beyond") {
    for (const int count : {2, 3, 7}) {
        INFO(count);
        Few few;
        std::vector<int> vector;
        few.reserve(2);
        for (int i = 0; i < count; i++) {
            few.emplace_back(i);
            vector.emplace_back(i);
        }
        const std::vector<int> more{7, 8};
        few.insert(few.begin() + 1, more.begin(), more.end());
        vector.insert(vector.begin() + 1, more.begin(), more.end());
        CHECK(std::vector<int>(few.begin(), few.end()) == vector);
        CHECK(std::vector<int>(few.rbegin(), few.rend()) == std::vector<int>(vector.rbegin(), vector.rend()));
        CHECK(few.front() == vector.front());
        CHECK(few.back() == vector.back());
        few.pop_back();
        CHECK(few < Few(vector));
        CHECK_FALSE(Few(vector) < few);
        few.clear();
        CHECK(few.empty());
        few.assign(more.begin(), more.end());
        CHECK(few == Few(more));
    }
}
