#include "base/name.h"

#include <mutex>
#include <unordered_set>

namespace eutectic {

namespace {

const std::string *held(const std::string &text) {
    // Not given back when the process ends: names of other static objects may outlive it.
    static auto *const texts = new std::unordered_set<std::string>;
    static auto *const one_at_a_time = new std::mutex;
    const std::lock_guard<std::mutex> lock(*one_at_a_time);
    return &*texts->insert(text).first;  // elements stay where they are when others come
}

}  // namespace

Name::Name() {
    static const std::string *const empty = held("");
    text_ = empty;
}

Name::Name(const std::string &text) : text_(held(text)) {
}

Name::Name(const char *text) : text_(held(text)) {
}

}  // namespace eutectic
