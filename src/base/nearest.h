#pragma once

#include <string>
#include <vector>

namespace eutectic {

/** The word of `known` that `word` was probably meant to be: the fewest insertions, deletions and
 * replacements of one character away, and no more of them than half of its characters; the first of several.
 * Empty: none is near. (V. Levenshtein, "Binary codes capable of correcting deletions, insertions, and
 *  reversals", 1966; computed as by Wagner and Fischer, 1974.) */
std::string nearest(const std::string &word, const std::vector<std::string> &known);

}  // namespace eutectic
