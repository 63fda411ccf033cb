#pragma once

#include <string>

namespace eutectic::fuzz {

/** What one harness tries: reads `input` as its parser would read a file's text. It returns, or throws
 * UserError; whatever else happens is a finding. Each harness defines it. */
void parse_input(const std::string &input);

/** `input` as a file, for parsers that open one: the same path for the whole process, written anew. */
std::string file_with(const std::string &input, const std::string &ending = "");

/** parse_input(), whose refusal has to be one sentence: one line, no control characters, an end. Prints what
 * is wrong and ends the process by abort() otherwise. */
void try_input(const std::string &input);

}  // namespace eutectic::fuzz
