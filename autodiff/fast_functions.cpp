#include "autodiff/fast_functions.h"

#include <map>
#include <string>
#include <vector>

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

/// What a function of Halide's writes, of arguments that stand for any expression.
struct Written {
    std::string call;
    std::vector<std::string> arguments;
    Expr body;
};

// The longest first: a power is the exponential of a logarithm.
const std::vector<Written> &written() {
    static const Expr x = Variable::make(Float(32), "x"), y = Variable::make(Float(32), "y");
    static const std::vector<Written> all{
        {"fast_pow_f32", {"x", "y"}, substitute_in_all_lets(fast_pow(x, y))},
        {"fast_exp_f32", {"x"}, substitute_in_all_lets(fast_exp(x))},
        {"fast_log_f32", {"x"}, substitute_in_all_lets(fast_log(x))},
    };
    return all;
}

class FastCalls : public IRGraphMutator {
public:
    using IRGraphMutator::mutate;

    Expr mutate(const Expr &e) override {
        for (const Written &function : written()) {
            std::map<std::string, Expr> found;
            if (e.type() == function.body.type() && expr_match(function.body, e, found)) {
                std::vector<Expr> args;
                for (const std::string &argument : function.arguments) {
                    args.push_back(mutate(found.at(argument)));
                }
                return Call::make(e.type(), function.call, args, Call::PureExtern);
            }
        }
        return IRGraphMutator::mutate(e);
    }
};

class WrittenOut : public IRGraphMutator {
    using IRGraphMutator::visit;

    Expr visit(const Call *op) override {
        const Expr e = IRGraphMutator::visit(op);
        const Call *call = e.as<Call>();
        const std::vector<Expr> &a = call->args;
        return call->name == "fast_exp_f32"   ? substitute_in_all_lets(fast_exp(a[0]))
               : call->name == "fast_log_f32" ? substitute_in_all_lets(fast_log(a[0]))
               : call->name == "fast_pow_f32" ? substitute_in_all_lets(fast_pow(a[0], a[1]))
                                              : e;
    }
};

}  // namespace

Expr without_fast_calls(const Expr &e) {
    return WrittenOut().mutate(e);
}

Expr with_fast_calls(const Expr &e) {
    return FastCalls().mutate(e);
}

}  // namespace eutectic
