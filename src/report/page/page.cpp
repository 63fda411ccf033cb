#include "report/page/page.h"

#include <map>

#include <nlohmann/json.hpp>

#include "report_pages.h"

namespace eutectic {

namespace {

std::string replaced(const std::string &text, const std::map<char, std::string> &marks) {
    std::string result;
    for (const char c : text) {
        const auto mark = marks.find(c);
        result += mark == marks.end() ? std::string(1, c) : mark->second;
    }
    return result;
}

}  // namespace

std::string fill_page(const std::string &body, const std::string &title, const nlohmann::ordered_json &data,
                      const std::string &picture) {
    // In JSON, "<" is only found in texts, where it may be written so.
    const std::string json = replaced(
        data.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace), {{'<', "\\u003c"}});
    const std::map<std::string, std::string> marks = {
        {"@STYLE@", page_style},
        {"@SCRIPT@", page_script},
        {"@TITLE@", replaced(title, {{'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"}})},
        {"@DATA@", json},
        {"@PICTURE@", picture}};
    const std::string page = page_head + body;
    // From left to right, so that marks in what is put in stay as they are.
    std::string result;
    for (size_t at = 0; at < page.size();) {
        const size_t mark = page.find('@', at),
                     end = mark == std::string::npos ? mark : page.find('@', mark + 1);
        if (end == std::string::npos) {
            return result + page.substr(at);
        }
        const auto known = marks.find(page.substr(mark, end + 1 - mark));
        result += page.substr(at, mark - at) + (known == marks.end() ? "@" : known->second);
        at = known == marks.end() ? mark + 1 : end + 1;
    }
    return result;
}

}  // namespace eutectic
