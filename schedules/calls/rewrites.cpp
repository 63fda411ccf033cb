#include "schedules/rewrites.h"

#include <algorithm>
#include <map>

#include "base/user_error.h"
#include "graph/read/assigned_region.h"
#include "graph/read/clamps.h"
#include "graph/read/late_divisor.h"
#include "graph/read/measured_buffers.h"
#include "graph/read/outputs.h"
#include "graph/read/quotients.h"
#include "graph/read/row_divisor.h"
#include "graph/read/shared.h"

namespace eutectic {

using namespace Halide;

namespace {

/** Quotients by `divisor` become products with `reciprocal`. */
class Multiply : public Internal::IRGraphMutator {
public:
    Multiply(const Expr &divisor, const Expr &reciprocal) : divisor_(divisor), reciprocal_(reciprocal) {
    }

private:
    const Expr &divisor_, &reciprocal_;
    using IRGraphMutator::visit;

    Expr visit(const Internal::Div *op) override {
        const bool same = Internal::graph_equal(op->b, divisor_);
        return same ? mutate(op->a) * reciprocal_ : IRGraphMutator::visit(op);
    }
};

/** The dimension of a buffer whose index is that argument of the Func that wraps it; -1: none is. */
int dimension_read_by(const Internal::Call &load, const std::string &argument) {
    for (size_t d = 0; d < load.args.size(); d++) {
        const auto *index = load.args[d].as<Internal::Variable>();
        if (index && index->name == argument) {
            return static_cast<int>(d);
        }
    }
    return -1;
}

/** The load of a buffer that is all that `input` does, or null. */
const Internal::Call *wrapped_load(const Func &input) {
    const Internal::Call *load = nullptr;
    if (input.defined() && !input.is_extern() && input.function().has_pure_definition()) {
        load = input.function().definition().values()[0].as<Internal::Call>();
    }
    return load && load->call_type == Internal::Call::Image ? load : nullptr;
}

/** `property` is "extent", "min" or "stride". */
Expr input_size(const Func &input, const std::string &property, int dim) {
    const Internal::Call *load = wrapped_load(input);
    if (!load) {
        throw UserError("The " + property + " of " + input.name() +
                        " was asked for as that of an input, but it wraps no buffer: pass the Func that the "
                        "input is called through.");
    }
    if (!load->param.defined()) {
        const auto d = load->image.dim(dim);
        return property == "min" ? d.min() : property == "stride" ? d.stride() : d.extent();
    }
    dim = dimension_read_by(*load, input.args()[dim].name());
    if (dim < 0) {
        throw UserError("The " + property + " of " + input.name() +
                        " was asked for, which is read in panels and does not tell it: leave it as it is.");
    }
    return Internal::Variable::make(Int(32), load->param.name() + "." + property + "." + std::to_string(dim),
                                    load->param);
}

}  // namespace

Expr input_extent(const Func &input, int dim) {
    return input_size(input, "extent", dim);
}

Expr input_min(const Func &input, int dim) {
    return input_size(input, "min", dim);
}

Expr input_stride(const Func &input, int dim) {
    return input_size(input, "stride", dim);
}

std::vector<Func> measured_buffers(const Pipeline &pipeline) {
    std::vector<Func> found;
    for (const Internal::Function &f : measured_buffers(output_functions(pipeline))) {
        found.emplace_back(f);
    }
    return found;
}

Expr rows_at_multiples(const Func &func, int dim, int elements) {
    if (wrapped_load(func)) {
        return input_stride(func, dim) % elements == 0;
    }
    Expr all;
    for (OutputImageParam &buffer : Func(func).output_buffers()) {  // one of each value of a Tuple
        const Expr here = buffer.dim(dim).stride() % elements == 0;
        all = all.defined() ? all && here : here;
    }
    return all;
}

Expr on_device_at_multiple(const Func &func, int bytes) {
    using namespace Internal;
    const Internal::Call *load = wrapped_load(func);
    if (load && !load->param.defined()) {
        return const_true();  // the pipeline's own, which it copies to where devices begin buffers
    }
    std::vector<Parameter> buffers;
    if (load) {
        buffers.push_back(load->param);
    } else {
        for (const OutputImageParam &buffer : Func(func).output_buffers()) {
            buffers.push_back(buffer.parameter());
        }
    }
    Expr all;
    for (const Parameter &buffer : buffers) {
        const Expr handle = Variable::make(type_of<halide_buffer_t *>(), buffer.name() + ".buffer", buffer);
        const Expr address = Internal::Call::make(UInt(64), Internal::Call::buffer_get_device, {handle},
                                                  Internal::Call::PureExtern);
        const Expr here = address % make_const(UInt(64), bytes) == make_const(UInt(64), 0);
        all = all.defined() ? all && here : here;
    }
    return all;
}

Expr fitted_step(const Expr &extent, int size, int turns, int beyond) {
    const Expr of_all = (extent + (beyond + turns - 1)) / turns;
    return min(size, max(1, beyond > 0 ? min(extent, of_all) : of_all));
}

Func multiply_by_reciprocal(Func y) {
    const std::optional<Expr> divisor = row_divisor(y.function());
    if (!divisor) {
        throw UserError("A reciprocal was asked for in " + y.name() +
                        ", which divides by nothing that its innermost dimension leaves unchanged: "
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
    value = with_lets(Multiply(*divisor, reciprocal(args)).mutate(without_lets(value)));
    return reciprocal;
}

namespace {

class MultiplyForQuotients : public Internal::IRGraphMutator {
    using IRGraphMutator::visit;

    /** floor(a / |b|), 0 where b is 0. */
    static Expr floor_quotient(const Expr &a, const Expr &b) {
        const Expr a_var = Internal::Variable::make(Int(32), "dividend");  // strict_float() walks every path
        const Expr b_var = Internal::Variable::make(Int(32), "divisor");
        const Expr one = Internal::make_one(Float(64)), zero = Internal::make_zero(Float(64));
        const Expr inverse = select(b_var == 0, zero, one / abs(cast<double>(b_var)));
        const Expr quotient = cast<int32_t>(floor(strict_float((cast<double>(a_var) + Expr(0.5)) * inverse)));
        return substitute_shared({{"dividend", a}, {"divisor", b}}, quotient);
    }

    Expr visit(const Internal::Div *op) override {
        const Expr same = IRGraphMutator::visit(op);
        if (!divides_by_run_time_number(op)) {
            return same;
        }
        const Expr a = mutate(op->a), quotient = floor_quotient(a, op->b);
        return unsafe_promise_clamped(select(op->b < 0, -quotient, quotient), same, same);
    }

    Expr visit(const Internal::Mod *op) override {
        const Expr same = IRGraphMutator::visit(op);
        if (!divides_by_run_time_number(op)) {
            return same;
        }
        const Expr a = mutate(op->a), quotient = floor_quotient(a, op->b);
        const Expr product = select(op->b < 0, -quotient, quotient) * op->b;
        return unsafe_promise_clamped(select(op->b == 0, 0, a - product), same, same);
    }
};

/** `change`, of an expression without lets, of all that a definition computes and of where it puts that. */
template<typename Change>
void change_definitions(Func f, const Change &change) {
    const auto in = [&](Internal::Definition &definition) {
        const auto replace = [&](Expr &e) {
            if (e.defined()) {
                e = change(e);
            }
        };
        std::for_each(definition.values().begin(), definition.values().end(), replace);
        std::for_each(definition.args().begin(), definition.args().end(), replace);
        replace(definition.predicate());
    };
    in(f.function().definition());
    for (int u = 0; u < f.num_update_definitions(); u++) {
        in(f.function().update(u));
    }
}

}  // namespace

void multiply_for_quotients(Func f) {
    change_definitions(f, [](const Expr &e) {
        return run_time_quotients({e}).empty() ? e
                                               : with_lets(MultiplyForQuotients().mutate(without_lets(e)));
    });
}

void mark_likely_clamps(Func f) {
    const std::vector<std::string> args = f.function().args();
    change_definitions(f, [&](const Expr &e) {
        const Expr whole = without_lets(e);
        return has_bare_clamps(whole, args) ? with_lets(with_likely_clamps(whole, args)) : e;
    });
}

void rename_loop(Func f, int dim, const std::string &name) {
    const std::string old = f.args().at(dim).name();
    Internal::StageSchedule &schedule = f.function().definition().schedule();
    for (Internal::Dim &loop : schedule.dims()) {
        if (loop.var == old) {
            loop.var = name;
            schedule.splits().push_back(
                {old, name, "", 1, false, TailStrategy::RoundUp, Internal::Split::RenameVar});
            schedule.touched() = true;
            return;
        }
    }
    throw UserError("The loop over " + old + " of " + f.name() + " was to be called " + name +
                    ", but is split or renamed already: rename it first.");
}

namespace {

/** What f.in() is of, over f's own arguments. */
Func wrapped(Func f, const Expr &value) {
    Func wrapper = f.in();
    std::map<std::string, Expr> arguments;
    for (size_t d = 0; d < wrapper.args().size(); d++) {
        arguments[f.args()[d].name()] = wrapper.args()[d];
    }
    wrapper.function().definition().values()[0] = Internal::substitute(arguments, with_lets(value));
    return wrapper;
}

/** Of the sum `c`, in the Func `quotient` alone or wherever it is. */
LateDivisor divisor_of(const Func &c, const std::string &quotient) {
    const std::optional<LateDivisor> late = late_divisor(c.function(), quotient);
    if (!late) {
        throw UserError("A division after the sum was asked for in " + c.name() +
                        (quotient.empty() ? "" : ", of what " + quotient + " divides") +
                        ", but it adds no product with a divisor or a factor that its reduction variables "
                        "leave unchanged: choose a Func with one "
                        "update f(i) += e(k, i) / s(i) * v(k).");
    }
    if (!late->from_zero) {
        throw UserError("A division after the sum was asked for in " + c.name() +
                        ", which does not start at 0, so that its start would be divided too: "
                        "start it at 0 and add the rest where it is read.");
    }
    return *late;
}

}  // namespace

Func divide_after_reduction(Func c) {
    const LateDivisor late = divisor_of(c, "");
    c.function().update().values()[0] = with_lets(late.undivided);
    return wrapped(c, late.apply(c(c.args())));
}

Func divide_after_reduction(Func c, Func quotient) {
    const LateDivisor late = divisor_of(c, quotient.name());
    quotient.function().definition().values()[0] = with_lets(late.numerator);
    return wrapped(c, late.apply(c(c.args())));
}

Func choose_assigned(Func f) {
    const std::optional<Expr> chosen = assigned_region(f.function());
    if (!chosen) {
        throw UserError("A choice instead of an assignment was asked for in " + f.name() +
                        ", which is no pure Func with one update that writes a slice of it: "
                        "choose a Func f(j, i) = x(j, i), f(j, r) = v(j, r).");
    }
    return wrapped(f, *chosen);
}

}  // namespace eutectic
