#pragma once

#include <string>

namespace eutectic {

/** A message of several lines as one, for a sentence; without what Halide puts before it ("Error: ",
 * "Unhandled exception: "). */
std::string on_one_line(const std::string &message);

/** What a program says of a UserError: the sentence as it is, but for what it may quote of a file or an
 * argument. Control characters are written as \x0a, and of a long one the middle is left out. */
std::string one_sentence(const std::string &text);

/** Why a program ended, out of what it wrote to standard error, on one line: the whole message of the
 * exception that nobody caught or of Halide's error, else the last line that is not empty. */
std::string last_message(const std::string &errors);

/** The same, but all of `errors` where no such message is in it. */
std::string whole_message(const std::string &errors);

}  // namespace eutectic
