#include <algorithm>
#include <map>

#include "schedules/calls/replace_functions.h"
#include "schedules/elementary/elementary.h"
#include "schedules/rewrites.h"

namespace eutectic {

using namespace Halide;

namespace {

using Arguments = std::vector<Expr>;

struct Function {
    Type type;  ///< of arguments and result
    size_t arguments;
    Expr (*expression)(const Arguments &);
};

template<Expr (*function)(const Expr &)>
Expr of_one(const Arguments &arguments) {
    return function(arguments[0]);
}

template<Expr (*function)(const Expr &, const Expr &)>
Expr of_two(const Arguments &arguments) {
    return function(arguments[0], arguments[1]);
}

/** By the names that calls have in Halide's IR: its own, and those of C, which pipelines declare as external
 * functions. */
const std::map<std::string, Function> &functions() {
    static const std::map<std::string, Function> all = {
        {"tanh_f32", {Float(32), 1, of_one<elementary::tanh>}},
        {"sin_f32", {Float(32), 1, of_one<elementary::sin>}},
        {"cos_f32", {Float(32), 1, of_one<elementary::cos>}},
        {"pow_f32", {Float(32), 2, of_two<elementary::pow>}},
        {"expm1f", {Float(32), 1, of_one<elementary::expm1>}},
        {"log1pf", {Float(32), 1, of_one<elementary::log1p>}},
        {"erff", {Float(32), 1, of_one<elementary::erf>}},
        {"exp_f64", {Float(64), 1, of_one<elementary::exp>}},
        {"log_f64", {Float(64), 1, of_one<elementary::log>}},
        {"tanh_f64", {Float(64), 1, of_one<elementary::tanh>}},
        {"expm1", {Float(64), 1, of_one<elementary::expm1>}},
        {"log1p", {Float(64), 1, of_one<elementary::log1p>}},
    };
    return all;
}

/** What `call` becomes, of arguments that are done; null where it stays. */
const Function *function_of(const Internal::Call *call) {
    const auto found = functions().find(call->name);
    if (found == functions().end() || call->call_type != Internal::Call::PureExtern) {
        return nullptr;
    }
    const Function &function = found->second;
    const auto of_its_type = [&](const Expr &e) { return e.type() == function.type; };
    const bool same = call->args.size() == function.arguments && call->type == function.type &&
                      std::all_of(call->args.begin(), call->args.end(), of_its_type);
    return same ? &function : nullptr;
}

class Replace : public Internal::IRGraphMutator {
protected:
    using IRGraphMutator::visit;

    Expr visit(const Internal::Call *op) override {
        const Expr e = IRGraphMutator::visit(op);
        const auto *call = e.as<Internal::Call>();
        const Function *function = call ? function_of(call) : nullptr;
        return function ? function->expression(call->args) : e;
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
};

}  // namespace

std::set<std::string> vectorizable_functions(const Pipeline &pipeline) {
    return names_found<Find>(pipeline);
}

void vectorize_functions(const Pipeline &pipeline) {
    Replace by;
    for_each_definition(pipeline, [&](Internal::Definition &definition) {
        for (std::vector<Expr> *part : {&definition.values(), &definition.args()}) {
            for (Expr &e : *part) {
                replace(e, by);
            }
        }
    });
}

}  // namespace eutectic
