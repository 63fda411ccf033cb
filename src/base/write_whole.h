#pragma once

#include <string>

namespace eutectic {

/** Writes a file that appears whole or not at all; what exists at `path` and is no regular file (a device, a
 * pipe) is written to as it is. Throws UserError, naming `what` and `path`, when it cannot. */
void write_whole(const std::string &what, const std::string &path, const std::string &content);

/** Throws what write_whole() would for a place that cannot be written to, without touching what is there: for
 * who works long before there is something to write. */
void require_writable(const std::string &what, const std::string &path);

}  // namespace eutectic
