#include <algorithm>

#include "tests/fuzz/isolated.h"

namespace eutectic::test {

namespace {

/** Without operation `i`, whose readers read what it read; without what nobody needs any more. */
Recipe without(const Recipe &r, size_t i) {
    Recipe next = r;
    const int gone = static_cast<int>(i) + 2, instead = r.operations[i].a;
    const auto renumber = [&](int v) { return v == gone ? instead : v > gone ? v - 1 : v; };
    next.operations.erase(next.operations.begin() + static_cast<std::ptrdiff_t>(i));
    for (Operation &o : next.operations) {
        o.a = renumber(o.a);
        o.b = renumber(o.b);
    }
    next.outputs.clear();
    for (const int v : r.outputs) {
        const int output = renumber(v);
        if (output >= 2 &&
            std::find(next.outputs.begin(), next.outputs.end(), output) == next.outputs.end()) {
            next.outputs.push_back(output);
        }
    }
    return next;
}

std::vector<Recipe> smaller(const Recipe &r) {
    std::vector<Recipe> all;
    for (size_t o = 0; r.outputs.size() > 1 && o < r.outputs.size(); o++) {
        Recipe one = r;
        one.outputs = {r.outputs[o]};
        all.push_back(one);
    }
    for (size_t i = r.operations.size(); i-- > 0;) {
        all.push_back(without(r, i));
    }
    for (size_t i = 0; i < r.operations.size(); i++) {
        Recipe from_input = r;
        from_input.operations[i].a = 0;
        from_input.operations[i].b = 1;
        const Operation &o = r.operations[i];
        if (o.a != 0 || o.b != 1) {
            all.push_back(from_input);
        }
    }
    return all;
}

}  // namespace

Recipe shrink(Recipe failing) {
    for (bool again = true; again;) {
        again = false;
        for (const Recipe &candidate : smaller(failing)) {
            if (!candidate.outputs.empty() && !check_isolated(candidate).failure.empty()) {
                failing = candidate;
                again = true;
                break;
            }
        }
    }
    return failing;
}

}  // namespace eutectic::test
