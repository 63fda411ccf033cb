#include "autodiff/supported.h"

#include "autodiff/expr_tools.h"

#include <set>

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

using IsActive = std::function<bool(const Function &)>;

// The math functions and intrinsics that propagate_adjoints differentiates.
bool has_derivative(const Call *op) {
    static const std::set<std::string> names{"exp", "log", "sin", "asin", "cos", "acos", "tan", "atan",
                                             "atan2", "sinh", "asinh", "cosh", "acosh", "tanh", "atanh", "sqrt",
                                             "pow", "fast_inverse", "fast_inverse_sqrt"};
    if (op->is_intrinsic({Call::likely, Call::likely_if_innermost, Call::abs, Call::lerp})) {
        return true;
    }
    const size_t suffix = op->name.rfind("_f");
    return suffix != std::string::npos && names.count(op->name.substr(0, suffix)) != 0;
}

// Walks from the value of a definition to the loads, along everything that a gradient passes.
class ValuePath : public IRGraphVisitor {
public:
    ValuePath(const Function &f, const IsActive &is_active)
        : f_(f), is_active_(is_active) {
    }

    bool reads_active(const Expr &e) const {
        for (const Call *call : calls_in(e)) {
            if (call->call_type == Call::Halide && call->name != f_.name() && is_active_(callee(call))) {
                return true;
            }
        }
        return false;
    }

private:
    using IRGraphVisitor::visit;

    void visit(const Select *op) override {
        include(op->true_value);
        include(op->false_value);
    }
    void visit(const Cast *op) override {
        if (!op->type.is_float() && op->value.type().is_float() && reads_active(op->value)) {
            throw unsupported(f_, "casts a value to an integer",
                              "its gradient would be 0 everywhere: leave the input out of gradient_wrt or keep the value in floating point");
        }
        include(op->value);
        if (op->type.is_float() && !op->value.type().is_float() && reads_active(op->value)) {
            throw unsupported(f_, "makes a value of a condition",
                              "its gradient would be 0 everywhere: leave the input out of gradient_wrt or write a differentiable function");
        }
    }
    void visit(const Reinterpret *op) override {
        refuse("reinterpret", op);
    }
    void visit(const Mod *op) override {
        refuse("%", op);
    }
    void visit(const Call *op) override {
        if (op->call_type == Call::Halide) {
            check_load(op);
        } else if (op->call_type != Call::Image) {
            if (!has_derivative(op) && reads_active(op)) {
                refuse(op->name, op);
            }
            IRGraphVisitor::visit(op);
        }
    }

    void refuse(const std::string &what, const Expr &e) {
        if (reads_active(e)) {
            throw unsupported(f_, "applies " + what + " to a value that the gradient passes through",
                              "write it with operations that have a derivative, or leave the input out of gradient_wrt");
        }
    }

    void check_load(const Call *op) {
        const Function g = callee(op);
        if (g.name() == f_.name() || !is_active_(g)) {
            return;
        }
        if (!op->type.is_float()) {
            throw unsupported(f_, "reads the integer values of \"" + tensor_name(g) + "\", which depend on a differentiated input",
                              "leave the input out of gradient_wrt or keep the value in floating point");
        }
        if (g.outputs() != 1) {
            throw unsupported(g, "is tuple-valued", "write one Func for each element");
        }
    }

    const Function &f_;
    const IsActive &is_active_;
};

// How an update reads the value that it replaces.
class PreviousValue {
public:
    PreviousValue(const Function &f, const StageBody &update, const ValuePath &path)
        : f_(f), update_(update), path_(path) {
    }

