#include "schedules/write_report.h"

#include <cstdio>
#include <fstream>

#include "base/user_error.h"

namespace eutectic {

void write_report(const Report &report, const std::string &path) {
    const bool text = path.size() > 4 && path.compare(path.size() - 4, 4, ".txt") == 0;
    const std::string content = text ? to_text(report) : to_json(report).dump(2) + "\n";
    const std::string partial = path + ".partial";
    std::ofstream file(partial);
    file << content;
    file.close();
    if (!file || std::rename(partial.c_str(), path.c_str()) != 0) {
        std::remove(partial.c_str());
        throw UserError("The report cannot be written to " + path + ": check that its folder exists, is writable and has room.");
    }
}

}  // namespace eutectic
