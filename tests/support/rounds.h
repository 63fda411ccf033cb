#pragma once

namespace eutectic::test {

/** How many rounds a test over random cases makes of the `n` it makes in a release build: a sixteenth under a sanitizer, which takes some forty times as long over each, and at least one. */
constexpr int rounds(int n) {
#if defined(__SANITIZE_ADDRESS__)
    return n < 16 ? 1 : n / 16;
#else
    return n;
#endif
}

}  // namespace eutectic::test
