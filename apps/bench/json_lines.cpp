#include "apps/bench/json_lines.h"

namespace eutectic::bench {

namespace {

using nlohmann::ordered_json;

void append(std::string &text, const ordered_json &json, int levels, const std::string &indent) {
    if (levels == 0 || !json.is_structured() || json.empty()) {
        text += json.dump();
        return;
    }
    const std::string inner = indent + " ";
    text += json.is_object() ? "{" : "[";
    for (auto member = json.begin(); member != json.end(); ++member) {
        text += (member == json.begin() ? "\n" : ",\n") + inner;
        if (json.is_object()) {
            text += ordered_json(member.key()).dump() + ": ";
        }
        append(text, *member, levels - 1, inner);
    }
    text += "\n" + indent + (json.is_object() ? "}" : "]");
}

}  // namespace

std::string json_lines(const ordered_json &json, int levels) {
    std::string text;
    append(text, json, levels, "");
    return text + "\n";
}

}  // namespace eutectic::bench
