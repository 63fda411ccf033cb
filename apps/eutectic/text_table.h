#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace eutectic {

/** Lines of cells, as wide as the widest of each column: the first `left` columns begin, the others end,
 * below each other; `last_begins`: the last begins, too. Every line has as many cells as the first, which is
 * the heading. */
std::string text_table(const std::vector<std::vector<std::string>> &lines, size_t left,
                       bool last_begins = false);

}  // namespace eutectic
