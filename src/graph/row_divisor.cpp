#include "graph/row_divisor.h"

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

namespace {

class FindDivisor : public IRVisitor {
public:
    explicit FindDivisor(const std::string &innermost)
        : innermost_(innermost) {
    }
    std::optional<Expr> divisor;

private:
    const std::string &innermost_;
    using IRVisitor::visit;

    void visit(const Div *op) override {
        if (!divisor && op->type.is_float() && !is_const(op->b) && !expr_uses_var(op->b, innermost_)) {
            divisor = op->b;
        }
        IRVisitor::visit(op);
    }
};

}  // namespace

std::optional<Expr> row_divisor(const Function &f) {
    if (!f.has_pure_definition() || f.has_update_definition() || f.has_extern_definition() || f.definition().values().size() != 1 || f.args().empty()) {
        return std::nullopt;
    }
    FindDivisor find(f.args().front());
    substitute_in_all_lets(f.definition().values()[0]).accept(&find);
    return find.divisor;
}

}  // namespace eutectic
