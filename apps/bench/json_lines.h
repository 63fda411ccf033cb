#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace eutectic::bench {

/// JSON for a file that is kept: an object or array that lies fewer than `levels` deep (the whole is 0 deep)
/// has a member a line, and what is deeper stands on its member's line. With as many levels as a record lies
/// deep, that is one record a line. Ends with a newline.
std::string json_lines(const nlohmann::ordered_json &json, int levels);

}  // namespace eutectic::bench
