#include <map>

#include "graph/read/outputs.h"
#include "schedules/elementary/elementary.h"
#include "schedules/rewrites.h"

namespace eutectic {

using namespace Halide;

namespace {

struct Function {
    Type type;  ///< of argument and result
    Expr (*expression)(const Expr &);
};

/** By the names that calls have in Halide's IR: its own, and those of C, which pipelines declare as external
 * functions. */
const std::map<std::string, Function> &functions() {
    static const std::map<std::string, Function> all = {
        {"tanh_f32", {Float(32), elementary::tanh}}, {"sin_f32", {Float(32), elementary::sin}},
        {"cos_f32", {Float(32), elementary::cos}},   {"expm1f", {Float(32), elementary::expm1}},
        {"log1pf", {Float(32), elementary::log1p}},  {"erff", {Float(32), elementary::erf}},
        {"exp_f64", {Float(64), elementary::exp}},   {"log_f64", {Float(64), elementary::log}},
        {"tanh_f64", {Float(64), elementary::tanh}}, {"expm1", {Float(64), elementary::expm1}},
        {"log1p", {Float(64), elementary::log1p}},
    };
    return all;
}

/** What `call` becomes, of arguments that are done; null where it stays. */
const Function *function_of(const Internal::Call *call) {
    const auto found = functions().find(call->name);
    const bool same = found != functions().end() && call->call_type == Internal::Call::PureExtern &&
                      call->args.size() == 1 && call->type == found->second.type &&
                      call->args[0].type() == found->second.type;
    return same ? &found->second : nullptr;
}

class Replace : public Internal::IRGraphMutator {
public:
    bool replaced = false;

protected:
    using IRGraphMutator::visit;

    Expr visit(const Internal::Call *op) override {
        const Expr e = IRGraphMutator::visit(op);
        const auto *call = e.as<Internal::Call>();
        const Function *function = call ? function_of(call) : nullptr;
        replaced = replaced || function;
        return function ? function->expression(call->args[0]) : e;
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

/** Versions of loops have values of their own. */
void vectorize(Internal::Definition &definition) {
    for (std::vector<Expr> *part : {&definition.values(), &definition.args()}) {
        for (Expr &e : *part) {
            Replace replace;
            const Expr made = replace.mutate(e);
            // What a polynomial reads more than once has a name, as Halide gives one where a Func is defined.
            e = replace.replaced ? Internal::common_subexpression_elimination(made) : e;
        }
    }
    for (Internal::Specialization &version : definition.specializations()) {
        vectorize(version.definition);
    }
}

}  // namespace

std::set<std::string> vectorizable_functions(const Pipeline &pipeline) {
    Find find;
    for (auto &[name, function] : Internal::build_environment(output_functions(pipeline))) {
        function.accept(&find);
    }
    return find.names;
}

void vectorize_functions(const Pipeline &pipeline) {
    for (auto &[name, function] : Internal::build_environment(output_functions(pipeline))) {
        if (function.has_pure_definition()) {
            vectorize(function.definition());
        }
        for (int u = 0; u < static_cast<int>(function.updates().size()); u++) {
            vectorize(function.update(u));
        }
    }
}

}  // namespace eutectic
