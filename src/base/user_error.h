#pragma once

#include <stdexcept>
#include <string>

namespace eutectic {

/** Something that a user gave cannot be honoured. The message is one sentence: the subject, what was asked,
 *  the conflict, the remedy. Whoever owns the process turns it into that sentence on standard error and exit
 * status 2. */
class UserError : public std::runtime_error {
public:
    explicit UserError(const std::string &sentence) : std::runtime_error(whole(sentence)) {
    }

private:
    /** What is quoted of a file may hold a NUL, at which what() would end. */
    static std::string whole(std::string sentence) {
        for (size_t at = sentence.find('\0'); at != std::string::npos; at = sentence.find('\0', at)) {
            sentence.replace(at, 1, "\\x00");
        }
        return sentence;
    }
};

}  // namespace eutectic
