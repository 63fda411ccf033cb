#include "apps/distributed/boundaries.h"
#include "apps/distributed/checkpoint.h"
#include "apps/distributed/shards.h"
#include "base/user_error.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

using namespace eutectic;
using namespace eutectic::distributed;

TEST_CASE("a batch is cut evenly, whatever is left over") {
    CHECK(shard_sizes(128, 8) == std::vector<int>(8, 16));
    CHECK(shard_sizes(29, 8) == std::vector<int>{4, 4, 4, 4, 4, 3, 3, 3});
    CHECK(shard_sizes(2, 4) == std::vector<int>{1, 1, 0, 0});
    CHECK(shard_sizes(7, 1) == std::vector<int>{7});
}

TEST_CASE("every shard has one rank, and every rank a shard") {
    for (int shards = 1; shards <= 20; shards++) {
        for (int ranks = 1; ranks <= shards; ranks++) {
            int next = 0;
            for (int rank = 0; rank < ranks; rank++) {
                const Owned own = owned_shards(shards, ranks, rank);
                CHECK(own.first == next);
                CHECK(own.count() >= shards / ranks);
                CHECK(own.count() <= (shards + ranks - 1) / ranks);
                next = own.last;
            }
            CHECK(next == shards);
        }
    }
}

TEST_CASE("the tree's order: neighbours first") {
    // 1e8 + 1 is 1e8 in float: which terms meet first shows.
    std::vector<float> vectors = {1e8f, 0.5f, 1, 2, -1e8f, 0.25f};
    sum_in_tree(vectors.data(), 3, 2);
    CHECK(vectors[0] == 0.0f);  // (1e8 + 1) − 1e8
    CHECK(vectors[1] == 2.75f);
    std::vector<float> four = {1, 1e8f, -1e8f, 1};
    sum_in_tree(four.data(), 4, 1);
    CHECK(four[0] == 0.0f);  // (1 + 1e8) + (−1e8 + 1)
    for (int count = 1; count <= 17; count++) {
        for (const int size : {1, 7, 1024, 2500}) {
            std::vector<float> numbers(static_cast<size_t>(count) * size);
            for (size_t i = 0; i < numbers.size(); i++) {
                numbers[i] = static_cast<float>(1 + i / size);
            }
            sum_in_tree(numbers.data(), count, size);
            CHECK(std::all_of(numbers.begin(), numbers.begin() + size,
                              [&](float sum) { return sum == static_cast<float>(count * (count + 1) / 2); }));
        }
    }
}

namespace {

/// A chain of two layers: d_y in memory, d_h inside of d_z's loops, d_z in memory or inside of d_w1's.
nlohmann::json report(bool d_z_in_memory) {
    nlohmann::json groups = {{{"root", "d_y"}, {"members", {"d_y"}}}};
    if (d_z_in_memory) {
        groups.push_back({{"root", "d_z"}, {"members", {"d_h", "d_z"}}});
        groups.push_back({{"root", "d_w1"}, {"members", {"d_w1_sum", "d_w1"}}});
    } else {
        groups.push_back({{"root", "d_w1"}, {"members", {"d_h", "d_z", "d_w1_sum", "d_w1"}}});
    }
    groups.push_back({{"root", "d_w2"}, {"members", {"d_w2"}}});
    nlohmann::json edges = nlohmann::json::array();
    for (const auto &[producer, consumer] : std::vector<std::pair<const char *, const char *>>{
             {"d_y", "d_h"}, {"d_h", "d_z"}, {"d_z", "d_w1_sum"}, {"d_w1_sum", "d_w1"}, {"d_y", "d_w2"}}) {
        edges.push_back({{"producer", producer}, {"consumer", consumer}});
    }
    return {{"groups", groups}, {"edges", edges}};
}

}  // namespace

TEST_CASE("buckets are what the plan has in memory, in the order in which it is computed") {
    const std::vector<std::string> gradients = {"d_w1", "d_w2"};
    CHECK(communication_buckets(report(true), gradients) ==
          std::vector<Bucket>{{"d_y", {"d_w2"}}, {"d_z", {"d_w1"}}});
    // Nothing between the two gradients is in memory: one bucket.
    CHECK(communication_buckets(report(false), gradients) == std::vector<Bucket>{{"d_y", {"d_w1", "d_w2"}}});
    CHECK_THROWS_WITH(communication_buckets(report(true), {"d_w3"}),
                      "the plan of the backward does not compute d_w3");
    nlohmann::json alone = {{"groups", {{{"root", "d_b"}, {"members", {"d_b"}}}}},
                            {"edges", nlohmann::json::array()}};
    CHECK(communication_buckets(alone, {"d_b"}) == std::vector<Bucket>{{"", {"d_b"}}});
}

namespace {

std::string sentence(const std::string &path, const std::string &text, digits::Network &network) {
    try {
        describe_checkpoint(path, text);
        restore_checkpoint(path, text, network);
    } catch (const UserError &error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("a checkpoint gives back every bit, and what is damaged is refused") {
    Random random(3), other(4);
    digits::Network network({5, 3, 2}, random), restored({5, 3, 2}, other), larger({5, 4, 2}, other);
    network.steps = 17;
    network.parameters[2].second_moment.fill(0.1f);
    network.parameters[1].first_moment(1) = -0.0f;
    const std::string path = "test_distributed.checkpoint";
    write_checkpoint(path, {{9, 50, 7, "strict"}, {2, 5, 1.25}, "abc"}, network);
    const std::string text = read_checkpoint(path);
    const Checkpoint read = describe_checkpoint(path, text);
    CHECK(read.settings.seed == 9);
    CHECK(read.settings.batch == 50);
    CHECK(read.settings.shards == 7);
    CHECK(read.settings.numerics == "strict");
    CHECK(read.position == Position{2, 5, 1.25});
    CHECK(read.data == "abc");
    restore_checkpoint(path, text, restored);
    CHECK(restored.steps == 17);
    for (size_t i = 0; i < network.parameters.size(); i++) {
        digits::Parameter &a = network.parameters[i], &b = restored.parameters[i];
        CHECK(std::memcmp(a.value.data(), b.value.data(), a.value.size_in_bytes()) == 0);
        CHECK(std::memcmp(a.first_moment.data(), b.first_moment.data(), a.value.size_in_bytes()) == 0);
        CHECK(std::memcmp(a.second_moment.data(), b.second_moment.data(), a.value.size_in_bytes()) == 0);
    }
    std::filesystem::remove(path);

    const std::string damaged = "what follows its first line is damaged";
    CHECK(sentence(path, text, restored).empty());
    CHECK(sentence(path, text.substr(0, text.size() - 1), restored).find(damaged) != std::string::npos);
    std::string flipped = text;
    flipped[text.size() - 10] = static_cast<char>(flipped[text.size() - 10] ^ 1);
    CHECK(sentence(path, flipped, restored).find(damaged) != std::string::npos);
    CHECK(sentence(path, text, larger).find("is of another network") != std::string::npos);
    CHECK(sentence(path, "{}\n", restored).find("does not begin with the line of one") != std::string::npos);
    CHECK(sentence(path,
                   "\x7f"
                   "ELF",
                   restored) ==
          "'test_distributed.checkpoint' was given as a checkpoint of distributed, and does not begin with "
          "the line "
          "of one; give one that --checkpoint has written, or begin anew without --resume.");
    CHECK_THROWS_AS(read_checkpoint("nowhere"), UserError);
    CHECK_THROWS_AS(write_checkpoint("nowhere/file", {}, network), UserError);
}
