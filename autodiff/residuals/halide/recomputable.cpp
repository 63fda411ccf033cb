#include "autodiff/residuals/halide/recomputable.h"

#include "autodiff/expr_tools.h"

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

class FindCalls : public IRGraphVisitor {
public:
    bool has_function = false, may_differ = false;

private:
    using IRGraphVisitor::visit;
    void visit(const Call *op) override {
        IRGraphVisitor::visit(op);
        has_function = has_function || op->call_type == Call::PureExtern || op->call_type == Call::Extern;
        may_differ = may_differ || op->call_type == Call::Extern || op->is_intrinsic(Call::random);
    }
};

FindCalls calls_of(const Function &f) {
    FindCalls find;
    for (const Expr &value : f.values()) {
        value.accept(&find);
    }
    for (const Definition &update : f.updates()) {
        for (const Expr &value : update.values()) {
            value.accept(&find);
        }
    }
    return find;
}

// Does f, or what it reads, load a buffer?
bool reads_buffer(const Function &f, std::set<std::string> &seen) {
    if (!seen.insert(f.name()).second) {
        return false;
    }
    const Parameter p = input_of(f);
    if (p.defined()) {
        return p.is_buffer();
    }
    if (f.has_extern_definition()) {
        return true;
    }
    bool reads = false;
    for (int element = 0; element < f.outputs(); element++) {
        for (const StageBody &body : stage_bodies(f, element)) {
            for_each_call(body, [&](const Call *call) {
                reads = reads || call->call_type == Call::Image || reads_buffer(callee(call), seen);
            });
        }
    }
    return reads;
}

}  // namespace

Verdict may_recompute(const Function &f) {
    if (f.has_extern_definition() || !f.has_pure_definition()) {
        return Verdict::forbid("it is an extern stage, which is not called again");
    }
    if (calls_of(f).may_differ) {
        return Verdict::forbid("it calls what may give another value when it is called again");
    }
    return Verdict::allow();
}

bool is_cheap_body(const Function &f) {
    return f.has_pure_definition() && !f.has_update_definition() && f.outputs() == 1 &&
           !calls_of(f).has_function;
}

bool is_decided_by_tensors(const Function &f) {
    std::set<std::string> seen;
    return reads_buffer(f, seen);
}

void for_each_call(const StageBody &body, const std::function<void(const Call *)> &visit) {
    std::vector<Expr> all = body.args;
    all.push_back(body.value);
    all.insert(all.end(), body.predicate.begin(), body.predicate.end());
    for (const Expr &e : all) {
        for (const Call *call : calls_in(e)) {
            visit(call);
        }
    }
}

std::set<std::pair<std::string, int>> loads_of(const Function &f) {
    std::set<std::pair<std::string, int>> loads;
    for (int element = 0; element < f.outputs(); element++) {
        for (const StageBody &body : stage_bodies(f, element)) {
            for_each_call(body, [&](const Call *call) {
                if (call->call_type == Call::Halide && call->name != f.name() &&
                    !input_of(callee(call)).defined()) {
                    loads.insert({call->name, call->value_index});
                }
            });
        }
    }
    return loads;
}

}  // namespace eutectic
