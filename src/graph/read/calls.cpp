#include "graph/read/calls.h"

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

namespace {

class FindCall : public IRGraphVisitor {
public:
    explicit FindCall(const std::string &func) : func_(func) {
    }
    bool found = false;

private:
    const std::string &func_;
    using IRGraphVisitor::visit;

    void visit(const Call *op) override {
        found = found || (op->call_type == Call::Halide && op->name == func_);
        IRGraphVisitor::visit(op);
    }
};

}  // namespace

bool calls(const Expr &e, const std::string &func) {
    FindCall find(func);
    e.accept(&find);
    return find.found;
}

}  // namespace eutectic
