#include <doctest/doctest.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <thread>

#include "base/name.h"
#include "base/nearest.h"
#include "base/said.h"
#include "base/units.h"
#include "base/user_error.h"
#include "base/verdict.h"
#include "base/write_whole.h"

using namespace eutectic;

TEST_CASE("format_bytes: three significant digits, binary prefixes") {
    const std::pair<Bytes, const char *> table[] = {
        {0, "0 B"},
        {1, "1 B"},
        {1023, "1023 B"},
        {1024, "1.00 KiB"},
        {1536, "1.50 KiB"},
        {12600, "12.3 KiB"},
        {131072, "128 KiB"},
        {1048576, "1.00 MiB"},
        {33554432, "32.0 MiB"},
        {int64_t{3} << 30, "3.00 GiB"},
        {int64_t{5} << 40, "5.00 TiB"},
        {int64_t{5000} << 40, "5000 TiB"},  // there is no further prefix
    };
    for (const auto &[bytes, text] : table) {
        CHECK(format_bytes(bytes) == text);
    }
}

TEST_CASE("format_seconds: three significant digits, from ns to s") {
    const std::pair<Seconds, const char *> table[] = {
        {0, "0.00 ns"},      {1.234e-9, "1.23 ns"}, {850e-9, "850 ns"}, {12.34e-6, "12.3 us"},
        {1.5e-3, "1.50 ms"}, {2, "2.00 s"},         {61.4, "61.4 s"},
    };
    for (const auto &[seconds, text] : table) {
        CHECK(format_seconds(seconds) == text);
    }
}

TEST_CASE("format_count: groups of three digits") {
    const std::pair<int64_t, const char *> table[] = {
        {0, "0"},
        {7, "7"},
        {999, "999"},
        {1000, "1,000"},
        {12345, "12,345"},
        {123456, "123,456"},
        {1234567, "1,234,567"},
        {-1000, "-1,000"},
        {-999, "-999"},
        {std::numeric_limits<int64_t>::max(), "9,223,372,036,854,775,807"},
        {std::numeric_limits<int64_t>::min(), "-9,223,372,036,854,775,808"},
    };
    for (const auto &[count, text] : table) {
        CHECK(format_count(count) == text);
    }
}

TEST_CASE("stable_hash is 64-bit FNV-1a") {
    // The first four are test vectors of the algorithm's authors (Fowler, Noll, Vo), also in RFC 9923; the
    // last one follows from its definition.
    const std::pair<std::string, const char *> table[] = {
        {"", "cbf29ce484222325"},
        {"a", "af63dc4c8601ec8c"},
        {"b", "af63df4c8601f1a5"},
        {"foobar", "85944171f73967e8"},
        {std::string("\xff\x00", 2), "0a99a607b6f60bea"},  // bytes, not signed characters; zeros count
    };
    for (const auto &[text, hash] : table) {
        CHECK(stable_hash(text) == hash);
    }
}

TEST_CASE("a Verdict allows, or carries its sentence") {
    const Verdict yes = Verdict::allow(), no = Verdict::forbid("mm has update definitions");
    CHECK(yes);
    CHECK(yes.reason().empty());
    CHECK_FALSE(no);
    CHECK(no.reason() == "mm has update definitions");
}

TEST_CASE("a UserError is its sentence") {
    try {
        throw UserError("x has no size: give it one.");
    } catch (const std::runtime_error &e) {
        CHECK(std::string(e.what()) == "x has no size: give it one.");
    }
}

TEST_CASE("a sentence is one line, whatever it quotes") {
    CHECK(one_sentence("x  has no size: give it one.") == "x  has no size: give it one.");
    CHECK(one_sentence("the key \"a\nb\x7f\" is unknown.") == "the key \"a\\x0ab\\x7f\" is unknown.");
    const UserError quoting("the key \"" + std::string(1, '\0') + "b\" is unknown.");
    CHECK(one_sentence(quoting.what()) == "the key \"\\x00b\" is unknown.");
    const std::string large = one_sentence("the key " + std::string(9000, 'x') + " is unknown.");
    CHECK(large.size() < 4010);
    CHECK(large.rfind("the key x", 0) == 0);
    CHECK(large.find("x is unknown.") != std::string::npos);
}

TEST_CASE("nearest: the word that was meant, or none") {
    const std::vector<std::string> known = {"explain", "compile", "calibrate", "x", "x86"};
    const std::pair<const char *, const char *> table[] = {{"explian", "explain"},
                                                           {"complie", "compile"},
                                                           {"calibrte", "calibrate"},
                                                           {"xx", "x"},
                                                           {"86", "x86"},
                                                           {"profile", ""},
                                                           {"q", ""},
                                                           {"", ""}};
    for (const auto &[word, meant] : table) {
        INFO(word);
        CHECK(nearest(word, known) == meant);
    }
}

namespace {

/** Files of this folder whose names go on after that of `path`. */
int files_beside(const std::string &path) {
    int n = 0;
    for (const auto &entry : std::filesystem::directory_iterator(".")) {
        n += entry.path().filename().string().rfind(path + ".", 0) == 0 ? 1 : 0;
    }
    return n;
}

}  // namespace

