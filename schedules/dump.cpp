#include "schedules/dump.h"

#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include <nlohmann/json.hpp>

#include "base/user_error.h"
#include "base/write_whole.h"
#include "fusion/plan/pins.h"
#include "report/page/plan_page.h"
#include "report/report.h"

namespace eutectic {

namespace fs = std::filesystem;

namespace {

constexpr size_t longest_name = 80;  // of what file systems have room for, 255

/** "y$1" and "loss": "y+loss". */
std::string folder_name(const std::vector<std::string> &outputs) {
    std::string name;
    for (const std::string &output : outputs) {
        name += name.empty() ? "" : "+";
        for (const char c : output.substr(0, output.find('$'))) {
            name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
        }
    }
    return name.substr(0, longest_name);
}

/** As Halide's generators write it (-e schedule), under a name that no generator gave. */
std::string schedule_header(const Scheduled &s) {
    std::ostringstream text;
    text
        << "// The schedule for " << s.target << ".\n#include \"Halide.h\"\n\n"
        << "inline void apply_schedule(\n    ::Halide::Pipeline pipeline,\n    ::Halide::Target target\n) {\n"
        << "    using ::Halide::Func;\n    using ::Halide::MemoryType;\n    using ::Halide::RVar;\n"
        << "    using ::Halide::TailStrategy;\n    using ::Halide::Var;\n";
    std::istringstream lines(s.source);
    for (std::string line; std::getline(lines, line);) {
        text << "    " << line << "\n";
    }
    text << "}\n";
    return text.str();
}

/** Of this process, for whoever finds several dumps; empty where the system does not tell. */
std::string command_line() {
    std::ifstream in("/proc/self/cmdline", std::ios::binary);
    std::string line{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    for (char &c : line) {
        c = c == '\0' ? ' ' : c;
    }
    return line;
}

}  // namespace

Dump::Dump(const std::vector<std::string> &outputs) : name_(folder_name(outputs)) {
    const char *value = std::getenv("EUTECTIC_DUMP");
    if (!value || !*value) {
        return;
    }
    folder_ = value;
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error) {
        refuse(error.message());
    }
    const std::string process = "/." + name_ + "." + std::to_string(::getpid()) + ".";
    for (int n = 0; hidden_.empty(); n++) {
        const std::string place = folder_ + process + std::to_string(n) + ".partial";
        const bool made = fs::create_directory(place, error);
        if (error) {
            refuse(error.message());
        }
        hidden_ = made ? place : "";
    }
}

Dump::~Dump() {
    std::error_code none;
    if (!hidden_.empty()) {
        fs::remove_all(hidden_, none);
    }
}

void Dump::write(const Scheduled &s) {
    if (!wanted()) {
        return;
    }
    const Report report = s.report();
    put("report.json", to_json(report).dump(2) + "\n");
    put("plan.txt", to_text(report));
    put("pins.json", to_text(s.graph, pins_of(s.graph, s.planned.plan, s.pins)));
    put("schedule.h", schedule_header(s));
    put("page.html", plan_page(report, name_ + " for " + s.target));
    if (const std::string line = command_line(); !line.empty()) {
        put("command.txt", line + "\n");
    }
    publish();
}

void Dump::put(const std::string &file, const std::string &content) const {
    try {
        write_whole("plan", hidden_ + "/" + file, content);
    } catch (const UserError &) {
        refuse("no " + file + " can be written there");
    }
}

/** A folder that is not empty is not replaced: the next number is free, or another process's by then. */
void Dump::publish() {
    for (int n = 1;; n++) {
        const std::string place = folder_ + "/" + name_ + (n == 1 ? "" : "-" + std::to_string(n));
        if (std::rename(hidden_.c_str(), place.c_str()) == 0) {
            hidden_.clear();
            return;
        }
        if (errno != ENOTEMPTY && errno != EEXIST && errno != ENOTDIR) {
            refuse(std::strerror(errno));
        }
    }
}

void Dump::refuse(const std::string &why) const {
    throw UserError("Plans cannot be written to " + folder_ + ", which EUTECTIC_DUMP names (" + why +
                    "): name a folder that is writable and has room, or unset that variable.");
}

}  // namespace eutectic
