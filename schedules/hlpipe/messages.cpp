#include "schedules/hlpipe/messages.h"

#include "Halide.h"

namespace eutectic {

namespace {

/** "Error: no\nsuch thing\n" → "no such thing". */
std::string one_line(std::string text) {
    for (const char *prefix : {"Error: ", "Internal Error at ", "Warning: "}) {
        text = text.rfind(prefix, 0) == 0 ? text.substr(std::string(prefix).size()) : text;
    }
    std::string result;
    for (const char c : text) {
        const bool gap = c == '\n' || c == ' ';
        if (!gap || (!result.empty() && result.back() != ' ')) {
            result += gap ? ' ' : c;
        }
    }
    while (!result.empty() && result.back() == ' ') {
        result.pop_back();
    }
    return result;
}

class Listener : public Halide::CompileTimeErrorReporter {
public:
    std::vector<std::string> warnings;

    void warning(const char *message) override {
        warnings.push_back(one_line(message));
    }
    [[noreturn]] void error(const char *message) override {
        throw HalideError(one_line(message));
    }
};

Listener &listener() {
    static Listener one;
    return one;
}

}  // namespace

void listen_to_halide() {
    Halide::set_custom_compile_time_error_reporter(&listener());
}

std::vector<std::string> take_warnings() {
    std::vector<std::string> taken;
    taken.swap(listener().warnings);
    return taken;
}

}  // namespace eutectic