TEST_CASE("what a sentence says of the nearest word") {
    const std::vector<std::string> known = {"inline", "tile", "store"};
    CHECK(nearest_or("tlie", known, "none") == "the nearest is tile");
    CHECK(nearest_or("parallelize", known, "leave it out") == "leave it out");
    CHECK(nearest_or_all("inlin", known) == "the nearest is inline");
    CHECK(nearest_or_all("parallelize", known) == "it has inline, tile, store");
    CHECK(nearest_or_all("parallelize", {}, "there is") == "there is none");
    CHECK(nearest_and_all("tlie", known, "known are") ==
          "the nearest is tile; known are inline, tile, store");
    CHECK(nearest_and_all("parallelize", known, "known are") == "known are inline, tile, store");
}

TEST_CASE("last_message and whole_message: all lines of what ended a program, and nothing before them") {
    const std::string halide = "warming up\nUnhandled exception: Error: Func f\n  is not defined\n\n";
    CHECK(last_message(halide) == "Func f is not defined");
    CHECK(whole_message(halide) == "Func f is not defined");
    const std::string aborted =
        "some\nterminate called after throwing an instance of 'std::runtime_error'\n  what():  one\ntwo\n";
    CHECK(last_message(aborted) == "one two");
    CHECK(whole_message(aborted) == "one two");
    CHECK(last_message("terminate called after throwing an instance of 'int'\n") ==
          "an exception of type int was thrown");
    CHECK(last_message("x\nError: no\nsuch thing\n") == "no such thing");
    CHECK(last_message("Internal Error at a.cpp:3\nCondition failed\n") == "a.cpp:3 Condition failed");
    // Nothing of the kind: a program that is not Halide's.
    CHECK(last_message("Traceback:\n  here\nValueError: why\n\n") == "ValueError: why");
    CHECK(whole_message("first\nsecond\n") == "first second");
    CHECK(last_message("") == "");
    CHECK(whole_message("\n \n") == "");
    CHECK(on_one_line("Warning: a  b\n   c") == "a b c");
    CHECK(on_one_line(std::string(9000, 'x')).size() < 4100);
}

TEST_CASE("write_whole: whole or not at all, devices as they are") {
    const std::string path = "test_write_whole.txt";
    write_whole("text", path, "one\n");
    write_whole("text", path, "two\n");
    std::string line;
    std::getline(std::ifstream(path), line);
    CHECK(line == "two");
    CHECK(files_beside(path) == 0);
    std::remove(path.c_str());
    write_whole("text", "/dev/null", "nothing\n");
    for (const char *place : {"/dev/full", "none/file"}) {
        try {
            write_whole("text", place, std::string(100000, 'x'));
            FAIL("written");
        } catch (const UserError &e) {
            CHECK(e.what() == std::string("The text cannot be written to ") + place +
                                  ": check that its folder exists, is writable and has room.");
        }
    }
    for (const char *place : {"none/file", "/"}) {
        CHECK_THROWS_WITH_AS(require_writable("text", place),
                             (std::string("The text cannot be written to ") + place +
                              ": check that its folder exists, is writable and has room.")
                                 .c_str(),
                             UserError);
    }
    write_whole("text", path, "kept\n");
    require_writable("text", path);
    std::getline(std::ifstream(path), line);
    CHECK(line == "kept");
    CHECK(files_beside(path) == 0);
    std::remove(path.c_str());
    require_writable("text", path);
    CHECK_FALSE(std::ifstream(path).good());
    CHECK(std::filesystem::is_character_file("/dev/full"));
    CHECK(std::filesystem::is_character_file("/dev/null"));
}

TEST_CASE("a file that several write at once is one of theirs, whole") {
    const std::string path = "written_by_many.txt";
    std::atomic<int> failed{0};
    std::vector<std::thread> writers;
    for (char c = 'a'; c < 'i'; c++) {
        writers.emplace_back([&, c] {
            for (int n = 0; n < 50; n++) {
                try {
                    write_whole("text", path, std::string(5000, c));
                } catch (const UserError &) {
                    failed++;
                }
            }
        });
    }
    for (std::thread &w : writers) {
        w.join();
    }
    CHECK(failed == 0);
    CHECK(files_beside(path) == 0);
    std::ifstream file(path);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    CHECK(text == std::string(5000, text.empty() ? ' ' : text[0]));
    std::remove(path.c_str());
}

TEST_CASE("names: equal where their texts are, from any thread") {
    CHECK(Name() == Name(""));
    CHECK(Name("x") == Name(std::string("x")));
    CHECK(Name("x") != Name("y"));
    const std::string &text = Name("a name that no string holds in itself");
    CHECK(text == "a name that no string holds in itself");
    std::vector<std::thread> threads;
    std::vector<Name> found(8);
    for (size_t t = 0; t < found.size(); t++) {
        threads.emplace_back([&, t] {
            for (int n = 0; n < 1000; n++) {
                found[t] = Name("of all " + std::to_string(n));
            }
        });
    }
    for (std::thread &t : threads) {
        t.join();
    }
    for (const Name &f : found) {
        CHECK(f == Name("of all 999"));
        CHECK(f.str() == "of all 999");
    }
}
