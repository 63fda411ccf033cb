#include "tests/fuzz/recipe.h"

#include <algorithm>
#include <sstream>

namespace eutectic::test {

namespace {

/** splitmix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014): small, and
 * the same everywhere. */
class Dice {
public:
    explicit Dice(uint64_t seed) : state_(seed) {
    }
    int below(int n) {
        state_ += 0x9e3779b97f4a7c15ULL;
        uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        return static_cast<int>((z ^ (z >> 31)) % static_cast<uint64_t>(n));
    }

private:
    uint64_t state_;
};

/** The last value, those that nobody reads, and a few others. `reads`: of each value. */
void choose_outputs(Recipe &recipe, const std::vector<int> &reads, Dice &dice) {
    const int last = static_cast<int>(reads.size()) - 1;
    for (int v = 2; v <= last; v++) {
        if (v == last || reads[v] == 0 || dice.below(8) == 0) {
            recipe.outputs.push_back(v);
        }
    }
}

}  // namespace

const char *to_string(Kind kind) {
    const char *const names[] = {
        "scale",      "curve",      "floor_at", "combine", "row_value",   "column_value", "matmul",
        "gram",       "transpose",  "slice",    "reshape", "concatenate", "blur",         "gather",
        "pair",       "accumulate", "scan",     "scatter", "layers",      "recurrence",   "largest",
        "total",      "point",      "blend",    "convert", "boundary",    "taps",         "window",
        "downsample", "upsample",   "phases",   "lookup",  "warp",        "ranked",       "channels",
        "histogram",  "running",    "match"};
    return names[static_cast<int>(kind)];
}

std::string Recipe::text() const {
    std::ostringstream s;
    const char *const modes[] = {"fast", "strict", "integer"};
    s << (opencl ? "opencl " : "") << modes[static_cast<int>(mode)] << " " << columns << " x " << rows;
    if (images) {
        s << " images of type " << element << ", " << bits << " bits, estimates times " << estimated << "/2";
    }
    s << ":";
    for (size_t i = 0; i < operations.size(); i++) {
        const Operation &o = operations[i];
        s << " " << i + 2 << "=" << to_string(o.kind) << "(" << o.a << "," << o.b << "," << o.variant << ")";
    }
    s << " ->";
    for (const int o : outputs) {
        s << " " << o;
    }
    return s.str();
}

Recipe random_recipe(uint64_t seed) {
    Dice dice(seed);
    Recipe recipe;
    recipe.mode = static_cast<Mode>(dice.below(3));
    const int sizes[] = {16, 33, 64, 100, 128};
    recipe.columns = sizes[dice.below(5)];
    recipe.rows = sizes[dice.below(5)];
    const int operations = 2 + dice.below(10);
    std::vector<int> reads(operations + 2, 0);
    for (int i = 0; i < operations; i++) {
        // Recent values are read more often than old ones, so that chains form.
        const auto pick = [&] { return i + 1 - dice.below(1 + dice.below(i + 2)); };
        // Plain arithmetic is as frequent as everything else together.
        const Kind kind = static_cast<Kind>(dice.below(2) == 0 ? dice.below(5) : dice.below(kinds));
        const int a = pick(), b = pick();
        recipe.operations.push_back({kind, a, b, dice.below(64)});
        reads[a]++;
        reads[b]++;
    }
    choose_outputs(recipe, reads, dice);
    // Often a further output that reads what an operation reads: two values that one nest may write.
    if (dice.below(3) == 0) {
        const Operation &twin = recipe.operations[dice.below(operations)];
        const Kind kind = dice.below(2) == 0 ? Kind::combine : Kind::scale;
        recipe.outputs.push_back(operations + 2);
        recipe.operations.push_back({kind, twin.a, twin.b, dice.below(64)});
    }
    return recipe;
}

Recipe random_image_recipe(uint64_t seed) {
    Dice dice(~seed);
    Recipe recipe;
    recipe.images = true;
    recipe.mode = static_cast<Mode>(dice.below(3));
    const int sizes[] = {16, 33, 64, 100, 128};
    recipe.columns = sizes[dice.below(5)];
    recipe.rows = sizes[dice.below(5)];
    recipe.element = dice.below(8);
    recipe.bits = 128 << dice.below(3);
    recipe.estimated = 1 << dice.below(3);
    const int operations = 2 + dice.below(12), first = static_cast<int>(Kind::point);
    std::vector<int> reads(operations + 2, 0);
    for (int i = 0; i < operations; i++) {
        const auto pick = [&] { return i + 1 - dice.below(1 + dice.below(i + 2)); };
        const int a = pick(), b = pick();
        const Kind kind =
            static_cast<Kind>(first + (dice.below(4) == 0 ? dice.below(2) : dice.below(all_kinds - first)));
        recipe.operations.push_back({kind, a, b, dice.below(64)});
        reads[a]++;
        reads[b]++;
    }
    choose_outputs(recipe, reads, dice);
    return recipe;
}

}  // namespace eutectic::test
