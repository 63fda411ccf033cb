// Every file of a corpus through one parser, and changes of each, drawn from a fixed seed: what the ordinary
// tests do, with any compiler. usage: replay_PARSER CORPUS

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <vector>

#include "tests/fuzz/parsers/parser.h"

namespace {

constexpr int changes_of_each = 100;

std::string read(const std::filesystem::path &path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/** A byte flipped, a piece cut out or said twice, the end cut off, or the beginning of one and the end of
 * another. */
std::string changed(std::string text, const std::string &other, std::mt19937_64 &random) {
    const auto below = [&](size_t n) { return n == 0 ? 0 : random() % n; };
    const size_t at = below(text.size()), length = below(std::min<size_t>(text.size() - at, 40)) + 1;
    switch (random() % 5) {
    case 0:
        if (!text.empty()) {
            text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
        }
        return text;
    case 1: return text.erase(at, length);
    case 2: return text.insert(at, text.substr(at, length));
    case 3: return text.substr(0, at);
    default: return text.substr(0, at) + other.substr(below(other.size()));
    }
}

}  // namespace

int main(int argc, char **argv) {
    if (argc != 2 || !std::filesystem::is_directory(argv[1])) {
        std::cerr << "usage: replay_PARSER CORPUS, a folder of inputs\n";
        return 2;
    }
    std::vector<std::filesystem::path> files;
    for (const auto &entry : std::filesystem::directory_iterator(argv[1])) {
        files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    if (files.empty()) {
        std::cerr << "replay: " << argv[1] << " holds no inputs.\n";
        return 1;
    }
    std::mt19937_64 random(1);
    for (const std::filesystem::path &file : files) {
        const std::string text = read(file);
        eutectic::fuzz::try_input(text);
        for (int i = 0; i < changes_of_each; i++) {
            eutectic::fuzz::try_input(changed(text, read(files[random() % files.size()]), random));
        }
    }
    std::cout << files.size() << " inputs, and " << changes_of_each << " changes of each\n";
    return 0;
}
