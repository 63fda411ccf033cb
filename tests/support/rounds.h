#pragma once

namespace eutectic::test {

/** How many rounds a test over random cases makes of the `n` it makes in a release build: an eighth under a sanitizer, which takes about twenty times as long over each, and at least one. */
constexpr int rounds(int n) {
#if defined(__SANITIZE_ADDRESS__)
    return n < 8 ? 1 : n / 8;
#else
    return n;
#endif
}

}  // namespace eutectic::test
