#pragma once

namespace eutectic::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

/** How many rounds a test over random cases makes of the `n` it makes in a release build: a sixteenth under a
 * sanitizer, which takes some forty times as long over each, and at least one. */
constexpr int rounds(int n) {
    return !sanitized ? n : n < 16 ? 1 : n / 16;
}

}  // namespace eutectic::test
