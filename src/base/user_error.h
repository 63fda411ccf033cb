#pragma once

#include <stdexcept>
#include <string>

namespace eutectic {

/** Something that a user gave cannot be honoured. The message is one sentence: the subject, what was asked,
 *  the conflict, the remedy. Whoever owns the process turns it into that sentence on standard error and exit
 * status 2. */
class UserError : public std::runtime_error {
public:
    explicit UserError(const std::string &sentence) : std::runtime_error(sentence) {
    }
};

}  // namespace eutectic
