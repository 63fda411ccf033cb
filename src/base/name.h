#pragma once

#include <string>

namespace eutectic {

/** What something is called: one text for all copies of it, which cost no more than a pointer. Texts are held
 * once each, from the first name on for as long as the process runs. */
class Name {
public:
    Name();
    Name(const std::string &text);  // NOLINT(google-explicit-constructor): the name is its text
    Name(const char *text);         // NOLINT(google-explicit-constructor)

    const std::string &str() const {
        return *text_;
    }
    operator const std::string &() const {  // NOLINT(google-explicit-constructor)
        return *text_;
    }
    friend bool operator==(const Name &a, const Name &b) {
        return a.text_ == b.text_;
    }
    friend bool operator!=(const Name &a, const Name &b) {
        return !(a == b);
    }

private:
    const std::string *text_;
};

}  // namespace eutectic
