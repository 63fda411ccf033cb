#include "graph/read/clamps.h"

#include <algorithm>

#include "graph/read/calls.h"
#include "graph/read/shared.h"

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

namespace {

/** Coordinates that move with some variables. */
class Clamps {
public:
    explicit Clamps(const std::vector<std::string> &vars)
        : moves_([vars](const Expr &e) {
              const Variable *v = e.as<Variable>();
              return v && std::find(vars.begin(), vars.end(), v->name) != vars.end();
          }) {
    }

    bool is_marked(const Expr &e) {
        return marked_(e);
    }

    /** Of the operands of a Min or a Max of coordinates, the one that moves, if the other does not: 0 or 1;
     * -1: none, it is marked already, or data move it, so that nobody can tell where it stays inside. */
    template<typename T>
    int bare_side(const T *op) {
        const bool first = moves_(op->a);
        const Expr &moved = first ? op->a : op->b;
        const bool bare =
            op->type == Int(32) && first != moves_(op->b) && !marked_(moved) && !depends_on_data_(moved);
        return !bare ? -1 : first ? 0 : 1;
    }
    bool is_bare(const Expr &e) {
        const Min *smaller = e.as<Min>();
        const Max *larger = e.as<Max>();
        return (smaller && bare_side(smaller) >= 0) || (larger && bare_side(larger) >= 0);
    }

private:
    Contains moves_;
    Contains marked_{[](const Expr &e) {
        const Call *call = e.as<Call>();
        return call && call->is_intrinsic({Call::likely, Call::likely_if_innermost});
    }};
    Contains depends_on_data_{[](const Expr &e) { return load_of(e) != nullptr; }};
};

class Mark : public IRGraphMutator {
public:
    explicit Mark(const std::vector<std::string> &vars) : clamps_(vars) {
    }

private:
    Clamps clamps_;
    using IRGraphMutator::visit;

    template<typename T>
    Expr mark(const T *op) {
        const int side = clamps_.bare_side(op);
        if (side < 0) {
            return IRGraphMutator::visit(op);
        }
        const Expr a = mutate(op->a), b = mutate(op->b), &moved = side == 0 ? a : b;
        // max(min(x, high), low): x is marked inside.
        const Expr marked = clamps_.is_marked(moved) ? moved : likely(moved);
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
    Clamps clamps(vars);
    Contains bare([&](const Expr &node) { return clamps.is_bare(node); });
    return Contains([&](const Expr &node) {
        const Call *load = load_of(node);
        return load && std::any_of(load->args.begin(), load->args.end(),
                                   [&](const Expr &index) { return is_small(index) && bare(index); });
    })(e);
}

Expr with_likely_clamps(const Expr &e, const std::vector<std::string> &vars) {
    return Mark(vars).mutate(e);
}

}  // namespace eutectic
