#include "base/said.h"

#include <algorithm>
#include <initializer_list>

namespace eutectic {

namespace {

constexpr size_t most_characters = 4000;  // of a message; that is some pages

std::string trimmed(const std::string &text) {
    const size_t begin = text.find_first_not_of(" \t\r\n");
    return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin);
}

/** Where the last line that begins with one of `words` does; npos if none does. */
size_t last_line_with(const std::string &text, std::initializer_list<const char *> words) {
    size_t last = std::string::npos;
    for (const std::string word : words) {
        size_t at = text.rfind("\n" + word);
        at = at != std::string::npos ? at + 1 : text.compare(0, word.size(), word) == 0 ? 0 : at;
        last = at == std::string::npos ? last : last == std::string::npos ? at : std::max(at, last);
    }
    return last;
}

/** The message with which an exception or Halide ended the program; empty: there is none. */
std::string raised(const std::string &errors) {
    size_t from = last_line_with(errors, {"Unhandled exception: ", "  what():  "});
    if (from == std::string::npos) {
        from = last_line_with(errors, {"Error: ", "Internal Error at "});
    }
    if (from != std::string::npos) {
        return errors.substr(from);
    }
    // Of one that is no std::exception the type is all that is known.
    const std::string of = "terminate called after throwing an instance of '";
    const size_t thrown = last_line_with(errors, {of.c_str()});
    if (thrown == std::string::npos) {
        return "";
    }
    const size_t type = thrown + of.size();
    return "an exception of type " + errors.substr(type, errors.find('\'', type) - type) + " was thrown";
}

std::string last_line(const std::string &text) {
    const std::string all = trimmed(text);
    return all.substr(all.rfind('\n') + 1);
}

}  // namespace

std::string on_one_line(const std::string &message) {
    std::string text = trimmed(message);
    for (const std::string prefix :
         {"Unhandled exception: ", "what():  ", "Error: ", "Internal Error at ", "Warning: "}) {
        text = text.compare(0, prefix.size(), prefix) == 0 ? text.substr(prefix.size()) : text;
    }
    std::string result;
    for (const char c : text) {
        const bool gap = c == '\n' || c == '\r' || c == ' ';
        if (!gap || (!result.empty() && result.back() != ' ')) {
            result += gap ? ' ' : c;
        }
    }
    return result.size() > most_characters ? "…" + result.substr(result.size() - most_characters) : result;
}

std::string one_sentence(const std::string &text) {
    constexpr const char *digits = "0123456789abcdef";
    std::string sentence;
    for (const char c : text) {
        const auto code = static_cast<unsigned char>(c);
        if (code < ' ' || code == 127) {
            sentence += {'\\', 'x', digits[code / 16], digits[code % 16]};
        } else {
            sentence += c;
        }
    }
    if (sentence.size() > most_characters) {
        const size_t half = most_characters / 2;
        sentence = sentence.substr(0, half) + "…" + sentence.substr(sentence.size() - half);
    }
    return sentence;
}

std::string last_message(const std::string &errors) {
    const std::string message = raised(errors);
    return on_one_line(message.empty() ? last_line(errors) : message);
}

std::string whole_message(const std::string &errors) {
    const std::string message = raised(errors);
    return on_one_line(message.empty() ? errors : message);
}

}  // namespace eutectic