    void check() const {
        for (const Call *call : calls_in(update_.value)) {
            if (call->name == f_.name() && !is_previous(Expr(call))) {
                throw unsupported(f_, "is a scan, an update that reads its own values at other points",
                                  "write it as a sum over a reduction domain");
            }
        }
        if (const Add *add = update_.value.as<Add>()) {
            if ((is_previous(add->a) && !reads_self(add->b)) || (is_previous(add->b) && !reads_self(add->a))) {
                return;  // a sum, whatever its order
            }
        }
        if (!is_linear(update_.value)) {
            throw unsupported(f_, "has an update that is not linear in the value that it replaces",
                              "keep the earlier values in a Func of their own");
        }
        if (!each_point_once()) {
            throw unsupported(f_, "has an update that replaces one value several times", "write it as a sum over a reduction domain");
        }
    }

private:
    bool is_previous(const Expr &e) const {
        const Call *call = e.as<Call>();
        if (!call || call->name != f_.name()) {
            return false;
        }
        for (size_t d = 0; d < call->args.size(); d++) {
            if (!graph_equal(call->args[d], update_.args[d])) {
                return false;
            }
        }
        return true;
    }
    bool reads_self(const Expr &e) const {
        for (const Call *call : calls_in(e)) {
            if (call->name == f_.name()) {
                return true;
            }
        }
        return false;
    }
    // A sum of the previous value times what the gradient does not pass through, and anything without the previous value.
    bool is_linear(const Expr &e) const {
        if (!reads_self(e) || is_previous(e)) {
            return true;
        }
        const auto is_factor = [&](const Expr &c) { return !reads_self(c) && !path_.reads_active(c); };
        if (const Add *op = e.as<Add>()) {
            return is_linear(op->a) && is_linear(op->b);
        }
        if (const Sub *op = e.as<Sub>()) {
            return is_linear(op->a) && is_linear(op->b);
        }
        if (const Mul *op = e.as<Mul>()) {
            return (is_linear(op->a) && is_factor(op->b)) || (is_linear(op->b) && is_factor(op->a));
        }
        if (const Div *op = e.as<Div>()) {
            return is_linear(op->a) && is_factor(op->b);
        }
        if (const Select *op = e.as<Select>()) {
            return !reads_self(op->condition) && is_linear(op->true_value) && is_linear(op->false_value);
        }
        return false;
    }
    // Every reduction variable is an argument of the left-hand side by itself.
    bool each_point_once() const {
        for (const ReductionVariable &v : update_.rvars) {
            bool found = false;
            for (const Expr &arg : update_.args) {
                const Variable *plain = arg.as<Variable>();
                found = found || (plain && plain->name == v.var);
            }
            if (!found) {
                return false;
            }
        }
        return true;
    }

    const Function &f_;
    const StageBody &update_;
    const ValuePath &path_;
};

}  // namespace

UserError unsupported(const Function &f, const std::string &what, const std::string &remedy) {
    return UserError("Func \"" + tensor_name(f) + "\" " + what + ", which autodiff cannot differentiate; " + remedy + ".");
}

UserError unsupported_by_halide(const Function &f, const std::string &message) {
    std::string line = message.substr(0, message.find_last_not_of(" \n.") + 1);
    for (char &c : line) {
        c = c == '\n' ? ' ' : c;
    }
    return unsupported(f, "has no derivative in Halide (" + line + ")",
                       "rewrite it as sums of products and pointwise functions, or leave the input out of gradient_wrt");
}

void check_supported(const Function &f, const IsActive &is_active) {
    if (f.has_extern_definition()) {
        throw unsupported(f, "has an extern definition", "write it in Halide");
    }
    if (f.outputs() != 1) {
        throw unsupported(f, "is tuple-valued", "write one Func for each element");
    }
    const std::vector<StageBody> bodies = stage_bodies(f);
    for (const StageBody &body : bodies) {
        for (const Expr &condition : body.predicate) {
            for (const std::string &v : f.args()) {
                if (uses_variable(condition, v)) {
                    throw unsupported(f, "has a reduction whose predicate mentions the pure variable " + v,
                                      "move the condition into the value with select()");
                }
            }
        }
        ValuePath path(f, is_active);
        body.value.accept(&path);
        if (&body != &bodies.front()) {
            PreviousValue(f, body, path).check();
        }
    }
}

}  // namespace eutectic
