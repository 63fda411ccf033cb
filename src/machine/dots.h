#pragma once

namespace eutectic {

/** What a target has to sum up products of narrow integers: each lane of 32 bits gets the sum of those of its
 * own two or four neighbours. How many vector instructions that takes, the addition to what was there
 * included; 0: there are none. They follow from the target's features alone. */
struct Dots {
    int pairs = 0;        ///< two products of 16-bit integers with signs: x86's vpmaddwd and an addition, or
                          ///< vpdpwssd
    int mixed_quads = 0;  ///< four of 8-bit integers, one without a sign and one with: x86's vpdpbusd
    int equal_quads = 0;  ///< four of 8-bit integers, both with a sign or both without: ARM's sdot and udot

    bool any() const {
        return pairs > 0 || mixed_quads > 0 || equal_quads > 0;
    }
};

}  // namespace eutectic
