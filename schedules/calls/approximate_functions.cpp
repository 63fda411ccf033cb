#include <map>

#include "schedules/calls/replace_functions.h"
#include "schedules/elementary/approximate.h"
#include "schedules/rewrites.h"

namespace eutectic {

using namespace Halide;

namespace {

using OfOne = Expr (*)(const Expr &, const approximate::Instructions &);

/** By the names that calls have in Halide's IR; null: it is left as it is. */
OfOne function_of(const Internal::Call *call) {
    static const std::map<std::string, OfOne> all = {
        {"exp_f32", approximate::exp}, {"log_f32", approximate::log}, {"tanh_f32", approximate::tanh}};
    const auto found = all.find(call->name);
    const bool known = found != all.end() && call->call_type == Internal::Call::PureExtern &&
                       call->args.size() == 1 && call->args[0].type() == Float(32) && call->type == Float(32);
    return known ? found->second : nullptr;
}

/** Is it a division that takes more than a product? By a constant LLVM multiplies where that is exact, and
 * otherwise what there is keeps its bits. */
bool divides(const Internal::Div *op) {
    return op->type == Float(32) && !Internal::is_const(op->b);
}

class Approximate : public Internal::IRGraphMutator {
protected:
    using IRGraphMutator::visit;

    Expr visit(const Internal::Call *op) override {
        const Expr e = IRGraphMutator::visit(op);
        const auto *call = e.as<Internal::Call>();
        const OfOne function = call ? function_of(call) : nullptr;
        return function ? function(call->args[0], approximate::of_cuda()) : e;
    }

    Expr visit(const Internal::Div *op) override {
        const Expr e = IRGraphMutator::visit(op);
        const auto *quotient = e.as<Internal::Div>();
        return quotient && divides(quotient) ? approximate::of_cuda().div(quotient->a, quotient->b) : e;
    }
};

class Find : public Internal::IRGraphVisitor {
public:
    std::set<std::string> names;

protected:
    using IRGraphVisitor::visit;

    void visit(const Internal::Call *op) override {
        if (function_of(op)) {
            names.insert(op->name);
        }
        IRGraphVisitor::visit(op);
    }

    void visit(const Internal::Div *op) override {
        if (divides(op)) {
            names.insert("division");
        }
        IRGraphVisitor::visit(op);
    }
};

}  // namespace

std::set<std::string> approximable_functions(const Pipeline &pipeline) {
    return names_found<Find>(pipeline);
}

void approximate_functions(const Pipeline &pipeline) {
    Approximate by;
    for_each_definition(pipeline, [&](Internal::Definition &definition) {
        // Places are left as they are: no value is worth reading another element for.
        for (Expr &e : definition.values()) {
            replace(e, by);
        }
    });
}

}  // namespace eutectic
