#include "autodiff/contract/sizes.h"

#include <cctype>

using namespace Halide;
using namespace Halide::Internal;

namespace eutectic {

namespace {

// How tightly an operator binds.
enum Level { choice, disjunction, conjunction, comparison, sum, product, atom };

class SizeWriter {
public:
    explicit SizeWriter(const SizeStyle &style) : style_(style) {
    }

    // `e` where only what binds as tightly as `level` stands without parentheses.
    std::string write(const Expr &e, Level level) {
        if (const Cast *op = e.as<Cast>()) {
            if (op->type.is_int_or_uint() && op->value.type().is_int_or_uint() &&
                op->type.bits() >= op->value.type().bits()) {
                return write(op->value, level);
            }
            return fail();
        }
        if (const Call *op = e.as<Call>()) {
            return op->is_intrinsic({Call::likely, Call::likely_if_innermost}) ? write(op->args[0], level)
                                                                               : fail();
        }
        const auto [text, binds] = write_operator(e);
        return binds < level ? "(" + text + ")" : text;
    }

    bool failed = false;

private:
    using Text = std::pair<std::string, Level>;

    std::string fail() {
        failed = true;
        return "";
    }

    template<typename Op>
    Text infix(const Op *op, const char *sign, Level level) {
        return {write(op->a, level) + " " + sign + " " + write(op->b, static_cast<Level>(level + 1)), level};
    }

    template<typename Op>
    Text call(const Op *op, const char *name) {
        return {std::string(name) + "(" + write(op->a, choice) + ", " + write(op->b, choice) + ")", atom};
    }

    Text write_operator(const Expr &e) {
        if (const auto value = as_const_int(e)) {
            return {std::to_string(*value), *value < 0 ? product : atom};
        }
        if (const auto positive = as_const_uint(e)) {
            return {std::to_string(*positive), atom};
        }
        if (const Variable *op = e.as<Variable>()) {
            return {variable(op), atom};
        }
        if (const Add *op = e.as<Add>()) {
            const auto less = as_const_int(op->b);
            return less && *less < 0 ? Text{write(op->a, sum) + " - " + std::to_string(-*less), sum}
                                     : infix(op, "+", sum);
        }
        if (const Sub *op = e.as<Sub>()) {
            return infix(op, "-", sum);
        }
        if (const Mul *op = e.as<Mul>()) {
            return infix(op, "*", product);
        }
        if (const Div *op = e.as<Div>()) {
            return style_.is_code ? call(op, "quotient") : infix(op, "/", product);
        }
        if (const Mod *op = e.as<Mod>()) {
            return style_.is_code ? call(op, "remainder") : infix(op, "%", product);
        }
        if (const Min *op = e.as<Min>()) {
            return call(op, style_.is_code ? "std::min<int>" : "min");
        }
        if (const Max *op = e.as<Max>()) {
            return call(op, style_.is_code ? "std::max<int>" : "max");
        }
        if (const Select *op = e.as<Select>()) {
            return {write(op->condition, disjunction) + " ? " + write(op->true_value, disjunction) + " : " +
                        write(op->false_value, disjunction),
                    choice};
        }
        return write_condition(e);
    }

    Text write_condition(const Expr &e) {
        if (const Or *op = e.as<Or>()) {
            return infix(op, "||", disjunction);
        }
        if (const And *op = e.as<And>()) {
            return infix(op, "&&", conjunction);
        }
        if (const Not *op = e.as<Not>()) {
            return {"!" + write(op->a, atom), atom};
        }
        if (const EQ *op = e.as<EQ>()) {
            return infix(op, "==", comparison);
        }
        if (const NE *op = e.as<NE>()) {
            return infix(op, "!=", comparison);
        }
        if (const LT *op = e.as<LT>()) {
            return infix(op, "<", comparison);
        }
        if (const LE *op = e.as<LE>()) {
            return infix(op, "<=", comparison);
        }
        if (const GT *op = e.as<GT>()) {
            return infix(op, ">", comparison);
        }
        if (const GE *op = e.as<GE>()) {
            return infix(op, ">=", comparison);
        }
        return {fail(), atom};
    }

    std::string variable(const Variable *op) {
        if (!op->param.defined() || !op->type.is_int_or_uint()) {
            return fail();
        }
        if (!op->param.is_buffer()) {
            return style_.variable(op->param.name(), "", 0);
        }
        const size_t last = op->name.rfind('.'), middle = last == std::string::npos || last == 0
                                                              ? std::string::npos
                                                              : op->name.rfind('.', last - 1);
        const std::string what =
            middle == std::string::npos ? "" : op->name.substr(middle + 1, last - middle - 1);
        return what == "min" || what == "extent"
                   ? style_.variable(op->param.name(), what, std::stoi(op->name.substr(last + 1)))
                   : fail();
    }

    const SizeStyle &style_;
};

}  // namespace

std::string argument_identifier(const std::string &name, bool is_buffer) {
    std::string text = "_";
    for (const char c : name) {
        text += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    }
    return text + (is_buffer ? "_buffer" : "");
}

SizeStyle people() {
    return {[](const std::string &argument, const std::string &what, int d) {
                return what.empty() ? argument : argument + "." + what + "(" + std::to_string(d) + ")";
            },
            false};
}

SizeStyle code() {
    return {[](const std::string &argument, const std::string &what, int d) {
                return what.empty()
                           ? argument_identifier(argument, false)
                           : argument_identifier(argument, true) + "->dim[" + std::to_string(d) + "]." + what;
            },
            true};
}

std::optional<std::string> size_text(const Expr &e, const SizeStyle &style) {
    SizeWriter writer(style);
    const std::string text = writer.write(substitute_in_all_lets(e), choice);
    return writer.failed ? std::nullopt : std::optional<std::string>(text);
}

}  // namespace eutectic
