#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace eutectic {

/** What Halide says when it cannot go on: its message without "Error: " and line breaks. */
class HalideError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/** From now on Halide's compile-time errors are HalideErrors, and its warnings are kept for take_warnings()
 * instead of going to standard error. For the whole process: to be called by a program's main(), never by a
 * plugin. */
void listen_to_halide();

/** The warnings since the last call, each on one line. */
std::vector<std::string> take_warnings();

}  // namespace eutectic
