#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "base/said.h"
#include "base/user_error.h"
#include "tests/fuzz/parsers/parser.h"

namespace eutectic::fuzz {

namespace {

// A refusal may quote what it refuses, but not at any length.
constexpr size_t longest_sentence = 4010;

bool is_sentence(const std::string &text) {
    const bool printable =
        std::none_of(text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c == 127; });
    return printable && !text.empty() && text.back() == '.' && text.size() <= longest_sentence;
}

}  // namespace

std::string file_with(const std::string &input, const std::string &ending) {
    static const std::string path = [&] {
        const auto folder = std::filesystem::temp_directory_path();
        return (folder / ("eutectic-fuzz-" + std::to_string(getpid()) + ending)).string();
    }();
    static const bool removed_at_exit = std::atexit([] { std::filesystem::remove(path); }) == 0;
    static_cast<void>(removed_at_exit);
    std::ofstream(path, std::ios::binary | std::ios::trunc) << input;
    return path;
}

void try_input(const std::string &input) {
    try {
        parse_input(input);
    } catch (const UserError &e) {
        // As programs print it.
        if (const std::string said = one_sentence(e.what()); !is_sentence(said)) {
            std::cerr << "a refusal that is no sentence: " << said << "\n";
            std::abort();
        }
    }
}

}  // namespace eutectic::fuzz
