#pragma once

#include <string>
#include <vector>

namespace eutectic {

/** The word of `known` that `word` was probably meant to be: the fewest insertions, deletions and
 * replacements of one character away, and no more of them than half of its characters; the first of several.
 * Empty: none is near. (V. Levenshtein, "Binary codes capable of correcting deletions, insertions, and
 *  reversals", 1966; computed as by Wagner and Fischer, 1974.) */
std::string nearest(const std::string &word, const std::vector<std::string> &known);

/** What a sentence says of a word that is unknown: "the nearest is NAME", or `otherwise` where none is. */
std::string nearest_or(const std::string &word, const std::vector<std::string> &known,
                       const std::string &otherwise);

/** The same, or `all` with all that are known: "it has a, b, c", "it has none". */
std::string nearest_or_all(const std::string &word, const std::vector<std::string> &known,
                           const std::string &all = "it has");

/** The same, and `all` with all that are known: "the nearest is b; known rules are a, b, c". */
std::string nearest_and_all(const std::string &word, const std::vector<std::string> &known,
                            const std::string &all);

}  // namespace eutectic
