#include "schedules/hlpipe/messages.h"

#include "Halide.h"

#include "base/said.h"

namespace eutectic {

namespace {

class Listener : public Halide::CompileTimeErrorReporter {
public:
    std::vector<std::string> warnings;

    void warning(const char *message) override {
        warnings.push_back(on_one_line(message));
    }
    [[noreturn]] void error(const char *message) override {
        throw HalideError(on_one_line(message));
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
