#include "apps/eutectic/rounding.h"

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

namespace {

/** Each node once: expressions share. */
class FindsRounding : public IRGraphVisitor {
public:
    bool found = false;

private:
    using IRGraphVisitor::visit;

    void visit(const Cast *op) override {
        found = found || (op->value.type().is_float() && !op->type.is_float());
        IRGraphVisitor::visit(op);
    }
};

}  // namespace

bool rounds_floats(const Func &output) {
    FindsRounding find;
    for (const auto &[name, f] : build_environment({output.function()})) {
        f.accept(&find);
    }
    return find.found;
}

}  // namespace eutectic
