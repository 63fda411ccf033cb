#include "graph/read/order.h"

#include "graph/read/copies.h"
#include "graph/read/product_call.h"

namespace eutectic {

using namespace Halide;
using namespace Halide::Internal;

namespace {

std::string stem(const std::string &name) {
    return name.substr(0, name.find('$'));
}

}  // namespace

void Order::add(const Function &f) {
    if (!begun_.insert(f.name()).second) {
        return;
    }
    const auto visit_all = [&](const std::vector<Expr> &es) {
        for (const Expr &e : es) {
            include(e);
        }
    };
    if (f.has_pure_definition()) {
        visit_all(f.definition().values());
    }
    for (const Definition &u : f.updates()) {
        visit_all(u.values());
        visit_all(u.args());
        include(u.predicate());
    }
    for (const ExternFuncArgument &a : f.extern_arguments()) {
        if (a.is_func()) {
            add(Function(a.func));
        } else if (a.is_expr()) {
            include(a.expr);
        } else if (product_call(f) && !operand_of(a, functions.elements())) {
            add(*wrapper_of(a));
        }
    }
    stems_[stem(f.name())]++;
    ids[f.name()] = functions.next_id();
    functions.push_back(f);
}

std::string Order::plain_name(const std::string &name) const {
    const auto same = stems_.find(stem(name));
    return same != stems_.end() && same->second == 1 ? stem(name) : name;
}

Table<FuncId, std::string> Order::readable_names() const {
    Table<FuncId, std::string> names;
    std::set<std::string> taken;
    for (const Function &f : functions) {
        names.push_back(plain_name(f.name()));
        taken.insert(names.elements().back());
    }
    for (const FuncId f : names.ids()) {
        const std::string called = input_name(functions[f], names[f]);
        if (called.empty()) {
            continue;
        }
        names[f] = called;
        for (int n = 2; !taken.insert(names[f]).second; n++) {
            names[f] = called + std::to_string(n);
        }
    }
    return names;
}

void Order::visit(const Call *op) {
    if (op->call_type == Call::Halide && op->func.defined()) {
        add(Function(op->func));
    }
    IRGraphVisitor::visit(op);
}

}  // namespace eutectic
