#include "graph/read/calls.h"

#include "graph/read/shared.h"

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

const Call *load_of(const Expr &e) {
    const Call *call = e.as<Call>();
    return call && (call->call_type == Call::Halide || call->call_type == Call::Image) ? call : nullptr;
}

bool depends_on_data(const Expr &e) {
    return Contains([](const Expr &node) { return load_of(node) != nullptr; })(e);
}

bool calls(const Expr &e, const std::string &func) {
    FindCall find(func);
    e.accept(&find);
    return find.found;
}

}  // namespace eutectic
