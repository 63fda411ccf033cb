#pragma once

#include <string>
#include <utility>

namespace eutectic {

/** May this be done? A refusal carries a sentence that a user understands; it is what the report shows.
 *
 *      Verdict v = Verdict::forbid("mm has update definitions, which cannot be inlined");
 *      if (!v) report(v.reason());
 */
class Verdict {
public:
    static Verdict allow() {
        return Verdict(true, "");
    }
    static Verdict forbid(std::string sentence) {
        return Verdict(false, std::move(sentence));
    }

    explicit operator bool() const {
        return allowed_;
    }
    /** Empty when allowed. */
    const std::string &reason() const {
        return reason_;
    }

private:
    Verdict(bool allowed, std::string reason) : allowed_(allowed), reason_(std::move(reason)) {
    }

    bool allowed_;
    std::string reason_;
};

}  // namespace eutectic
