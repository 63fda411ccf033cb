// f(r) = f(r - 1) * a + g(r): LLVM (21) keeps what one iteration stores for the next one in a register,
// forwards and backwards, if the loop is innermost and its stores are neighbours (LoopLoadElimination). So
// what iterations wait for is the arithmetic between the two.

#include "graph/read/chain.h"

#include <algorithm>
#include <map>

#include "graph/read/shared.h"

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

namespace {

/** The reduction variable that `written` counts along, and by how much: 1 or -1. */
std::optional<std::pair<size_t, int>> counted_by(const Expr &written,
                                                 const std::vector<ReductionVariable> &rvars) {
    std::optional<std::pair<size_t, int>> result;
    for (size_t r = 0; r < rvars.size(); r++) {
        const Expr next = substitute(rvars[r].var, Variable::make(Int(32), rvars[r].var) + 1, written);
        const Expr step = simplify(next - written);
        const auto by = as_const_int(step);
        if (by && *by == 0) {
            continue;
        }
        if (!by || std::abs(*by) != 1 || result) {
            return std::nullopt;
        }
        result = {r, static_cast<int>(*by)};
    }
    return result;
}

class Walk {
public:
    Walk(const Function &f, const Definition &def, int step)
        : f_(f), def_(def), step_(step), reads_itself_([name = f.name()](const Expr &e) {
              const Call *call = e.as<Call>();
              return call && call->name == name;
          }) {
    }

    /** Operations from what the iteration before wrote to `e`; -1: it is not in there. */
    int operations(const Expr &e) {
        const auto known = known_.find(e.get());
        if (known != known_.end()) {
            return known->second;
        }
        const int found = find(e);
        known_[e.get()] = found;
        return found;
    }

    /** Is there anything that makes another chain of it? */
    bool fails() const {
        return fails_;
    }

private:
    const Function &f_;
    const Definition &def_;
    const int step_;
    Contains reads_itself_;
    bool fails_ = false;
    std::map<const IRNode *, int> known_;

    int after(const std::vector<Expr> &operands) {
        int most = -1;
        for (const Expr &e : operands) {
            most = std::max(most, operations(e));
        }
        return most < 0 ? -1 : most + 1;
    }

    int find(const Expr &e) {
        if (const Add *add = e.as<Add>()) {
            return after({add->a, add->b});
        } else if (const Sub *sub = e.as<Sub>()) {
            return after({sub->a, sub->b});
        } else if (const Mul *mul = e.as<Mul>()) {
            return after({mul->a, mul->b});
        } else if (const Min *least = e.as<Min>()) {
            return after({least->a, least->b});
        } else if (const Max *most = e.as<Max>()) {
            return after({most->a, most->b});
        } else if (const Cast *cast = e.as<Cast>()) {
            return after({cast->value});
        } else if (const Select *choice = e.as<Select>()) {
            return after({choice->condition, choice->true_value, choice->false_value});
        } else if (const Call *load = e.as<Call>(); load && load->name == f_.name()) {
            return find_load(*load);
        }
        fails_ = fails_ || reads_itself_(e);  // a quotient, a function: they take longer than an operation
        return -1;
    }

    int find_load(const Call &load) {
        for (int d = 1; d < f_.dimensions(); d++) {
            const auto at = static_cast<size_t>(d);
            fails_ = fails_ || !graph_equal(load.args[at], def_.args()[at]);
        }
        const Expr distance = (def_.args()[0] - load.args[0]) * step_;
        const auto back = is_small(distance) ? as_const_int(simplify(distance)) : std::nullopt;
        fails_ = fails_ || !back || *back < 0;
        return back && *back == 1 ? 0 : -1;
    }
};

}  // namespace

std::optional<Chain> chain_of(const Function &f, const Definition &update) {
    if (update.values().size() != 1 || f.dimensions() == 0 || !is_const_one(update.predicate())) {
        return std::nullopt;
    }
    const Expr written = without_lets(update.args()[0]);
    const auto counted = is_small(written) ? counted_by(written, update.schedule().rvars()) : std::nullopt;
    if (!counted) {
        return std::nullopt;
    }
    Walk walk(f, update, counted->second);
    const int operations = walk.operations(without_lets(update.values()[0]));
    if (operations < 0 || walk.fails()) {
        return std::nullopt;
    }
    return Chain{DimId(f.dimensions() + static_cast<int>(counted->first)), std::max(1, operations),
                 !f.output_types()[0].is_float()};
}

}  // namespace eutectic
