#include "base/nearest.h"

#include <algorithm>
#include <numeric>

namespace eutectic {

namespace {

size_t distance(const std::string &a, const std::string &b) {
    std::vector<size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), size_t{0});
    for (size_t i = 0; i < a.size(); i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < b.size(); j++) {
            const size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j + 1] + 1, row[j] + 1});
        }
    }
    return row.back();
}

std::string list(const std::vector<std::string> &known) {
    std::string text;
    for (const std::string &k : known) {
        text += (text.empty() ? "" : ", ") + k;
    }
    return text.empty() ? "none" : text;
}

}  // namespace

std::string nearest(const std::string &word, const std::vector<std::string> &known) {
    std::string best;
    size_t least = word.size() / 2 + 1;
    for (const std::string &candidate : known) {
        const size_t d = distance(word, candidate);
        if (d < least) {
            least = d;
            best = candidate;
        }
    }
    return best;
}

std::string nearest_or(const std::string &word, const std::vector<std::string> &known,
                       const std::string &otherwise) {
    const std::string near = nearest(word, known);
    return near.empty() ? otherwise : "the nearest is " + near;
}

std::string nearest_or_all(const std::string &word, const std::vector<std::string> &known,
                           const std::string &all) {
    return nearest_or(word, known, all + " " + list(known));
}

std::string nearest_and_all(const std::string &word, const std::vector<std::string> &known,
                            const std::string &all) {
    const std::string near = nearest_or(word, known, "");
    return near + (near.empty() ? "" : "; ") + all + " " + list(known);
}

}  // namespace eutectic
