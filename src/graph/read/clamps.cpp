#include "graph/read/clamps.h"

#include <algorithm>

#include "graph/read/shared.h"

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

namespace {

bool uses_any(const Expr &e, const std::vector<std::string> &vars) {
    return std::any_of(vars.begin(), vars.end(),
                       [&](const std::string &var) { return expr_uses_var(e, var); });
}

bool is_marked(const Expr &e) {
    bool marked = false;
    for_each_node(e, [&](const Expr &node) {
        const Call *call = node.as<Call>();
        marked = marked || (call && call->is_intrinsic({Call::likely, Call::likely_if_innermost}));
        return !marked;
    });
    return marked;
}

/** Does what data say move it? Nobody can tell where that stays inside. */
bool depends_on_data(const Expr &e) {
    bool loads = false;
    for_each_node(e, [&](const Expr &node) {
        const Call *call = node.as<Call>();
        loads = loads || (call && (call->call_type == Call::Halide || call->call_type == Call::Image));
        return !loads;
    });
    return loads;
}

/** Of the operands of a Min or a Max of coordinates, the one that moves, if the other does not: 0 or 1; -1:
 * none, or it is marked already. */
template<typename T>
int bare_side(const T *op, const std::vector<std::string> &vars) {
    const bool first = op->type == Int(32) && uses_any(op->a, vars), second = uses_any(op->b, vars);
    const Expr &moved = first ? op->a : op->b;
    return op->type != Int(32) || first == second || is_marked(moved) || depends_on_data(moved) ? -1
           : first                                                                              ? 0
                                                                                                : 1;
}

class Mark : public IRGraphMutator {
public:
    explicit Mark(const std::vector<std::string> &vars) : vars_(vars) {
    }

private:
    const std::vector<std::string> &vars_;
    using IRGraphMutator::visit;

    template<typename T>
    Expr mark(const T *op) {
        const int side = bare_side(op, vars_);
        if (side < 0) {
            return IRGraphMutator::visit(op);
        }
        const Expr a = mutate(op->a), b = mutate(op->b), &moved = side == 0 ? a : b;
        // max(min(x, high), low): x is marked inside.
        const Expr marked = is_marked(moved) ? moved : likely(moved);
        return side == 0 ? T::make(marked, b) : T::make(a, marked);
    }
    Expr visit(const Min *op) override {
        return mark(op);
    }
    Expr visit(const Max *op) override {
        return mark(op);
    }
};

}  // namespace

bool has_bare_clamps(const Expr &e, const std::vector<std::string> &vars) {
    bool found = false;
    const auto look = [&](const Expr &node) {
        if (const Min *smaller = node.as<Min>()) {
            found = found || bare_side(smaller, vars) >= 0;
        } else if (const Max *larger = node.as<Max>()) {
            found = found || bare_side(larger, vars) >= 0;
        }
        return !found;
    };
    for_each_node(e, [&](const Expr &node) {
        const Call *call = node.as<Call>();
        if (call && (call->call_type == Call::Halide || call->call_type == Call::Image)) {
            for (const Expr &index : call->args) {
                if (is_small(index)) {
                    for_each_node(index, look);
                }
            }
        }
        return !found;
    });
    return found;
}

Expr with_likely_clamps(const Expr &e, const std::vector<std::string> &vars) {
    return Mark(vars).mutate(e);
}

}  // namespace eutectic
