#include "graph/read/two_sides.h"

#include <algorithm>

#include "graph/read/quotients.h"
#include "graph/read/shared.h"

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

namespace {

class FindChoice {
public:
    explicit FindChoice(const std::string &innermost)
        : innermost_(innermost), uses_innermost_(uses_variable(innermost)) {
    }

    std::optional<TwoSides> in(const Expr &e) {
        std::optional<TwoSides> found;
        for_each_node(e, [&](const Expr &node) {
            const Select *select = node.as<Select>();
            found = select && !found ? choice(select) : found;
            return !found;
        });
        return found;
    }

private:
    const std::string &innermost_;
    Contains uses_innermost_;
    Contains loads_at_innermost_{[this](const Expr &e) { return is_load_at_innermost(e); }};

    /** Does an index of this load name the innermost argument? */
    bool is_load_at_innermost(const Expr &e) {
        const Call *op = e.as<Call>();
        const bool load = op && (op->call_type == Call::Halide || op->call_type == Call::Image);
        const auto uses_innermost = [&](const Expr &arg) { return uses_innermost_(arg); };
        return load && std::any_of(op->args.begin(), op->args.end(), uses_innermost);
    }

    bool is_innermost(const Expr &e) const {
        const Variable *v = e.as<Variable>();
        return v && v->name == innermost_;
    }

    /** Where j is a and b is the same for all points: the first j at which the condition of `op` is no longer
     *  what it is far below. */
    std::optional<TwoSides> look(const Select *op, const Expr &a, const Expr &b, bool below, int beyond) {
        if (!is_innermost(a) || varies(b)) {
            return std::nullopt;
        }
        const Expr &left = below ? op->true_value : op->false_value,
                   &right = below ? op->false_value : op->true_value;
        return TwoSides{op, left, right, simplify(b + beyond)};
    }

    std::optional<TwoSides> choice(const Select *op) {
        // Solving takes longest, and nobody writes a comparison of j with a constant that large.
        const bool loads = loads_at_innermost_(op->true_value) && loads_at_innermost_(op->false_value);
        if (!loads || loads_at_innermost_(op->condition) || !is_small(op->condition)) {
            return std::nullopt;
        }
        const Expr condition = solve_expression(simplify(op->condition), innermost_).result;  // j on the left
        if (const LT *lt = condition.as<LT>()) {
            return look(op, lt->a, lt->b, true, 0);
        } else if (const LE *le = condition.as<LE>()) {
            return look(op, le->a, le->b, true, 1);
        } else if (const GT *gt = condition.as<GT>()) {
            return look(op, gt->a, gt->b, false, 1);
        } else if (const GE *ge = condition.as<GE>()) {
            return look(op, ge->a, ge->b, false, 0);
        }
        return std::nullopt;
    }
};

}  // namespace

std::optional<TwoSides> two_sides(const Function &f) {
    if (!f.has_pure_definition() || f.has_update_definition() || f.has_extern_definition() ||
        f.definition().values().size() != 1 || f.args().empty()) {
        return std::nullopt;
    }
    return FindChoice(f.args().front()).in(without_lets(f.definition().values()[0]));
}

}  // namespace eutectic
