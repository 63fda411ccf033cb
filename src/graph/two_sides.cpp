#include "graph/two_sides.h"

#include "graph/quotients.h"

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

namespace {

/** Does an index of a load name `var`? */
class LoadsAt : public IRGraphVisitor {
public:
    explicit LoadsAt(const std::string &var)
        : var_(var) {
    }
    bool found = false;

private:
    const std::string &var_;
    using IRGraphVisitor::visit;

    void visit(const Call *op) override {
        for (const Expr &arg : op->args) {
            const bool load = op->call_type == Call::Halide || op->call_type == Call::Image;
            found = found || (load && expr_uses_var(arg, var_));
        }
        IRGraphVisitor::visit(op);
    }
};

bool loads_at(const Expr &e, const std::string &var) {
    LoadsAt loads(var);
    e.accept(&loads);
    return loads.found;
}

class FindChoice : public IRGraphVisitor {
public:
    explicit FindChoice(const std::string &innermost)
        : innermost_(innermost) {
    }
    std::optional<TwoSides> found;

private:
    const std::string &innermost_;
    using IRGraphVisitor::visit;

    bool is_innermost(const Expr &e) const {
        const Variable *v = e.as<Variable>();
        return v && v->name == innermost_;
    }

    /** Where j is a and b is the same for all points: the first j at which the condition `op` is no longer what it is far below. */
    void look(const Select *op, const Expr &a, const Expr &b, bool below, int beyond) {
        if (found || !is_innermost(a) || varies(b) || !loads_at(op->true_value, innermost_) || !loads_at(op->false_value, innermost_)) {
            return;
        }
        const Expr &left = below ? op->true_value : op->false_value, &right = below ? op->false_value : op->true_value;
        found = TwoSides{op, left, right, simplify(b + beyond)};
    }

    void visit(const Select *op) override {
        const Expr condition = solve_expression(simplify(op->condition), innermost_).result;  // j on the left
        if (const LT *lt = condition.as<LT>()) {
            look(op, lt->a, lt->b, true, 0);
        } else if (const LE *le = condition.as<LE>()) {
            look(op, le->a, le->b, true, 1);
        } else if (const GT *gt = condition.as<GT>()) {
            look(op, gt->a, gt->b, false, 1);
        } else if (const GE *ge = condition.as<GE>()) {
            look(op, ge->a, ge->b, false, 0);
        }
        IRGraphVisitor::visit(op);
    }
};

}  // namespace

std::optional<TwoSides> two_sides(const Function &f) {
    if (!f.has_pure_definition() || f.has_update_definition() || f.has_extern_definition() || f.definition().values().size() != 1 || f.args().empty()) {
        return std::nullopt;
    }
    FindChoice find(f.args().front());
    substitute_in_all_lets(f.definition().values()[0]).accept(&find);
    return find.found;
}

}  // namespace eutectic
