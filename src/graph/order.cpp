#include "graph/order.h"

#include <algorithm>

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

void Order::add(const Function &f) {
    if (ids.count(f.name()) || std::find(open_.begin(), open_.end(), f.name()) != open_.end()) {
        return;
    }
    open_.push_back(f.name());
    const auto visit_all = [&](const std::vector<Expr> &es) {
        for (const Expr &e : es) {
            e.accept(this);
        }
    };
    if (f.has_pure_definition()) {
        visit_all(f.definition().values());
    }
    for (const Definition &u : f.updates()) {
        visit_all(u.values());
        visit_all(u.args());
        u.predicate().accept(this);
    }
    for (const ExternFuncArgument &a : f.extern_arguments()) {
        if (a.is_func()) {
            add(Function(a.func));
        } else if (a.is_expr()) {
            a.expr.accept(this);
        }
    }
    open_.pop_back();
    ids[f.name()] = static_cast<FuncId>(functions.size());
    functions.push_back(f);
}

std::string Order::plain_name(const std::string &name) const {
    const auto stem = [](const std::string &n) { return n.substr(0, n.find('$')); };
    const auto same = [&](const Function &f) { return stem(f.name()) == stem(name); };
    return std::count_if(functions.begin(), functions.end(), same) == 1 ? stem(name) : name;
}

void Order::visit(const Call *op) {
    if (op->call_type == Call::Halide && op->func.defined()) {
        add(Function(op->func));
    }
    IRVisitor::visit(op);
}

}  // namespace eutectic
