#include "autodiff/supported.h"

#include "autodiff/expr_tools.h"
#include "autodiff/fast_functions.h"
#include "autodiff/slopes.h"

#include <optional>

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

// Is there a derivative, Halide's or ours?
bool has_derivative(const Call *op, const RuleList &rules) {
    return op->is_intrinsic({Call::likely, Call::likely_if_innermost, Call::abs, Call::lerp}) ||
           slopes_of(op, rules);
}

// A function of the user's own, not one of Halide's math functions, which are named by their type.
bool is_custom(const Call *op) {
    const bool is_extern = op->call_type == Call::PureExtern || op->call_type == Call::Extern ||
                           op->call_type == Call::ExternCPlusPlus;
    const size_t suffix = op->name.rfind("_f");
    const std::string type = suffix == std::string::npos ? "" : op->name.substr(suffix);
    return is_extern && type != "_f16" && type != "_f32" && type != "_f64";
}

// Walks from the value of a definition to the loads, along everything that a gradient passes.
class ValuePath : public IRGraphVisitor {
public:
    ValuePath(const Function &f, const IsActive &is_active, const RuleList &rules)
        : f_(f), is_active_(is_active), rules_(rules) {
    }

    /// Throws where what is read of active values has the gradient 0 everywhere.
    void check_passed() const {
        if (steps_ && !passed_) {
            throw UserError(*steps_);
        }
    }

    bool reads_active(const Expr &e) const {
        for (const Call *call : calls_in(e)) {
            if (call->call_type == Call::Halide && call->name != f_.name() &&
                is_active_(callee(call), call->value_index)) {
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
        if (op->type.is_float() && op->value.type().is_float()) {
            include(op->value);
            return;
        }
        // By itself: what stands in there may stand elsewhere, too, and is seen once.
        ValuePath inside(f_, is_active_, rules_);
        inside.in_steps_ = true;
        op->value.accept(&inside);
        steps_ = steps_ ? steps_ : inside.steps_;
        if (!op->type.is_float() && op->value.type().is_float() && reads_active(op->value)) {
            note_step("casts a value to an integer",
                      "its gradient would be 0 everywhere: leave the input out of gradient_wrt or "
                      "keep the value in floating point");
        } else if (op->type.is_float() && !op->value.type().is_float() && reads_active(op->value)) {
            note_step("makes a value of a condition",
                      "its gradient would be 0 everywhere: leave the input out of gradient_wrt or "
                      "write a differentiable function");
        }
    }
    void visit(const Reinterpret *op) override {
        refuse("reinterpret", op);
    }
    void visit(const Call *op) override {
        if (op->call_type == Call::Halide) {
            check_load(op);
        } else if (op->is_intrinsic(Call::return_second)) {
            include(op->args[1]);
        } else if (op->is_intrinsic(Call::if_then_else)) {
            include(op->args[1]);
            include(op->args[2]);
        } else if (op->call_type != Call::Image && !is_rounding(op)) {
            if (!in_steps_ && !has_derivative(op, rules_) && reads_active(op)) {
                if (is_custom(op)) {
                    throw unsupported(f_, "calls " + op->name + ", for which there is no derivative rule",
                                      "give its slopes as a rule (docs/differentiation.md), or leave the "
                                      "input out of gradient_wrt");
                }
                refuse(op->name, op);
            }
            IRGraphVisitor::visit(op);
        }
    }

    void refuse(const std::string &what, const Expr &e) {
        if (!in_steps_ && reads_active(e)) {
            throw unsupported(
                f_, "applies " + what + " to a value that the gradient passes through",
                "write it with operations that have a derivative, or leave the input out of gradient_wrt");
        }
    }

    void check_load(const Call *op) {
        const Function g = callee(op);
        if (g.name() == f_.name() || !is_active_(g, op->value_index)) {
            return;
        }
        if (op->type.is_float()) {
            passed_ = passed_ || !in_steps_;
        } else {
            note_step("reads the integer values of \"" + tensor_name(g) +
                          "\", which depend on a differentiated input",
                      "leave the input out of gradient_wrt or keep the value in floating point");
        }
    }

    void note_step(const std::string &what, const std::string &remedy) {
        if (!steps_) {
            steps_ = unsupported(f_, what, remedy).what();
        }
    }

    const Function &f_;
    const IsActive &is_active_;
    const RuleList &rules_;
    bool in_steps_ = false;             // within what becomes an integer or a condition
    bool passed_ = false;               // an active value, which a gradient passes to
    std::optional<std::string> steps_;  // an active value that is read in steps: what would be said
};

}  // namespace

UserError unsupported(const Function &f, const std::string &what, const std::string &remedy) {
    return UserError("Func \"" + tensor_name(f) + "\" " + what + ", which autodiff cannot differentiate; " +
                     remedy + ".");
}

UserError unsupported_by_halide(const Function &f, const std::string &message) {
    std::string line = message.substr(0, message.find_last_not_of(" \n.") + 1);
    for (char &c : line) {
        c = c == '\n' ? ' ' : c;
    }
    return unsupported(
        f, "has no derivative in Halide (" + line + ")",
        "rewrite it as sums of products and pointwise functions, or leave the input out of gradient_wrt");
}

void check_written_in_halide(const Function &f) {
    if (f.has_extern_definition()) {
        throw unsupported(f, "has an extern definition",
                          "write it in Halide, or as a call in an expression with a rule for it "
                          "(autodiff/rules/README.md)");
    }
}

void check_supported(const Function &f, const IsActive &is_active, const RuleList &rules, bool zeros) {
    for (int element = 0; element < f.outputs(); element++) {
        if (!f.output_types()[element].is_float()) {
            continue;
        }
        ValuePath path(f, is_active, rules);
        for (const StageBody &body : stage_bodies(f, element)) {
            with_fast_calls(body.value).accept(&path);
        }
        if (!zeros) {
            path.check_passed();
        }
    }
}

}  // namespace eutectic
