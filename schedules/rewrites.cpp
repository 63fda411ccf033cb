#include "schedules/rewrites.h"

#include <map>

#include "base/user_error.h"
#include "graph/late_divisor.h"
#include "graph/row_divisor.h"

namespace eutectic {

using namespace Halide;

namespace {

/** Quotients by `divisor` become products with `reciprocal`. */
class Multiply : public Internal::IRMutator {
public:
    Multiply(const Expr &divisor, const Expr &reciprocal)
        : divisor_(divisor), reciprocal_(reciprocal) {
    }

private:
    const Expr &divisor_, &reciprocal_;
    using IRMutator::visit;

    Expr visit(const Internal::Div *op) override {
        return Internal::equal(op->b, divisor_) ? mutate(op->a) * reciprocal_ : IRMutator::visit(op);
    }
};

}  // namespace

namespace {

/** `property` is "extent" or "min". */
Expr input_size(const Func &input, const std::string &property, int dim) {
    const Internal::Call *load = nullptr;
    if (input.defined() && !input.is_extern() && input.function().has_pure_definition()) {
        load = input.function().definition().values()[0].as<Internal::Call>();
    }
    if (!load || load->call_type != Internal::Call::Image) {
        throw UserError("The " + property + " of " + input.name() + " was asked for as that of an input, but it wraps no buffer: pass the Func that the "
                                                                    "input is called through.");
    }
    if (!load->param.defined()) {
        return property == "min" ? load->image.dim(dim).min() : load->image.dim(dim).extent();
    }
    return Internal::Variable::make(Int(32), load->param.name() + "." + property + "." + std::to_string(dim), load->param);
}

}  // namespace

Expr input_extent(const Func &input, int dim) {
    return input_size(input, "extent", dim);
}

Expr input_min(const Func &input, int dim) {
    return input_size(input, "min", dim);
}

Func multiply_by_reciprocal(Func y) {
    const std::optional<Expr> divisor = row_divisor(y.function());
    if (!divisor) {
        throw UserError("A reciprocal was asked for in " + y.name() + ", which divides by nothing that its innermost dimension leaves unchanged: "
                                                                      "choose a pure Func that divides by one number per row.");
    }
    std::vector<Var> args;
    for (const Var &arg : y.args()) {
        if (Internal::expr_uses_var(*divisor, arg.name())) {
            args.push_back(arg);
        }
    }
    Func reciprocal(y.name() + "_reciprocal");
    reciprocal(args) = Internal::make_one(divisor->type()) / *divisor;
    Expr &value = y.function().definition().values()[0];
    value = Multiply(*divisor, reciprocal(args)).mutate(Internal::substitute_in_all_lets(value));
    return reciprocal;
}

void rename_loop(Func f, int dim, const std::string &name) {
    const std::string old = f.args().at(static_cast<size_t>(dim)).name();
    Internal::StageSchedule &schedule = f.function().definition().schedule();
    for (Internal::Dim &loop : schedule.dims()) {
        if (loop.var == old) {
            loop.var = name;
            schedule.splits().push_back({old, name, "", 1, false, TailStrategy::RoundUp, Internal::Split::RenameVar});
            schedule.touched() = true;
            return;
        }
    }
    throw UserError("The loop over " + old + " of " + f.name() + " was to be called " + name + ", but is split or renamed already: rename it first.");
}

namespace {

/** Of the sum `c`, in the Func `quotient` alone or wherever it is. */
LateDivisor divisor_of(const Func &c, const std::string &quotient) {
    const std::optional<LateDivisor> late = late_divisor(c.function(), quotient);
    if (!late) {
        throw UserError("A division after the sum was asked for in " + c.name() + (quotient.empty() ? "" : ", of what " + quotient + " divides") +
                        ", but it adds no product with a divisor or a factor that its reduction variables leave unchanged: choose a Func with one "
                        "update f(i) += e(k, i) / s(i) * v(k).");
    }
    if (!late->from_zero) {
        throw UserError("A division after the sum was asked for in " + c.name() + ", which does not start at 0, so that its start would be divided too: "
                                                                                  "start it at 0 and add the rest where it is read.");
    }
    return *late;
}

/** The Func of c's values, divided. */
Func divided(Func c, const LateDivisor &late) {
    Func wrapper = c.in();
    std::map<std::string, Expr> arguments;
    for (size_t d = 0; d < wrapper.args().size(); d++) {
        arguments[c.args()[d].name()] = wrapper.args()[d];
    }
    Expr &value = wrapper.function().definition().values()[0];
    value = Internal::substitute(arguments, late.apply(c(c.args())));
    return wrapper;
}

}  // namespace

Func divide_after_reduction(Func c) {
    const LateDivisor late = divisor_of(c, "");
    c.function().update().values()[0] = late.undivided;
    return divided(c, late);
}

Func divide_after_reduction(Func c, Func quotient) {
    const LateDivisor late = divisor_of(c, quotient.name());
    quotient.function().definition().values()[0] = late.numerator;
    return divided(c, late);
}

}  // namespace eutectic
