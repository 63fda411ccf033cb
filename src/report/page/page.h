#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace eutectic {

/** `body`, the text of a page, after the head that all of them have: a page that needs nothing else, no
 * network either: @STYLE@ and @SCRIPT@ become what all pages share, @TITLE@ the title, @DATA@ the data as
 * JSON (none of which can end the element that it is in), and @PICTURE@ what is drawn, as it is. */
std::string fill_page(const std::string &body, const std::string &title, const nlohmann::ordered_json &data,
                      const std::string &picture = "");

}  // namespace eutectic
