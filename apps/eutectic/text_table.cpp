#include "apps/eutectic/text_table.h"

#include <algorithm>

namespace eutectic {

std::string text_table(const std::vector<std::vector<std::string>> &lines, size_t left, bool last_begins) {
    std::vector<size_t> widths(lines.front().size());
    for (const std::vector<std::string> &line : lines) {
        for (size_t c = 0; c < line.size(); c++) {
            widths[c] = std::max(widths[c], line[c].size());
        }
    }
    std::string text;
    for (const std::vector<std::string> &cells : lines) {
        std::string line = "   ";
        for (size_t c = 0; c < cells.size(); c++) {
            const std::string space(widths[c] - cells[c].size(), ' ');
            const bool begins = c < left || (last_begins && c + 1 == cells.size());
            line += " " + (begins ? cells[c] + space : space + cells[c]) + " ";
        }
        text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return text;
}

}  // namespace eutectic
