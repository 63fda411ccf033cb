#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace eutectic::accuracy {

/// Writes a study's results, a plan a line; packed by gzip if the name ends in .gz. Throws UserError.
void write_study(const std::string &path, const nlohmann::ordered_json &study);

/// The text of such a file, packed or not; empty, or as much as can be unpacked, if it cannot be read.
std::string read_study(const std::string &path);

}  // namespace eutectic::accuracy
